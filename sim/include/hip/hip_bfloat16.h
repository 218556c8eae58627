// hip_bfloat16, the older of HIP's two bf16 types: a value that converts to and from float.
#pragma once

#include <cstdint>

#include "sim_device/atomics.h"
#include "sim_device/small_floats.h"
#include "sim_device/wave.h"

struct hip_bfloat16 {
  std::uint16_t data;

  // HIP's name; the C library has a function of that name.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wshadow"
  enum truncate_t { truncate };
#pragma clang diagnostic pop

  hip_bfloat16() = default;
  explicit constexpr hip_bfloat16(float value)
      : data(static_cast<std::uint16_t>(rankle_sim::narrow_bits(rankle_sim::kBf16, value))) {}
  // Cuts the low bits off; a NaN stays one.
  explicit constexpr hip_bfloat16(float value, truncate_t)
      : data(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16)) {
    if (value != value) data |= 1;
  }
  static constexpr hip_bfloat16 round_to_bfloat16(float value) { return hip_bfloat16(value); }
  static constexpr hip_bfloat16 round_to_bfloat16(float value, truncate_t) {
    return hip_bfloat16(value, truncate);
  }
  constexpr operator float() const {
    return rankle_sim::widen_bits(rankle_sim::kBf16, data);
  }  // NOLINT
};

template <>
inline constexpr bool rankle_sim::kShuffles<hip_bfloat16> = true;

constexpr hip_bfloat16 operator+(hip_bfloat16 a, hip_bfloat16 b) {
  return hip_bfloat16(static_cast<float>(a) + static_cast<float>(b));
}
constexpr hip_bfloat16 operator-(hip_bfloat16 a, hip_bfloat16 b) {
  return hip_bfloat16(static_cast<float>(a) - static_cast<float>(b));
}
constexpr hip_bfloat16 operator*(hip_bfloat16 a, hip_bfloat16 b) {
  return hip_bfloat16(static_cast<float>(a) * static_cast<float>(b));
}
constexpr hip_bfloat16 operator/(hip_bfloat16 a, hip_bfloat16 b) {
  return hip_bfloat16(static_cast<float>(a) / static_cast<float>(b));
}
constexpr hip_bfloat16& operator+=(hip_bfloat16& a, hip_bfloat16 b) { return a = a + b; }
constexpr hip_bfloat16& operator-=(hip_bfloat16& a, hip_bfloat16 b) { return a = a - b; }
constexpr hip_bfloat16& operator*=(hip_bfloat16& a, hip_bfloat16 b) { return a = a * b; }
constexpr hip_bfloat16& operator/=(hip_bfloat16& a, hip_bfloat16 b) { return a = a / b; }
