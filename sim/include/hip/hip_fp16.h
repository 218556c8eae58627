// __half and __half2: conversions and arithmetic as HIP and CUDA document them. Arithmetic is done
// in a wider type and rounded to nearest even; the result is that of the exact operation.
#pragma once

#include <hip/hip_vector_types.h>

#include <cmath>

#include "sim_device/atomics.h"
#include "sim_device/math.h"
#include "sim_device/small_floats.h"
#include "sim_device/wave.h"

struct __half_raw {
  unsigned short x;
};

struct __half {
  unsigned short __x;

  __half() = default;
  constexpr __half(__half_raw raw) : __x(raw.x) {}  // NOLINT: implicit, as in HIP
  constexpr __half(double value)                    // NOLINT
      : __x(static_cast<unsigned short>(rankle_sim::narrow_bits(rankle_sim::kFp16, value))) {}
  constexpr __half(float value) : __half(static_cast<double>(value)) {}     // NOLINT
  constexpr __half(int value) : __half(static_cast<double>(value)) {}       // NOLINT
  constexpr __half(unsigned value) : __half(static_cast<double>(value)) {}  // NOLINT
  constexpr operator float() const {
    return rankle_sim::widen_bits(rankle_sim::kFp16, __x);
  }  // NOLINT
  constexpr operator __half_raw() const { return {__x}; }  // NOLINT
};
using half = __half;

struct alignas(4) __half2 {
  __half x;
  __half y;
};
using half2 = __half2;

template <>
inline constexpr bool rankle_sim::kShuffles<__half> = true;
template <>
inline constexpr bool rankle_sim::kShuffles<__half2> = true;

// --- conversions ---

constexpr __half __float2half(float v) { return {v}; }
constexpr __half __float2half_rn(float v) { return {v}; }
constexpr __half __double2half(double v) { return {v}; }
constexpr float __half2float(__half v) { return v; }
constexpr __half __ushort_as_half(unsigned short bits) { return __half_raw{bits}; }
constexpr unsigned short __half_as_ushort(__half v) { return v.__x; }
constexpr __half __short_as_half(short bits) {
  return __half_raw{static_cast<unsigned short>(bits)};
}
constexpr short __half_as_short(__half v) { return static_cast<short>(v.__x); }
constexpr __half __int2half_rn(int v) { return {v}; }
constexpr __half __uint2half_rn(unsigned v) { return {v}; }
__forceinline__ int __half2int_rn(__half v) { return __float2int_rn(v); }
__forceinline__ int __half2int_rz(__half v) { return __float2int_rz(v); }
__forceinline__ unsigned __half2uint_rz(__half v) { return __float2uint_rz(v); }

constexpr __half2 __halves2half2(__half a, __half b) { return {a, b}; }
constexpr __half2 make_half2(__half a, __half b) { return {a, b}; }
constexpr __half2 __half2half2(__half a) { return {a, a}; }
constexpr __half2 __float2half2_rn(float a) { return {{a}, {a}}; }
constexpr __half2 __floats2half2_rn(float a, float b) { return {{a}, {b}}; }
constexpr __half2 __float22half2_rn(float2 v) { return {{v.x}, {v.y}}; }
constexpr float2 __half22float2(__half2 v) {
  return float2{static_cast<float>(v.x), static_cast<float>(v.y)};
}
constexpr __half __low2half(__half2 v) { return v.x; }
constexpr __half __high2half(__half2 v) { return v.y; }
constexpr float __low2float(__half2 v) { return v.x; }
constexpr float __high2float(__half2 v) { return v.y; }
constexpr __half2 __low2half2(__half2 v) { return {v.x, v.x}; }
constexpr __half2 __high2half2(__half2 v) { return {v.y, v.y}; }
constexpr __half2 __lowhigh2highlow(__half2 v) { return {v.y, v.x}; }
constexpr __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
constexpr __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }

#define RANKLE_SIM_T __half
#define RANKLE_SIM_T2 __half2
#define RANKLE_SIM_BITS __x
#include "sim_device/small_float_arithmetic.inc"
#undef RANKLE_SIM_T
#undef RANKLE_SIM_T2
#undef RANKLE_SIM_BITS
