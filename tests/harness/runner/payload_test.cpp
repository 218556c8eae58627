// Exactness in every order, escape probability as documented, and what the two other classes hold.
#include "harness/runner/payload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <set>
#include <vector>

#include "harness/runner/oracle.h"
#include "harness/runner/poison.h"
#include "harness/runner/wire_format.h"

namespace rankle {
namespace {

std::vector<std::byte> filled(const PayloadSpec& spec, int rank, int round, std::int64_t count,
                              std::int64_t first = 0) {
  std::vector<std::byte> bytes(std::size_t(count) * size_of(spec.dtype));
  fill_input(spec, rank, round, first, bytes);
  return bytes;
}

TEST(Payload, LimitIsTheLargestThatKeepsSumsExact) {
  EXPECT_EQ(exact_limit(DType::bf16, Accum::fp32, 2), 128);
  EXPECT_EQ(exact_limit(DType::bf16, Accum::native, 8), 32);
  EXPECT_EQ(exact_limit(DType::fp16, Accum::fp32, 4), 512);
  EXPECT_EQ(exact_limit(DType::fp32, Accum::native, 3), (1 << 24) / 3);
  EXPECT_EQ(exact_limit(DType::fp64, Accum::native, 2), std::int64_t{1} << 52);
  EXPECT_EQ(exact_limit(DType::fp64, Accum::fp32, 2), 1 << 23);
  EXPECT_EQ(exact_limit(DType::int8, Accum::native, 2), 63);
  EXPECT_EQ(exact_limit(DType::int8, Accum::fp32, 8), 15);
  EXPECT_EQ(exact_limit(DType::int32, Accum::native, 4), ((std::int64_t{1} << 31) - 1) / 4);
  EXPECT_EQ(exact_limit(DType::int32, Accum::fp32, 2), 1 << 23);
  EXPECT_EQ(exact_limit(DType::int64, Accum::native, 8), ((std::int64_t{1} << 60) - 1));
}

// Adds in the element type after every step, in several orders: no order may show.
TEST(Payload, EveryPartialSumIsExactInEveryOrder) {
  for (DType dtype : all_dtypes()) {
    for (int world = 2; world <= 8; ++world) {
      const PayloadSpec spec{dtype, Accum::native, world, Inputs::exact_integers, 99};
      std::vector<int> order(static_cast<std::size_t>(world));
      for (int rank = 0; rank < world; ++rank) order[std::size_t(rank)] = rank;
      for (std::int64_t position = 0; position < 200; ++position) {
        std::int64_t total = 0;
        for (int rank : order) {
          total += exact_value(spec, rank, 3, position);
          with_wire(dtype, [&](auto wire) {
            const auto bits = encode_any(wire, total);
            ASSERT_EQ(bits, decltype(wire)::encode(total));
            if (std::llabs(total) < (std::int64_t{1} << 53)) {
              ASSERT_EQ(decltype(wire)::decode(bits), double(total)) << name_of(dtype);
            }
          });
        }
        std::next_permutation(order.begin(), order.end());
      }
    }
  }
}

TEST(Payload, ValuesReachBothEndsOfTheRange) {
  const PayloadSpec spec{DType::bf16, Accum::fp32, 4, Inputs::exact_integers, 5};
  std::set<std::int64_t> seen;
  for (std::int64_t at = 0; at < 5000; ++at) seen.insert(exact_value(spec, 1, 0, at));
  EXPECT_EQ(*seen.begin(), -64);
  EXPECT_EQ(*seen.rbegin(), 64);
  EXPECT_EQ(seen.size(), 129u);
}

TEST(Payload, BulkFillEqualsSingleValuesFromAnyFirstPosition) {
  for (DType dtype : all_dtypes()) {
    const PayloadSpec spec{dtype, Accum::fp32, 3, Inputs::exact_integers, 1234};
    const auto bytes = filled(spec, 2, 7, 50, 1000);
    for (std::int64_t i = 0; i < 50; ++i) {
      with_wire(dtype, [&](auto wire) {
        EXPECT_EQ(bits_at(dtype, bytes, i),
                  decltype(wire)::encode(exact_value(spec, 2, 7, 1000 + i)));
      });
    }
  }
}

// Elements of one pack come from one hash; they must agree no more often than chance has it, or
// data that lands in a neighbour's place would go unseen.
TEST(Payload, ElementsOfOnePackAgreeNoMoreOftenThanIndependentOnes) {
  for (const DType dtype : {DType::bf16, DType::int8, DType::fp16, DType::fp32}) {
    const PayloadSpec spec{dtype, Accum::fp32, 8, Inputs::exact_integers, 77};
    const int lanes = 16 / int(size_of(dtype));
    const double range = 2 * double(exact_limit(dtype, spec.accum, spec.world)) + 1;
    std::int64_t pairs = 0;
    std::int64_t equal = 0;
    for (std::int64_t pack = 0; pack < 2000; ++pack) {
      for (int i = 0; i < lanes; ++i) {
        for (int j = 0; j < i; ++j) {
          ++pairs;
          equal +=
              exact_value(spec, 3, 1, pack * lanes + i) == exact_value(spec, 3, 1, pack * lanes + j)
                  ? 1
                  : 0;
        }
      }
    }
    const double expected = double(pairs) / range;
    EXPECT_LT(double(equal), expected + 5 * std::sqrt(expected) + 5) << name_of(dtype);
    EXPECT_GT(double(equal), expected - 5 * std::sqrt(expected) - 5) << name_of(dtype);
  }
}

TEST(Payload, RankRoundPositionAndSeedAllChangeTheValues) {
  const PayloadSpec spec{DType::fp32, Accum::fp32, 4, Inputs::exact_integers, 8};
  PayloadSpec other_seed = spec;
  other_seed.seed = 9;
  const auto base = filled(spec, 0, 0, 1000);
  for (const auto& other : {filled(spec, 1, 0, 1000), filled(spec, 0, 1, 1000),
                            filled(spec, 0, 0, 1000, 1), filled(other_seed, 0, 0, 1000)}) {
    EXPECT_GT(compare(spec.dtype, other, base).count, 990);
  }
  EXPECT_EQ(filled(spec, 0, 0, 1000), base);
}

// The measured share of agreeing expected values stands within four standard errors of the claim.
TEST(Payload, MeasuredEscapeMatchesTheDocumentedProbability) {
  constexpr std::int64_t kElements = 1 << 19;
  for (DType dtype : {DType::bf16, DType::fp16, DType::int8}) {
    for (int world = 2; world <= 8; ++world) {
      const PayloadSpec spec{dtype, Accum::fp32, world, Inputs::exact_integers, 77};
      std::vector<std::int64_t> one(kElements, 0);
      std::vector<std::int64_t> two(kElements, 0);
      for (int rank = 0; rank < world; ++rank) {
        add_exact_values(spec, rank, 1, 0, 1, one);
        add_exact_values(spec, rank, 2, 0, 1, two);
      }
      std::int64_t agree = 0;
      for (std::size_t i = 0; i < one.size(); ++i) agree += one[i] == two[i];
      const double claimed = escape_probability(dtype, Accum::fp32, world);
      const double error = std::sqrt(claimed / double(kElements));
      EXPECT_NEAR(double(agree) / double(kElements), claimed, 4 * error)
          << name_of(dtype) << " world " << world;
    }
  }
}

TEST(Payload, EscapeTableInTheHeaderIsRight) {
  const std::array<double, 7> bf16{0.26, 0.32, 0.37, 0.42, 0.46, 0.50, 0.53};
  const std::array<double, 7> int8{0.53, 0.65, 0.76, 0.84, 0.92, 0.99, 1.10};
  const std::array<double, 7> fp16{0.032, 0.040, 0.047, 0.053, 0.058, 0.062, 0.067};
  const std::array<double, 7> fp32{4e-6, 5e-6, 6e-6, 7e-6, 7e-6, 8e-6, 8e-6};
  for (int world = 2; world <= 8; ++world) {
    const auto row = std::size_t(world - 2);
    const auto percent = [&](DType dtype) {
      return 100 * escape_probability(dtype, Accum::fp32, world);
    };
    EXPECT_NEAR(percent(DType::bf16), bf16[row], 0.006) << world;
    EXPECT_NEAR(percent(DType::int8), int8[row], 0.006) << world;
    EXPECT_NEAR(percent(DType::fp16), fp16[row], 0.0006) << world;
    EXPECT_NEAR(percent(DType::fp32), fp32[row], 0.6e-6) << world;
  }
  EXPECT_LT(100 * escape_probability(DType::int32, Accum::native, 8), 1e-7);
}

template <class W>
bool finite_in_every_order(const std::vector<double>& values) {
  double magnitude = 0;
  for (double value : values) magnitude += std::fabs(value);
  return W::is_finite(W::encode_rounded(magnitude));
}

TEST(Payload, RoundingInputsAreFiniteCoverTheExponentsAndNeverOverflow) {
  for (DType dtype : {DType::fp32, DType::fp16, DType::bf16, DType::fp64}) {
    const PayloadSpec spec{dtype, Accum::native, 8, Inputs::rounding, 3};
    std::vector<std::vector<std::byte>> ranks;
    for (int rank = 0; rank < 8; ++rank) ranks.push_back(filled(spec, rank, 0, 20000));
    with_wire(dtype, [&](auto wire) {
      using W = decltype(wire);
      if constexpr (W::is_float) {
        std::set<int> exponents;
        for (std::int64_t i = 0; i < 20000; ++i) {
          std::vector<double> values;
          for (const auto& bytes : ranks) {
            const auto bits = typename W::Bits(bits_at(dtype, bytes, i));
            ASSERT_TRUE(W::is_finite(bits));
            values.push_back(W::decode(bits));
            exponents.insert(std::ilogb(values.back() == 0 ? 1.0 : values.back()));
          }
          // What wider formats make of the sum of magnitudes bounds every partial sum.
          if (sizeof(typename W::Bits) < 8) {
            ASSERT_TRUE(finite_in_every_order<W>(values)) << name_of(dtype) << " " << i;
          }
        }
        EXPECT_GT(int(exponents.size()), (W::exponent_max - 6) * 9 / 10) << name_of(dtype);
      }
    });
  }
}

// Otherwise a wrong order of additions could not show at all.
TEST(Payload, RoundingInputsMakeTheOrderOfAdditionsVisible) {
  const PayloadSpec spec{DType::fp32, Accum::fp32, 4, Inputs::rounding, 11};
  std::vector<std::vector<std::byte>> ranks;
  for (int rank = 0; rank < 4; ++rank) ranks.push_back(filled(spec, rank, 0, 4000));
  int differ = 0;
  for (std::int64_t i = 0; i < 4000; ++i) {
    float up = 0;
    float down = 0;
    for (std::size_t r = 0; r < 4; ++r) {
      up += std::bit_cast<float>(std::uint32_t(bits_at(spec.dtype, ranks[r], i)));
      down += std::bit_cast<float>(std::uint32_t(bits_at(spec.dtype, ranks[3 - r], i)));
    }
    differ += up != down;
  }
  EXPECT_GT(differ, 800);
}

TEST(Payload, SpecialInputsHoldEveryClassAndNeverTwoNansAtOnePosition) {
  using W = Wire<DType::bf16>;
  const PayloadSpec spec{DType::bf16, Accum::fp32, 4, Inputs::special, 21};
  std::vector<std::vector<std::byte>> ranks;
  for (int rank = 0; rank < 4; ++rank) ranks.push_back(filled(spec, rank, 0, 8000));
  std::set<std::uint16_t> payloads;
  int negative_zeros = 0;
  int positive_zeros = 0;
  int subnormals = 0;
  int infinities = 0;
  int all_negative_zero = 0;
  for (std::int64_t i = 0; i < 8000; ++i) {
    int nans = 0;
    int unbounded = 0;
    int minus_zeros = 0;
    for (const auto& bytes : ranks) {
      const auto bits = std::uint16_t(bits_at(spec.dtype, bytes, i));
      const auto magnitude = std::uint16_t(bits & 0x7fff);
      if (W::is_nan(bits)) payloads.insert(bits);
      nans += W::is_nan(bits);
      unbounded += magnitude == W::infinity;
      minus_zeros += bits == 0x8000;
      positive_zeros += bits == 0;
      subnormals += magnitude > 0 && magnitude < 0x80;
    }
    ASSERT_LE(nans, 1) << i;
    ASSERT_FALSE(nans > 0 && unbounded > 0) << i;
    negative_zeros += minus_zeros;
    infinities += unbounded;
    all_negative_zero += minus_zeros == 4;
  }
  EXPECT_GT(payloads.size(), 200u);  // of 254 NaN patterns
  EXPECT_GT(negative_zeros, 1000);
  EXPECT_GT(positive_zeros, 500);
  EXPECT_GT(subnormals, 2000);
  EXPECT_GT(infinities, 500);
  EXPECT_GT(all_negative_zero, 100);
}

TEST(Payload, IntegersUseExactValuesInEveryClass) {
  PayloadSpec spec{DType::int32, Accum::native, 4, Inputs::exact_integers, 21};
  const auto exact = filled(spec, 1, 0, 100);
  spec.inputs = Inputs::special;
  EXPECT_EQ(filled(spec, 1, 0, 100), exact);
}

// About 2 ns an element when alone; the bound leaves room for a busy machine and an unoptimised
// build.
TEST(Payload, FillsSeveralMebibytesInMilliseconds) {
  const PayloadSpec spec{DType::bf16, Accum::fp32, 8, Inputs::exact_integers, 1};
  auto bytes = filled(spec, 0, 0, 4 << 20);
  const auto begin = std::chrono::steady_clock::now();
  fill_input(spec, 1, 0, 0, bytes);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(seconds.count(), 0.25);
  RecordProperty("nanoseconds_per_element", std::to_string(seconds.count() * 1e9 / (4 << 20)));
}

TEST(Poison, IsNeverAnExpectedValueAndTellsItsPlace) {
  for (DType dtype : all_dtypes()) {
    const auto output = poison_bits(dtype, Poison::output);
    const auto scratch = poison_bits(dtype, Poison::scratch);
    const auto input = poison_bits(dtype, Poison::input);
    EXPECT_NE(output, scratch);
    EXPECT_NE(output, input);
    EXPECT_NE(scratch, input);
    with_wire(dtype, [&](auto wire) {
      using W = decltype(wire);
      for (const std::uint64_t bits : {output, scratch, input}) {
        EXPECT_EQ(bits, std::uint64_t(typename W::Bits(bits))) << name_of(dtype);
        if constexpr (W::is_float) {
          EXPECT_TRUE(W::is_nan(typename W::Bits(bits)));
          EXPECT_NE(bits & W::quiet_bit, 0u) << "must survive an addition: " << name_of(dtype);
        } else {
          EXPECT_GT(std::fabs(W::decode(typename W::Bits(bits))),
                    double(exact_limit(dtype, Accum::native, 2)));
        }
      }
    });
  }
}

TEST(Poison, FillRepeatsThePatternAndCutsTheRest) {
  std::vector<std::byte> bytes(27, std::byte{0});
  fill_poison(DType::fp32, Poison::scratch, bytes);
  for (std::int64_t i = 0; i < 6; ++i) {
    EXPECT_EQ(bits_at(DType::fp32, bytes, i), poison_bits(DType::fp32, Poison::scratch));
  }
  EXPECT_EQ(std::memcmp(bytes.data() + 24, bytes.data(), 3), 0);
  fill_poison(DType::fp64, Poison::output, std::span(bytes).first(3));  // shorter than an element
  EXPECT_EQ(std::memcmp(bytes.data() + 4, bytes.data() + 8, 4), 0);
}

}  // namespace
}  // namespace rankle
