// The oracle's number formats against the compiler's own types, over every 16-bit pattern.
#include "harness/runner/wire_format.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace rankle {
namespace {

using Fp16 = Wire<DType::fp16>;
using Bf16 = Wire<DType::bf16>;
using Fp32 = Wire<DType::fp32>;

double bf16_by_widening(std::uint16_t bits) {
  return double(std::bit_cast<float>(std::uint32_t(bits) << 16));
}

double fp16_by_compiler(std::uint16_t bits) { return double(std::bit_cast<_Float16>(bits)); }

template <class W>
void expect_same_value(std::uint16_t bits, double value) {
  if (std::isnan(value)) {
    ASSERT_TRUE(W::is_nan(bits)) << std::hex << bits;
    ASSERT_FALSE(W::is_finite(bits)) << std::hex << bits;
    return;
  }
  ASSERT_EQ(W::decode(bits), value) << std::hex << bits;
  ASSERT_EQ(std::signbit(W::decode(bits)), std::signbit(value)) << std::hex << bits;
  ASSERT_EQ(W::is_finite(bits), std::isfinite(value)) << std::hex << bits;
  ASSERT_EQ(W::encode_rounded(value), bits) << std::hex << bits;
}

TEST(WireFormat, DecodesEveryHalfPatternAndEncodesItBack) {
  for (unsigned bits = 0; bits <= 0xffff; ++bits) {
    expect_same_value<Fp16>(std::uint16_t(bits), fp16_by_compiler(std::uint16_t(bits)));
    expect_same_value<Bf16>(std::uint16_t(bits), bf16_by_widening(std::uint16_t(bits)));
  }
}

TEST(WireFormat, RoundsMidpointsOfHalfToEvenAsTheCompilerDoes) {
  for (unsigned bits = 0; bits < 0x7bff; ++bits) {
    const double low = fp16_by_compiler(std::uint16_t(bits));
    const double high = fp16_by_compiler(std::uint16_t(bits + 1));
    for (double value : {(low + high) / 2, low + (high - low) / 4, high - (high - low) / 4}) {
      const auto expected = std::bit_cast<std::uint16_t>(_Float16(value));
      ASSERT_EQ(Fp16::encode_rounded(value), expected) << value;
      ASSERT_EQ(Fp16::encode_rounded(-value), expected | 0x8000) << value;
    }
  }
  EXPECT_EQ(Fp16::encode_rounded(65519.9), 0x7bff);
  EXPECT_EQ(Fp16::encode_rounded(65520.0), 0x7c00);
}

TEST(WireFormat, FastIntegerEncodingIsExactInTheWholeRange) {
  for (std::int64_t value = -2048; value <= 2048; ++value) {
    ASSERT_EQ(Fp16::encode(value), std::bit_cast<std::uint16_t>(_Float16(double(value)))) << value;
    ASSERT_EQ(Fp32::encode(value), std::bit_cast<std::uint32_t>(float(value))) << value;
    if (value < -256 || value > 256) continue;
    ASSERT_EQ(Bf16::encode(value), std::bit_cast<std::uint32_t>(float(value)) >> 16) << value;
    ASSERT_EQ(Bf16::decode(Bf16::encode(value)), double(value));
  }
  EXPECT_EQ(Fp16::encode(0), 0);
  EXPECT_EQ(Bf16::encode(0), 0);
  EXPECT_EQ(Wire<DType::int8>::encode(-1), 0xff);
  EXPECT_EQ(Wire<DType::fp64>::encode(std::int64_t{1} << 53), std::bit_cast<std::uint64_t>(0x1p53));
}

TEST(WireFormat, RoundsToFloatAsTheCompilerDoes) {
  for (double value : {1e-45, 1e-46, 7e-46, 1.1754943e-38, 3.4028235e38, 3.4028236e38, 1e39, 0.1,
                       16777217.0, 16777219.0, 1.0 / 3}) {
    EXPECT_EQ(Fp32::encode_rounded(value), std::bit_cast<std::uint32_t>(float(value))) << value;
  }
}

}  // namespace
}  // namespace rankle
