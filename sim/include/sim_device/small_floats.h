// Numeric formats of 8 and 16 bits: from and to wider floats by integer arithmetic, for the headers
// of fp16, bf16 and fp8. Written once for every format; nothing depends on the host's own half
// type.
//
// Rounding is to nearest, ties to even, once. A NaN becomes quiet and keeps its sign and the top
// bits of its payload.
#pragma once

#include <bit>
#include <cstdint>

#include "sim_device/threads.h"

namespace rankle_sim {

enum class Special : std::uint8_t {
  ieee,  // infinities and NaNs at the largest exponent
  ocp,   // no infinity; NaN is all ones (e4m3 of the OCP standard)
  fnuz   // no infinity, no negative zero; NaN is the sign bit alone
};

struct Format {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  Special special;

  constexpr int sign_shift() const { return exponent_bits + mantissa_bits; }
  constexpr unsigned magnitude_mask() const { return (1U << sign_shift()) - 1; }
  constexpr unsigned infinity() const { return ((1U << exponent_bits) - 1) << mantissa_bits; }
  // The largest finite magnitude.
  constexpr unsigned largest() const {
    return special == Special::ieee  ? infinity() - 1
           : special == Special::ocp ? magnitude_mask() - 1
                                     : magnitude_mask();
  }
};

inline constexpr Format kFp16{5, 10, 15, Special::ieee};
inline constexpr Format kBf16{8, 7, 127, Special::ieee};
inline constexpr Format kE4m3{4, 3, 7, Special::ocp};
inline constexpr Format kE5m2{5, 2, 15, Special::ieee};
inline constexpr Format kE4m3Fnuz{4, 3, 8, Special::fnuz};
inline constexpr Format kE5m2Fnuz{5, 2, 16, Special::fnuz};

constexpr bool is_nan_bits(const Format& f, unsigned bits) {
  const unsigned magnitude = bits & f.magnitude_mask();
  if (f.special == Special::fnuz) return bits == 1U << f.sign_shift();
  if (f.special == Special::ocp) return magnitude == f.magnitude_mask();
  return magnitude > f.infinity();
}

// The exact value. Every format fits into a float.
constexpr float widen_bits(const Format& f, unsigned bits) {
  const std::uint32_t sign = (bits >> f.sign_shift() & 1U) << 31;
  const unsigned magnitude = bits & f.magnitude_mask();
  const unsigned fraction = magnitude & ((1U << f.mantissa_bits) - 1);
  const int exponent = static_cast<int>(magnitude >> f.mantissa_bits);
  const int up = 23 - f.mantissa_bits;
  if (is_nan_bits(f, bits)) {
    return std::bit_cast<float>(sign | 0x7f800000U | fraction << up |
                                (fraction == 0 ? 0x400000U : 0));
  }
  if (f.special == Special::ieee && magnitude == f.infinity())
    return std::bit_cast<float>(sign | 0x7f800000U);
  if (f.bias == 127)
    return std::bit_cast<float>(sign | static_cast<std::uint32_t>(magnitude) << up);
  if (exponent == 0) {
    // A subnormal: fraction units of 2^(1 - bias - mantissa_bits), a normal float.
    const auto unit = static_cast<std::uint32_t>(127 + 1 - f.bias - f.mantissa_bits) << 23;
    const float value = static_cast<float>(fraction) * std::bit_cast<float>(unit);
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
  }
  return std::bit_cast<float>(sign | static_cast<std::uint32_t>(exponent - f.bias + 127) << 23 |
                              fraction << up);
}

constexpr unsigned nan_bits(const Format& f, unsigned sign, std::uint64_t payload52) {
  if (f.special == Special::fnuz) return 1U << f.sign_shift();
  if (f.special == Special::ocp) return sign << f.sign_shift() | f.magnitude_mask();
  const auto top = static_cast<unsigned>(payload52 >> (52 - f.mantissa_bits));
  return sign << f.sign_shift() | f.infinity() | 1U << (f.mantissa_bits - 1) | top;
}

// Rounds to the format. Too large a number becomes the largest finite one if `saturate`, otherwise
// infinity, or NaN where there is none.
constexpr unsigned narrow_bits(const Format& f, double value, bool saturate = false) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<unsigned>(bits >> 63);
  const std::uint64_t fraction = bits & 0xfffffffffffffU;
  const int biased = static_cast<int>(bits >> 52 & 0x7ff);
  if (biased == 0x7ff && fraction != 0) return nan_bits(f, sign, fraction);
  const unsigned beyond = saturate ? f.largest() : f.special == Special::ieee ? f.infinity() : ~0U;
  unsigned magnitude = 0;
  bool overflows = biased == 0x7ff;
  if (!overflows && biased != 0) {  // a double's subnormals are far below every format
    const int exponent = biased - 1023 + f.bias;
    const std::uint64_t significand = fraction | std::uint64_t{1} << 52;
    // Bits that go: more for a subnormal result.
    const int shift = 52 - f.mantissa_bits + (exponent < 1 ? 1 - exponent : 0);
    if (shift < 54) {
      const std::uint64_t kept = significand >> shift;
      const std::uint64_t rest = significand & ((std::uint64_t{1} << shift) - 1);
      const std::uint64_t half = std::uint64_t{1} << (shift - 1);
      const bool up = rest > half || (rest == half && (kept & 1) != 0);
      // The leading bit of a normal result adds one to the exponent field, and so does a carry.
      const std::uint64_t field =
          exponent < 1 ? 0 : static_cast<std::uint64_t>(exponent - 1) << f.mantissa_bits;
      const std::uint64_t rounded = field + kept + (up ? 1 : 0);
      overflows = rounded > f.largest();
      magnitude = static_cast<unsigned>(rounded);
    }
  }
  if (overflows) {
    if (beyond == ~0U) return nan_bits(f, sign, 0);
    magnitude = beyond;
  }
  if (f.special == Special::fnuz && magnitude == 0) return 0;
  return sign << f.sign_shift() | magnitude;
}

// a * b + c of small floats, rounded so that rounding once more to a small float gives the result
// of a single rounding: the product is exact, and of an inexact sum the last bit is made odd, so
// that it is no tie.
__forceinline__ double fused(float a, float b, float c) {
  const double product = static_cast<double>(a) * static_cast<double>(b);
  const double sum = product + static_cast<double>(c);
  const double back = sum - product;
  const double rest = (product - (sum - back)) + (static_cast<double>(c) - back);
  auto bits = std::bit_cast<std::uint64_t>(sum);
  if (rest == 0 || rest != rest || (bits & 1) != 0) return sum;
  bits += (rest > 0) == (sum > 0) ? 1 : ~std::uint64_t{0};
  return std::bit_cast<double>(bits);
}

}  // namespace rankle_sim
