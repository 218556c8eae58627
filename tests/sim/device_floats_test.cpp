// fp16, bf16 and fp8: every pattern and every rounding border against the compiler's own _Float16
// and
// __bf16, and against values of the OCP standard and AMD's description of the fnuz formats.
#include <gtest/gtest.h>
#include <hip/hip_bf16.h>
#include <hip/hip_bfloat16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_fp8.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace rankle::sim::testing {
namespace {

std::uint32_t bits_of(float v) { return std::bit_cast<std::uint32_t>(v); }
std::uint16_t bits_of(_Float16 v) { return std::bit_cast<std::uint16_t>(v); }

// bf16 is the upper half of a float; rounding by comparing with the neighbours, not by adding.
std::uint16_t nearest_bf16(float v) {
  const std::uint32_t bits = bits_of(v);
  const auto low = static_cast<std::uint16_t>(bits >> 16);
  if (std::isnan(v)) return static_cast<std::uint16_t>(low | 0x40);
  const std::uint32_t rest = bits & 0xffff;
  if (rest < 0x8000 || (rest == 0x8000 && low % 2 == 0)) return low;
  return static_cast<std::uint16_t>(low + 1);
}

TEST(DeviceFloats, EveryHalfWidensAsTheCompilersDoes) {
  for (std::uint32_t i = 0; i < 0x10000; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const auto expected = static_cast<float>(std::bit_cast<_Float16>(bits));
    const float widened = __half2float(__ushort_as_half(bits));
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(widened)) << i;
      ASSERT_EQ(bits_of(expected) | 0x400000, bits_of(widened) | 0x400000) << i;
    } else {
      ASSERT_EQ(bits_of(expected), bits_of(widened)) << i;
    }
    ASSERT_EQ(__half_as_ushort(__float2half(widened)), std::isnan(expected) ? bits | 0x200 : bits);
  }
}

TEST(DeviceFloats, EveryBfloat16IsTheUpperHalfOfAFloat) {
  for (std::uint32_t i = 0; i < 0x10000; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const float widened = __bfloat162float(__ushort_as_bfloat16(bits));
    ASSERT_EQ(bits_of(widened), i << 16);
    hip_bfloat16 older;
    older.data = bits;
    ASSERT_EQ(bits_of(static_cast<float>(older)), i << 16);
    ASSERT_EQ(__bfloat16_as_ushort(__float2bfloat16(widened)),
              std::isnan(widened) ? bits | 0x40 : bits);
  }
}

// Floats on, below and above every border between two values of 16 bits, of both signs.
template <typename F>
void for_each_border(F&& f) {
  for (std::uint32_t top = 0; top < 0x10000; ++top) {
    for (const std::uint32_t low : {0x0000U, 0x0001U, 0x0fffU, 0x1000U, 0x1001U, 0x2fffU, 0x3000U,
                                    0x3001U, 0x7fffU, 0x8000U, 0x8001U, 0xd000U, 0xffffU}) {
      f(std::bit_cast<float>(top << 16 | low));
    }
  }
}

TEST(DeviceFloats, NarrowingRoundsToNearestEven) {
  for_each_border([](float v) {
    const std::uint16_t half = bits_of(static_cast<_Float16>(v));
    if (std::isnan(v)) {
      ASSERT_TRUE(__hisnan(__float2half(v)));
      ASSERT_TRUE(__hisnan(__float2bfloat16(v)));
    } else {
      ASSERT_EQ(__half_as_ushort(__float2half(v)), half) << v;
    }
    ASSERT_EQ(__bfloat16_as_ushort(__float2bfloat16(v)), nearest_bf16(v)) << v;
    ASSERT_EQ(hip_bfloat16(v).data, nearest_bf16(v)) << v;
  });
}

TEST(DeviceFloats, ADoubleIsRoundedOnce) {
  // Just above a tie of fp16, by less than a float can tell.
  EXPECT_EQ(__half_as_ushort(__double2half(1.0 + 0x1p-11 + 0x1p-40)), 0x3c01);
  EXPECT_EQ(__half_as_ushort(__double2half(1.0 + 0x1p-11)), 0x3c00);
  EXPECT_EQ(__bfloat16_as_ushort(__double2bfloat16(1.0 + 0x1p-8 + 0x1p-40)), 0x3f81);
}

TEST(DeviceFloats, HalfArithmeticIsThatOfTheCompiler) {
  std::uint32_t state = 1;
  const auto draw = [&state] {
    state = state * 1664525 + 1013904223;
    return static_cast<std::uint16_t>(state >> 16);
  };
  for (int i = 0; i < 200'000; ++i) {
    const std::uint16_t a = draw();
    const std::uint16_t b = draw();
    const __half x = __ushort_as_half(a);
    const __half y = __ushort_as_half(b);
    const auto p = std::bit_cast<_Float16>(a);
    const auto q = std::bit_cast<_Float16>(b);
    const auto same = [](__half mine, _Float16 theirs) {
      return std::isnan(static_cast<float>(theirs)) ? __hisnan(mine) : mine.__x == bits_of(theirs);
    };
    ASSERT_TRUE(same(__hadd(x, y), static_cast<_Float16>(p + q))) << a << " " << b;
    ASSERT_TRUE(same(x - y, static_cast<_Float16>(p - q)));
    ASSERT_TRUE(same(__hmul(x, y), static_cast<_Float16>(p * q)));
    ASSERT_TRUE(same(x / y, static_cast<_Float16>(p / q)));
    ASSERT_EQ(__hlt(x, y), p < q);
    ASSERT_EQ(x <= y, p <= q);
    ASSERT_EQ(__hgeu(x, y), !(p < q));
    ASSERT_EQ(x != y, p != q);
    ASSERT_EQ(x == y, p == q);
  }
}

TEST(DeviceFloats, FusedMultiplyAddRoundsOnce) {
  // (1 + 2^-10)^2 = 1 + 2^-9 + 2^-20, of which rounding the product would keep the first two.
  const __half near_one = 1.0f + 0x1p-10f;
  EXPECT_EQ(static_cast<float>(__hfma(near_one, near_one, __half(-1.0f - 0x1p-9f))), 0x1p-20f);
  // Ties of bf16 which a far smaller addend breaks: 193.5 / 64 and 196.5 / 64.
  const __hip_bfloat16 three = 3.0f;
  const auto fused = [&](float factor, float addend) {
    return static_cast<float>(__hfma(three, __hip_bfloat16(factor), __hip_bfloat16(addend)));
  };
  EXPECT_EQ(fused(129.0f / 128, 0.0f), 194.0f / 64);
  EXPECT_EQ(fused(129.0f / 128, -0x1p-100f), 193.0f / 64);
  EXPECT_EQ(fused(131.0f / 128, 0.0f), 196.0f / 64);
  EXPECT_EQ(fused(131.0f / 128, 0x1p-100f), 197.0f / 64);
  EXPECT_EQ(fused(-131.0f / 128, -0x1p-100f), -197.0f / 64);
}

TEST(DeviceFloats, PairsWorkByLane) {
  const __half2 a = __floats2half2_rn(1.5f, -2.0f);
  const __half2 b = __floats2half2_rn(0.25f, 8.0f);
  static_assert(sizeof(__half2) == 4 && alignof(__half2) == 4);
  const float2 sum = __half22float2(__hadd2(a, b));
  EXPECT_EQ(sum.x, 1.75f);
  EXPECT_EQ(sum.y, 6.0f);
  const float2 product = __half22float2(a * b);
  EXPECT_EQ(product.x, 0.375f);
  EXPECT_EQ(product.y, -16.0f);
  const float2 fused = __half22float2(__hfma2(a, b, a));
  EXPECT_EQ(fused.x, 1.875f);
  EXPECT_EQ(fused.y, -18.0f);
  EXPECT_EQ(__low2float(__lowhigh2highlow(a)), -2.0f);
  const __hip_bfloat162 c = __floats2bfloat162_rn(3.0f, -1.0f);
  EXPECT_EQ(__high2float(__hneg2(c)), 1.0f);
  EXPECT_EQ(__bfloat1622float2(__hmax2(c, __hneg2(c))).y, 1.0f);
}

TEST(DeviceFloats, MaximumAndMinimumPreferNumbersAndOrderZeros) {
  const __half nan = __ushort_as_half(0x7e00);
  const __half zero = 0.0f;
  const __half minus_zero = __hneg(zero);
  EXPECT_EQ(__hmax(nan, __half(2.0f)).__x, __half(2.0f).__x);
  EXPECT_EQ(__hmin(__half(2.0f), nan).__x, __half(2.0f).__x);
  EXPECT_EQ(__hmax(minus_zero, zero).__x, 0);
  EXPECT_EQ(__hmin(zero, minus_zero).__x, 0x8000);
  EXPECT_EQ(__hisinf(__ushort_as_half(0xfc00)), -1);
}

struct Known {
  __hip_fp8_interpretation_t format;
  unsigned char bits;
  float value;
};

// OCP 8-bit floating point specification, table of value encodings; fnuz: bias one larger, no
// infinity, NaN at 0x80.
constexpr Known kKnown[] = {
    {__HIP_E4M3, 0x00, 0.0f},          {__HIP_E4M3, 0x01, 0x1p-9f},
    {__HIP_E4M3, 0x07, 0x1.cp-7f},     {__HIP_E4M3, 0x08, 0x1p-6f},
    {__HIP_E4M3, 0x38, 1.0f},          {__HIP_E4M3, 0x7e, 448.0f},
    {__HIP_E4M3, 0xfe, -448.0f},       {__HIP_E5M2, 0x01, 0x1p-16f},
    {__HIP_E5M2, 0x03, 0x1.8p-15f},    {__HIP_E5M2, 0x04, 0x1p-14f},
    {__HIP_E5M2, 0x3c, 1.0f},          {__HIP_E5M2, 0x7b, 57344.0f},
    {__HIP_E4M3_FNUZ, 0x01, 0x1p-10f}, {__HIP_E4M3_FNUZ, 0x08, 0x1p-7f},
    {__HIP_E4M3_FNUZ, 0x40, 1.0f},     {__HIP_E4M3_FNUZ, 0x7f, 240.0f},
    {__HIP_E5M2_FNUZ, 0x01, 0x1p-17f}, {__HIP_E5M2_FNUZ, 0x04, 0x1p-15f},
    {__HIP_E5M2_FNUZ, 0x40, 1.0f},     {__HIP_E5M2_FNUZ, 0x7f, 57344.0f},
};

float fp8_value(unsigned char bits, __hip_fp8_interpretation_t format) {
  return __half(__hip_cvt_fp8_to_halfraw(bits, format));
}

constexpr __hip_fp8_interpretation_t kFormats[] = {__HIP_E4M3, __HIP_E5M2, __HIP_E4M3_FNUZ,
                                                   __HIP_E5M2_FNUZ};

TEST(DeviceFloats, Fp8HasTheValuesOfTheStandard) {
  for (const Known& k : kKnown) {
    EXPECT_EQ(fp8_value(k.bits, k.format), k.value) << k.format << " " << int{k.bits};
    EXPECT_EQ(__hip_cvt_float_to_fp8(k.value, __HIP_NOSAT, k.format), k.bits);
  }
  for (const unsigned char sign : {0x00, 0x80}) {
    EXPECT_TRUE(std::isnan(fp8_value(0x7f | sign, __HIP_E4M3)));
    EXPECT_TRUE(std::isinf(fp8_value(0x7c | sign, __HIP_E5M2)));
    for (const int nan : {0x7d, 0x7e, 0x7f})
      EXPECT_TRUE(std::isnan(fp8_value(static_cast<unsigned char>(nan | sign), __HIP_E5M2)));
  }
  EXPECT_TRUE(std::isnan(fp8_value(0x80, __HIP_E4M3_FNUZ)));
  EXPECT_TRUE(std::isnan(fp8_value(0x80, __HIP_E5M2_FNUZ)));
}

// Against a search through all 256 values, for all borders.
TEST(DeviceFloats, Fp8RoundsToTheNearestValueTiesToEven) {
  for (const auto format : kFormats) {
    for (int sign = 0; sign < 2; ++sign) {
      for (int i = 0; i < 0x7f; ++i) {
        const float low = fp8_value(static_cast<unsigned char>(i), format);
        const float high = fp8_value(static_cast<unsigned char>(i + 1), format);
        if (!std::isfinite(high) || std::isnan(low) || !std::isfinite(low)) continue;
        const float middle = (low + high) / 2;  // exact
        const int even = i % 2 == 0 ? i : i + 1;
        const auto encoded = [&](float v) {
          return int{__hip_cvt_float_to_fp8(sign != 0 ? -v : v, __HIP_SATFINITE, format)};
        };
        const auto expected = [&](int bits) {
          const bool no_sign = bits == 0 && format >= __HIP_E4M3_FNUZ;
          return bits | (sign != 0 && !no_sign ? 0x80 : 0);
        };
        ASSERT_EQ(encoded(std::nextafter(middle, 0.0f)), expected(i)) << format << " " << i;
        ASSERT_EQ(encoded(middle), expected(even)) << format << " " << i;
        ASSERT_EQ(encoded(std::nextafter(middle, high)), expected(i + 1)) << format << " " << i;
      }
    }
  }
}

TEST(DeviceFloats, Fp8BeyondItsRangeSaturatesOrIsSpecial) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float large : {1e30f, infinity}) {
    EXPECT_EQ(__hip_cvt_float_to_fp8(large, __HIP_SATFINITE, __HIP_E4M3), 0x7e);
    EXPECT_EQ(__hip_cvt_float_to_fp8(large, __HIP_NOSAT, __HIP_E4M3), 0x7f);
    EXPECT_EQ(__hip_cvt_float_to_fp8(-large, __HIP_SATFINITE, __HIP_E5M2), 0xfb);
    EXPECT_EQ(__hip_cvt_float_to_fp8(-large, __HIP_NOSAT, __HIP_E5M2), 0xfc);
    EXPECT_EQ(__hip_cvt_float_to_fp8(large, __HIP_SATFINITE, __HIP_E4M3_FNUZ), 0x7f);
    EXPECT_EQ(__hip_cvt_float_to_fp8(large, __HIP_NOSAT, __HIP_E5M2_FNUZ), 0x80);
  }
  EXPECT_EQ(__hip_fp8_e4m3(464.0f).__x, 0x7e);  // the tie with what would be 480
  EXPECT_EQ(__hip_cvt_float_to_fp8(465.0f, __HIP_NOSAT, __HIP_E4M3), 0x7f);
  EXPECT_EQ(static_cast<float>(__hip_fp8_e5m2(3.0f)), 3.0f);
  EXPECT_EQ(static_cast<float>(__hip_fp8_e4m3_fnuz(-0.0f)), 0.0f);
  EXPECT_EQ(__hip_cvt_float2_to_fp8x2(float2{1.0f, 2.0f}, __HIP_SATFINITE, __HIP_E4M3), 0x4038);
}

}  // namespace
}  // namespace rankle::sim::testing
