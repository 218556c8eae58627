// The sum of one pack: its order, its single rounding and its NaNs.
#include "kernels/reduce.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>

namespace rankle::kernels {
namespace {

template <typename T>
uint4 filled_with(T value) {
  Elements<T> elements;
  for (T& element : elements.at) element = value;
  return pack_of(elements);
}

// Sums values[r] of rank r and returns element 0, having checked that all elements agree.
template <typename T, typename Acc, int kWorld>
T sum_of(const std::array<T, kWorld>& values) {
  uint4 packs[kWorld];
  for (int rank = 0; rank < kWorld; ++rank) packs[rank] = filled_with(values[rank]);
  const uint4 sum = sum_in_rank_order<T, Acc>(packs);
  const Elements<T> elements = unpack<T>(sum);
  const auto expected = unpack<std::uint32_t>(filled_with(elements.at[0]));
  const auto actual = unpack<std::uint32_t>(sum);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(actual.at[i], expected.at[i]) << "word " << i;
  return elements.at[0];
}

TEST(Pack, IsSixteenBytesOfAnyType) {
  EXPECT_EQ(kPackElements<bf16>, 8);
  EXPECT_EQ(kPackElements<fp16>, 8);
  EXPECT_EQ(kPackElements<float>, 4);
  EXPECT_EQ(kPackElements<std::int32_t>, 4);
  EXPECT_EQ(kPackElements<double>, 2);
  EXPECT_EQ(kPackElements<std::int8_t>, 16);
}

TEST(Pack, KeepsElementsInMemoryOrder) {
  const Elements<std::uint16_t> elements{{1, 2, 3, 4, 5, 6, 7, 8}};
  const uint4 pack = pack_of(elements);
  EXPECT_EQ(pack.x, 0x00020001u);
  EXPECT_EQ(pack.w, 0x00080007u);
  const auto back = unpack<std::uint16_t>(pack);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(back.at[i], i + 1);
}

TEST(Reduce, AddsInRankOrder) {
  // 2^24 swallows each single 1; two ones first would not be swallowed.
  EXPECT_EQ((sum_of<float, float, 3>({0x1p24f, 1.0f, 1.0f})), 0x1p24f);
  EXPECT_EQ((sum_of<float, float, 3>({1.0f, 1.0f, 0x1p24f})), 0x1p24f + 2.0f);
}

TEST(Reduce, RoundsSixteenBitSumsOnce) {
  const bf16 one = to_bf16(1.0f);
  const bf16 half_ulp = to_bf16(0x1p-8f);
  // Rounding after every addition would give 1 three times over.
  EXPECT_EQ((sum_of<bf16, float, 3>({one, half_ulp, half_ulp})).bits, to_bf16(1.0f + 0x1p-7f).bits);
  const fp16 h_one = to_fp16(1.0f);
  const fp16 h_half_ulp = to_fp16(0x1p-11f);
  EXPECT_EQ((sum_of<fp16, float, 3>({h_one, h_half_ulp, h_half_ulp})).bits,
            to_fp16(1.0f + 0x1p-10f).bits);
}

TEST(Reduce, WrapsIntegers) {
  constexpr auto kMax = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ((sum_of<std::int32_t, std::int32_t, 4>({kMax, 1, kMax, 1})), 0);
}

TEST(Reduce, KeepsTheFirstRanksNanAndMakesItQuiet) {
  const auto nan = [](std::uint32_t bits) { return bits_as<float>(bits); };
  const float sum = sum_of<float, float, 4>({1.0f, nan(0xff800123u), nan(0x7fc00456u), 2.0f});
  EXPECT_EQ(bits_as<std::uint32_t>(sum), 0xffc00123u);
  EXPECT_EQ((sum_of<fp16, float, 2>({fp16{0x3c00}, fp16{0xfc05}})).bits, 0xfe05);
  EXPECT_EQ((sum_of<bf16, float, 3>({bf16{0x7f83}, bf16{0xffc1}, bf16{0x7fc7}})).bits, 0x7fc3);
}

TEST(Reduce, GivesOpposedInfinitiesTheDefaultNan) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(bits_as<std::uint32_t>(sum_of<float, float, 2>({kInf, -kInf})), 0x7fc00000u);
  EXPECT_EQ((sum_of<bf16, float, 2>({bf16{0x7f80}, bf16{0xff80}})).bits, 0x7fc0);
  EXPECT_EQ((sum_of<fp16, float, 2>({fp16{0xfc00}, fp16{0x7c00}})).bits, 0x7e00);
}

TEST(Reduce, TouchesOnlyTheElementThatIsNan) {
  uint4 packs[2] = {filled_with(1.0f), filled_with(2.0f)};
  auto elements = unpack<float>(packs[1]);
  elements.at[2] = bits_as<float>(std::uint32_t{0x7fc00009u});
  packs[1] = pack_of(elements);
  const auto sum = unpack<float>(sum_in_rank_order<float, float>(packs));
  EXPECT_EQ(sum.at[0], 3.0f);
  EXPECT_EQ(sum.at[1], 3.0f);
  EXPECT_EQ(bits_as<std::uint32_t>(sum.at[2]), 0x7fc00009u);
  EXPECT_EQ(sum.at[3], 3.0f);
}

TEST(Reduce, KeepsNegativeZeroOnlyIfAllRanksHaveIt) {
  EXPECT_EQ(bits_as<std::uint32_t>(sum_of<float, float, 2>({-0.0f, -0.0f})), 0x80000000u);
  EXPECT_EQ(bits_as<std::uint32_t>(sum_of<float, float, 2>({-0.0f, 0.0f})), 0u);
}

TEST(Reduce, RoundsAtEveryAdditionInAnAccumulatorOfTheElementType) {
  const bf16 one = to_bf16(1.0f);
  const bf16 half_ulp = to_bf16(0x1p-8f);
  // Each half is rounded away to the even neighbour; in float the two together would count.
  EXPECT_EQ((sum_of<bf16, bf16, 3>({one, half_ulp, half_ulp}).bits), one.bits);
  EXPECT_EQ((sum_of<bf16, float, 3>({one, half_ulp, half_ulp}).bits), to_bf16(1 + 0x1p-7f).bits);
}

TEST(Reduce, GivesAnElementAloneTheBitsItHasInAPack) {
  const float nan = bits_as<float>(0xffa00001u);
  const float infinity = std::numeric_limits<float>::infinity();
  for (const std::array<float, 3>& values : {std::array{0x1p24f, 1.0f, 1.0f},
                                             {1.0f, nan, 2.0f},
                                             {infinity, -infinity, 0.0f},
                                             {-0.0f, -0.0f, -0.0f}}) {
    const float alone[3] = {values[0], values[1], values[2]};
    EXPECT_EQ(bits_as<std::uint32_t>((sum_element<float, float>(alone))),
              bits_as<std::uint32_t>((sum_of<float, float, 3>(values))));
  }
}

}  // namespace
}  // namespace rankle::kernels
