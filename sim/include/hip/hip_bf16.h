// __hip_bfloat16 and its pair: conversions and arithmetic as AMD documents them. Arithmetic is done
// in float and rounded once to nearest even.
#pragma once

#include <hip/hip_vector_types.h>

#include <cmath>

#include "sim_device/atomics.h"
#include "sim_device/small_floats.h"
#include "sim_device/wave.h"

struct __hip_bfloat16_raw {
  unsigned short x;
};

struct __hip_bfloat16 {
  unsigned short __x;

  __hip_bfloat16() = default;
  constexpr __hip_bfloat16(__hip_bfloat16_raw raw) : __x(raw.x) {}  // NOLINT: implicit, as in HIP
  constexpr __hip_bfloat16(double value)                            // NOLINT
      : __x(static_cast<unsigned short>(rankle_sim::narrow_bits(rankle_sim::kBf16, value))) {}
  constexpr __hip_bfloat16(float value) : __hip_bfloat16(static_cast<double>(value)) {}  // NOLINT
  constexpr __hip_bfloat16(int value) : __hip_bfloat16(static_cast<double>(value)) {}    // NOLINT
  constexpr __hip_bfloat16(unsigned value)                                               // NOLINT
      : __hip_bfloat16(static_cast<double>(value)) {}
  constexpr operator float() const {
    return rankle_sim::widen_bits(rankle_sim::kBf16, __x);
  }  // NOLINT
  constexpr operator __hip_bfloat16_raw() const { return {__x}; }  // NOLINT
};

struct alignas(4) __hip_bfloat162 {
  __hip_bfloat16 x;
  __hip_bfloat16 y;
};

template <>
inline constexpr bool rankle_sim::kShuffles<__hip_bfloat16> = true;
template <>
inline constexpr bool rankle_sim::kShuffles<__hip_bfloat162> = true;

// --- conversions ---

constexpr __hip_bfloat16 __float2bfloat16(float v) { return {v}; }
constexpr __hip_bfloat16 __float2bfloat16_rn(float v) { return {v}; }
constexpr __hip_bfloat16 __double2bfloat16(double v) { return {v}; }
constexpr float __bfloat162float(__hip_bfloat16 v) { return v; }
constexpr __hip_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  return __hip_bfloat16_raw{bits};
}
constexpr unsigned short __bfloat16_as_ushort(__hip_bfloat16 v) { return v.__x; }
constexpr __hip_bfloat162 __halves2bfloat162(__hip_bfloat16 a, __hip_bfloat16 b) { return {a, b}; }
constexpr __hip_bfloat162 __bfloat162bfloat162(__hip_bfloat16 a) { return {a, a}; }
constexpr __hip_bfloat162 __float2bfloat162_rn(float a) { return {{a}, {a}}; }
constexpr __hip_bfloat162 __floats2bfloat162_rn(float a, float b) { return {{a}, {b}}; }
constexpr __hip_bfloat162 __float22bfloat162_rn(float2 v) { return {{v.x}, {v.y}}; }
constexpr float2 __bfloat1622float2(__hip_bfloat162 v) {
  return float2{static_cast<float>(v.x), static_cast<float>(v.y)};
}
constexpr __hip_bfloat16 __low2bfloat16(__hip_bfloat162 v) { return v.x; }
constexpr __hip_bfloat16 __high2bfloat16(__hip_bfloat162 v) { return v.y; }
constexpr float __low2float(__hip_bfloat162 v) { return v.x; }
constexpr float __high2float(__hip_bfloat162 v) { return v.y; }

#define RANKLE_SIM_T __hip_bfloat16
#define RANKLE_SIM_T2 __hip_bfloat162
#define RANKLE_SIM_BITS __x
#include "sim_device/small_float_arithmetic.inc"
#undef RANKLE_SIM_T
#undef RANKLE_SIM_T2
#undef RANKLE_SIM_BITS
