// Bits of every element type as the host sees them: exact integers in, bits out, and back. It is an
// independent oracle: nothing here is shared with the device conversions in kernels/dtype.h, so a
// mistake there cannot hide itself. bf16 and fp16 are handled by their definition in IEEE 754
// terms.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "generators/dtype.h"

namespace rankle {

// One format. `Bits` is the storage word; `significant_bits` bounds the integers that it holds
// exactly (|v| <= 2^significant_bits for floats).
template <DType>
struct Wire;

// Layout of a binary floating-point format and what follows from it.
template <class BitsT, int kExponentBits, int kMantissaBits>
struct FloatWire {
  using Bits = BitsT;
  static constexpr bool is_float = true;
  static constexpr int mantissa_bits = kMantissaBits;
  static constexpr int significant_bits = kMantissaBits + 1;
  static constexpr int exponent_max = (1 << kExponentBits) - 1;  // all ones: infinity and NaN
  static constexpr int bias = exponent_max / 2;
  static constexpr Bits sign_bit = Bits(Bits{1} << (kExponentBits + kMantissaBits));
  static constexpr Bits mantissa_mask = Bits((Bits{1} << kMantissaBits) - 1);
  static constexpr Bits infinity = Bits(Bits(exponent_max) << kMantissaBits);
  static constexpr Bits quiet_bit = Bits(Bits{1} << (kMantissaBits - 1));

  static bool is_nan(Bits bits) { return Bits(bits & ~sign_bit) > infinity; }
  static bool is_finite(Bits bits) { return Bits(bits & ~sign_bit) < infinity; }
  static Bits pack(bool negative, int exponent, Bits mantissa) {
    return Bits((negative ? sign_bit : Bits{0}) | Bits(Bits(exponent) << kMantissaBits) |
                Bits(mantissa & mantissa_mask));
  }

  static double decode(Bits bits) {
    const bool negative = (bits & sign_bit) != 0;
    const int exponent = int(Bits(bits & ~sign_bit) >> kMantissaBits);
    const double mantissa = double(Bits(bits & mantissa_mask));
    double value = 0;
    if (exponent == exponent_max) {
      value = mantissa == 0 ? std::numeric_limits<double>::infinity()
                            : std::numeric_limits<double>::quiet_NaN();
    } else if (exponent == 0) {
      value = std::ldexp(mantissa, 1 - bias - kMantissaBits);
    } else {
      value =
          std::ldexp(mantissa + std::ldexp(1.0, kMantissaBits), exponent - bias - kMantissaBits);
    }
    return negative ? -value : value;
  }

  // Nearest value of the format, ties to even. Slow; for hypotheses and tests.
  static Bits encode_rounded(double value) {
    const bool negative = std::signbit(value);
    const double magnitude = std::fabs(value);
    if (std::isnan(value)) return Bits(infinity | quiet_bit);
    if (magnitude == 0) return pack(negative, 0, 0);
    if (std::isinf(magnitude)) return Bits(pack(negative, 0, 0) | infinity);
    int exponent = std::max(std::ilogb(magnitude), 1 - bias);
    // Units of the last place at this exponent; nearbyint rounds ties to even by default.
    const double units = std::nearbyint(std::ldexp(magnitude, kMantissaBits - exponent));
    // A carry out of the mantissa, or a subnormal growing to normal, falls out of the addition.
    const auto scaled = std::uint64_t(units);
    const std::uint64_t hidden = std::uint64_t{1} << kMantissaBits;
    const std::uint64_t encoded =
        scaled < hidden ? scaled : (std::uint64_t(exponent + bias - 1) << kMantissaBits) + scaled;
    if (encoded >= std::uint64_t(infinity)) return Bits(pack(negative, 0, 0) | infinity);
    return Bits((negative ? sign_bit : Bits{0}) | Bits(encoded));
  }
};

template <class BitsT, class Signed>
struct IntWire {
  using Bits = BitsT;
  static constexpr bool is_float = false;
  static double decode(Bits bits) { return double(Signed(bits)); }
  static bool is_nan(Bits) { return false; }
  static bool is_finite(Bits) { return true; }
  // Wraps, as two's complement sums on a device do.
  static Bits encode(std::int64_t value) { return Bits(value); }
};

// `encode` is exact, and fast, for |value| <= 2^significant_bits; zero is always +0.
template <>
struct Wire<DType::fp64> : FloatWire<std::uint64_t, 11, 52> {
  static Bits encode(std::int64_t value) { return std::bit_cast<std::uint64_t>(double(value)); }
};
template <>
struct Wire<DType::fp32> : FloatWire<std::uint32_t, 8, 23> {
  static Bits encode(std::int64_t value) {
    return std::bit_cast<std::uint32_t>(float(std::int32_t(value)));
  }
};
template <>
struct Wire<DType::bf16> : FloatWire<std::uint16_t, 8, 7> {
  static Bits encode(std::int64_t value) {
    return Bits(std::bit_cast<std::uint32_t>(float(std::int32_t(value))) >> 16);
  }
};
template <>
struct Wire<DType::fp16> : FloatWire<std::uint16_t, 5, 10> {
  // Scaling by 2^(15-127) moves the float's exponent field onto fp16's bias; the low 13 mantissa
  // bits are zero for the integers allowed here.
  static Bits encode(std::int64_t value) {
    const auto bits = std::bit_cast<std::uint32_t>(float(std::int32_t(value)) * 0x1p-112f);
    return Bits(((bits >> 16) & 0x8000u) | ((bits & 0x7fffffffu) >> 13));
  }
};
template <>
struct Wire<DType::int8> : IntWire<std::uint8_t, std::int8_t> {};
template <>
struct Wire<DType::int32> : IntWire<std::uint32_t, std::int32_t> {};
template <>
struct Wire<DType::int64> : IntWire<std::uint64_t, std::int64_t> {};

// Calls `body` with the Wire of `dtype` as a value: with_wire(d, [&](auto wire) { ... }).
template <class Body>
decltype(auto) with_wire(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::fp64:
      return body(Wire<DType::fp64>{});
    case DType::fp32:
      return body(Wire<DType::fp32>{});
    case DType::fp16:
      return body(Wire<DType::fp16>{});
    case DType::bf16:
      return body(Wire<DType::bf16>{});
    case DType::int8:
      return body(Wire<DType::int8>{});
    case DType::int32:
      return body(Wire<DType::int32>{});
    case DType::int64:
      break;
  }
  return body(Wire<DType::int64>{});
}

// Exact integer or a rounded one (floats) or a wrapped one (ints): for hypotheses that may leave
// the exact range, such as a rank counted twice.
template <class W>
typename W::Bits encode_any(W, std::int64_t value) {
  if constexpr (W::is_float) {
    return value == 0 ? typename W::Bits{0} : W::encode_rounded(double(value));
  } else {
    return W::encode(value);
  }
}

}  // namespace rankle
