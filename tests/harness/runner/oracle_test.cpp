// Expected outputs and the comparison that every byte goes through.
#include "harness/runner/oracle.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <vector>

#include "harness/runner/wire_format.h"

namespace rankle {
namespace {

const FamilyOracle& allreduce() { return *oracle_for("allreduce"); }

std::vector<std::byte> expected(const PayloadSpec& spec, const Contributions& contributions,
                                std::int64_t first, std::int64_t count) {
  std::vector<std::byte> bytes(std::size_t(count) * size_of(spec.dtype));
  allreduce().expected(spec, 0, contributions, first, bytes);
  return bytes;
}

TEST(Oracle, KnowsItsFamiliesOnly) {
  ASSERT_NE(oracle_for("allreduce"), nullptr);
  EXPECT_TRUE(allreduce().same_on_all_ranks);
  EXPECT_EQ(oracle_for("allgather"), nullptr);
}

TEST(Oracle, SumsAllRanksAcrossChunkBorders) {
  for (DType dtype : all_dtypes()) {
    const PayloadSpec spec{dtype, Accum::fp32, 5, Inputs::exact_integers, 42};
    const auto sums = expected(spec, all_of_round(5, 2), 10, 2500);
    for (std::int64_t i : {0, 1, 1023, 1024, 1025, 2047, 2048, 2499}) {
      std::int64_t total = 0;
      for (int rank = 0; rank < 5; ++rank) total += exact_value(spec, rank, 2, 10 + i);
      with_wire(dtype, [&](auto wire) {
        EXPECT_EQ(bits_at(dtype, sums, i), decltype(wire)::encode(total)) << name_of(dtype) << i;
      });
    }
  }
}

TEST(Oracle, HonoursWeightsAndRoundsOfContributions) {
  const PayloadSpec spec{DType::fp32, Accum::fp32, 3, Inputs::exact_integers, 42};
  const Contributions odd{{0, 2, 1}, {4, 4, 1}};
  const auto sums = expected(spec, odd, 0, 100);
  for (std::int64_t i = 0; i < 100; ++i) {
    const auto value = float(2 * exact_value(spec, 1, 4, i) + exact_value(spec, 2, 1, i));
    EXPECT_EQ(bits_at(spec.dtype, sums, i), std::bit_cast<std::uint32_t>(value));
  }
}

TEST(Oracle, ZeroCountExpectsNothing) {
  const PayloadSpec spec{DType::fp32, Accum::fp32, 2, Inputs::exact_integers, 42};
  EXPECT_TRUE(expected(spec, all_of_round(2, 0), 0, 0).empty());
  EXPECT_EQ(compare(DType::fp32, {}, {}).count, 0);
}

std::vector<std::byte> floats(std::vector<float> values) {
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TEST(Compare, CountsLocatesAndMeasuresMismatches) {
  const float nan = std::bit_cast<float>(0x7fc00000u);
  const float infinite = std::bit_cast<float>(0x7f800000u);
  const auto wanted = floats({1, 2, 3, 4, 5, 6});
  const Mismatch m = compare(DType::fp32, floats({1, 2.5, nan, 4, -3, infinite}), wanted);
  EXPECT_EQ(m.count, 4);
  EXPECT_EQ(m.first, 1);
  EXPECT_EQ(m.largest_absolute_error, 8);
  EXPECT_EQ(m.non_finite, 2);
  EXPECT_EQ(compare(DType::fp32, wanted, wanted).first, -1);
}

TEST(Compare, IsBitwise) {
  EXPECT_EQ(compare(DType::fp32, floats({-0.0f}), floats({0.0f})).count, 1);
  const float nan = std::bit_cast<float>(0x7fc01234u);
  EXPECT_EQ(compare(DType::fp32, floats({nan}), floats({nan})).count, 0);
}

}  // namespace
}  // namespace rankle
