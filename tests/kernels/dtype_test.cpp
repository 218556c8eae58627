// Conversions over every bit pattern, against a reference that knows nothing of bit tricks: a
// sorted table of all finite values as doubles, searched for the nearest.
#include "kernels/dtype.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace rankle::kernels {
namespace {

// IEEE-like 16-bit format with `kFraction` fraction bits.
template <int kFraction>
struct Format {
  static constexpr int kExponent = 15 - kFraction;
  static constexpr int kBias = (1 << (kExponent - 1)) - 1;
  static constexpr std::uint32_t kInfinity = ((1u << kExponent) - 1) << kFraction;
  static constexpr std::uint32_t kQuiet = 1u << (kFraction - 1);

  static double value(std::uint32_t magnitude) {
    const int exponent = static_cast<int>(magnitude >> kFraction);
    const double fraction = magnitude & ((1u << kFraction) - 1);
    const double scale = 1 << kFraction;
    if (exponent == 0) return std::ldexp(fraction / scale, 1 - kBias);
    return std::ldexp(1 + fraction / scale, exponent - kBias);
  }

  // value(m) of every finite m and, as infinity's stand-in, of the m after the last one.
  static const std::vector<double>& values() {
    static const std::vector<double> all = [] {
      std::vector<double> v;
      for (std::uint32_t m = 0; m <= kInfinity; ++m) v.push_back(value(m));
      return v;
    }();
    return all;
  }

  // The magnitude nearest to a finite x >= 0, ties to even.
  static std::uint32_t nearest(double x) {
    const auto& all = values();
    const auto above = std::lower_bound(all.begin(), all.end(), x);
    if (above == all.end()) return kInfinity;
    const auto m = static_cast<std::uint32_t>(above - all.begin());
    if (m == 0 || *above == x) return m;
    const double up = *above - x;
    const double down = x - all[m - 1];
    if (up != down) return up < down ? m : m - 1;
    return m % 2 == 0 ? m : m - 1;
  }
};
using Bf16 = Format<7>;
using Fp16 = Format<10>;

std::uint32_t bits_of(float value) { return bits_as<std::uint32_t>(value); }

template <typename T, typename F>
void expect_exact_widening() {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float wide = to_fp32(T{static_cast<std::uint16_t>(bits)});
    const std::uint32_t magnitude = bits & 0x7fffu;
    const std::uint32_t sign = bits >> 15;
    ASSERT_EQ(bits_of(wide) >> 31, sign) << std::hex << bits;
    if (magnitude < F::kInfinity) {
      ASSERT_EQ(static_cast<double>(std::fabs(wide)), F::value(magnitude)) << std::hex << bits;
    } else if (magnitude == F::kInfinity) {
      ASSERT_EQ(std::fabs(wide), std::numeric_limits<float>::infinity());
    } else {  // NaN, payload in the top bits of the fraction
      const int shift = F::kExponent == 8 ? 16 : 13;
      const std::uint32_t payload = magnitude - F::kInfinity;
      ASSERT_EQ(bits_of(wide) & 0x7fffffffu, 0x7f800000u | payload << shift) << std::hex << bits;
    }
  }
}

TEST(Dtype, WidensEveryBf16PatternExactly) { expect_exact_widening<bf16, Bf16>(); }
TEST(Dtype, WidensEveryFp16PatternExactly) { expect_exact_widening<fp16, Fp16>(); }

TEST(Dtype, NarrowsEveryWidenedPatternToItselfAndNansToQuietOnes) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto pattern = static_cast<std::uint16_t>(bits);
    const bool bf16_nan = (bits & 0x7fffu) > Bf16::kInfinity;
    const bool fp16_nan = (bits & 0x7fffu) > Fp16::kInfinity;
    ASSERT_EQ(to_bf16(to_fp32(bf16{pattern})).bits, bf16_nan ? bits | Bf16::kQuiet : bits);
    ASSERT_EQ(to_fp16(to_fp32(fp16{pattern})).bits, fp16_nan ? bits | Fp16::kQuiet : bits);
  }
}

// Lower halves of an fp32 pattern next to every place where rounding to 16 bits can change its
// mind.
std::vector<std::uint32_t> lower_halves() {
  std::vector<std::uint32_t> lows;
  for (std::uint32_t top = 0; top < 8; ++top) {
    for (const std::uint32_t rest : {0x0000u, 0x0001u, 0x0fffu, 0x1000u, 0x1001u, 0x1fffu}) {
      lows.push_back(top << 13 | rest);
    }
  }
  return lows;
}

template <typename F, typename Convert>
void expect_nearest(Convert convert) {
  const auto lows = lower_halves();
  for (std::uint32_t upper = 0; upper < 0x10000; ++upper) {
    for (const std::uint32_t low : lows) {
      const std::uint32_t bits = upper << 16 | low;
      const std::uint32_t magnitude = bits & 0x7fffffffu;
      if (magnitude > 0x7f800000u) continue;
      const double x = std::fabs(static_cast<double>(bits_as<float>(bits)));
      const std::uint32_t sign = (bits >> 16) & 0x8000u;
      const std::uint32_t wanted = sign | (std::isinf(x) ? F::kInfinity : F::nearest(x));
      ASSERT_EQ(convert(bits_as<float>(bits)), wanted) << std::hex << bits;
    }
  }
}

TEST(Dtype, NarrowsToTheNearestBf16TiesToEven) {
  expect_nearest<Bf16>([](float x) { return std::uint32_t{to_bf16(x).bits}; });
}
TEST(Dtype, NarrowsToTheNearestFp16TiesToEven) {
  expect_nearest<Fp16>([](float x) { return std::uint32_t{to_fp16(x).bits}; });
}

TEST(Dtype, NarrowsNansToQuietNansWithSignAndTopOfPayload) {
  for (std::uint32_t upper = 0; upper < 0x10000; ++upper) {
    for (const std::uint32_t low : lower_halves()) {
      const std::uint32_t bits = upper << 16 | low;
      if ((bits & 0x7fffffffu) <= 0x7f800000u) continue;
      const std::uint32_t sign = (bits >> 16) & 0x8000u;
      const std::uint32_t fraction = bits & 0x007fffffu;
      ASSERT_EQ(to_bf16(bits_as<float>(bits)).bits,
                sign | Bf16::kInfinity | Bf16::kQuiet | fraction >> 16);
      ASSERT_EQ(to_fp16(bits_as<float>(bits)).bits,
                sign | Fp16::kInfinity | Fp16::kQuiet | fraction >> 13);
    }
  }
}

TEST(Dtype, AgreesWithTheCompilersHalfOnEveryFinitePattern) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7fffu) > Fp16::kInfinity) continue;
    const auto half = bits_as<_Float16>(static_cast<std::uint16_t>(bits));
    ASSERT_EQ(bits_of(to_fp32(fp16{static_cast<std::uint16_t>(bits)})),
              bits_of(static_cast<float>(half)));
  }
}

TEST(Dtype, IntegersWrapWhenAdded) {
  EXPECT_EQ(add(std::numeric_limits<std::int32_t>::max(), 1),
            std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(add(std::int8_t{127}, std::int8_t{1}), std::int8_t{-128});
  EXPECT_EQ(add(std::numeric_limits<std::int64_t>::min(), std::int64_t{-1}),
            std::numeric_limits<std::int64_t>::max());
}

TEST(Dtype, IsNanSeesNansAndNothingElse) {
  EXPECT_TRUE(is_nan(bf16{0x7f81}));
  EXPECT_FALSE(is_nan(bf16{0xff80}));
  EXPECT_TRUE(is_nan(fp16{0xfc01}));
  EXPECT_FALSE(is_nan(fp16{0x7c00}));
  EXPECT_TRUE(is_nan(std::numeric_limits<float>::signaling_NaN()));
  EXPECT_FALSE(is_nan(std::numeric_limits<double>::infinity()));
  EXPECT_TRUE(is_nan(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(is_nan(std::int32_t{-1}));
}

}  // namespace
}  // namespace rankle::kernels
