// Planted wrong outputs of every sub-kind must be named, and noise must not be explained away.
#include "harness/runner/forensics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "harness/runner/poison.h"
#include "harness/runner/wire_format.h"

namespace rankle {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class Forensics : public testing::TestWithParam<DType> {
 protected:
  static constexpr std::int64_t kCount = 3000;
  static constexpr int kWorld = 4;
  static constexpr int kRound = 5;

  Forensics() : spec_{GetParam(), Accum::fp32, kWorld, Inputs::exact_integers, 17} {
    expected_ = sums(all_of_round(kWorld, kRound));
    actual_ = expected_;
  }

  std::size_t size() const { return size_of(spec_.dtype); }

  std::vector<std::byte> sums(const Contributions& contributions) const {
    std::vector<std::byte> bytes(std::size_t(kCount) * size());
    oracle_for("allreduce")->expected(spec_, 1, contributions, 0, bytes);
    return bytes;
  }

  // Replaces elements [first, last) by those of `other`, displaced.
  void plant(std::int64_t first, std::int64_t last, const std::vector<std::byte>& other,
             std::int64_t displacement = 0) {
    std::memcpy(actual_.data() + std::size_t(first) * size(),
                other.data() + std::size_t(first + displacement) * size(),
                std::size_t(last - first) * size());
  }

  std::vector<std::byte> poison(Poison kind) const {
    std::vector<std::byte> bytes(expected_.size());
    fill_poison(spec_.dtype, kind, bytes);
    return bytes;
  }

  Diagnosis diagnosis() const {
    return diagnose({oracle_for("allreduce"), spec_, 1, kRound, {4, 3, 0}, actual_, expected_});
  }

  PayloadSpec spec_;
  std::vector<std::byte> expected_;
  std::vector<std::byte> actual_;
};

TEST_P(Forensics, PoisonLeft) {
  plant(2900, 2908, poison(Poison::output));
  EXPECT_EQ(diagnosis().subkind, "poison-left");
  EXPECT_THAT(diagnosis().sentence,
              HasSubstr("output element 2900 of rank 1 was not written in round 5"));
}

TEST_P(Forensics, ScratchPoison) {
  plant(0, 3000, poison(Poison::scratch));
  EXPECT_EQ(diagnosis().subkind, "scratch-poison");
}

TEST_P(Forensics, StaleRoundIsNamed) {
  plant(100, 164, sums(all_of_round(kWorld, 4)));
  EXPECT_EQ(diagnosis().subkind, "stale-round");
  EXPECT_THAT(diagnosis().sentence, HasSubstr("holds round 4's value in round 5"));
  actual_ = expected_;
  plant(0, 3000, sums(all_of_round(kWorld, 0)));
  EXPECT_THAT(diagnosis().sentence, HasSubstr("holds round 0's value in round 5"));
}

TEST_P(Forensics, MissingRankIsNamed) {
  Contributions c = all_of_round(kWorld, kRound);
  c.weight[3] = 0;
  plant(2001, 2017, sums(c));
  EXPECT_EQ(diagnosis().subkind, "missing-rank");
  EXPECT_THAT(diagnosis().sentence, testing::MatchesRegex("output element 20.. of rank 1 lacks "
                                                          "rank 3"));
  c.weight[0] = 0;
  plant(2001, 2017, sums(c));
  EXPECT_EQ(diagnosis().subkind, "missing-rank");
  EXPECT_THAT(diagnosis().sentence, HasSubstr("lacks ranks 0, 3"));
}

TEST_P(Forensics, DoubledRankIsNamed) {
  Contributions c = all_of_round(kWorld, kRound);
  c.weight[2] = 2;
  plant(500, 564, sums(c));
  EXPECT_EQ(diagnosis().subkind, "doubled-rank");
  EXPECT_THAT(diagnosis().sentence, HasSubstr("counts rank 2 twice"));
}

TEST_P(Forensics, StaleContributionIsNamed) {
  Contributions c = all_of_round(kWorld, kRound);
  c.round[2] = 3;
  plant(500, 564, sums(c));
  EXPECT_EQ(diagnosis().subkind, "stale-contribution");
  EXPECT_THAT(diagnosis().sentence, HasSubstr("has rank 2's contribution of round 3 in round 5"));
}

TEST_P(Forensics, UnreducedInputIsTheNeighboursData) {
  Contributions c = all_of_round(kWorld, kRound);
  c.weight = {0, 0, 1, 0};
  plant(500, 564, sums(c));
  EXPECT_EQ(diagnosis().subkind, "neighbours-data");
  EXPECT_THAT(diagnosis().sentence, HasSubstr("holds rank 2's input alone"));
}

TEST_P(Forensics, DisplacementIsMeasured) {
  plant(640, 704, expected_, 64);
  EXPECT_EQ(diagnosis().subkind, "misplaced");
  EXPECT_THAT(diagnosis().sentence, HasSubstr("64 places later"));
  actual_ = expected_;
  plant(1000, 1500, expected_, -1);
  EXPECT_EQ(diagnosis().subkind, "misplaced");
  EXPECT_THAT(diagnosis().sentence, HasSubstr("1 places earlier"));
}

TEST_P(Forensics, PoisonThatWentThroughASum) {
  with_wire(spec_.dtype, [&](auto wire) {
    using Bits = typename decltype(wire)::Bits;
    Contributions c = all_of_round(kWorld, kRound);
    c.weight[1] = 0;
    const auto rest = sums(c);
    for (std::int64_t i = 64; i < 128; ++i) {
      auto bits = Bits(Bits(bits_at(spec_.dtype, rest, i)) +
                       Bits(poison_bits(spec_.dtype, Poison::scratch)));
      if constexpr (decltype(wire)::is_float) bits = Bits(wire.infinity | wire.quiet_bit);
      std::memcpy(actual_.data() + std::size_t(i) * size(), &bits, sizeof bits);
    }
  });
  EXPECT_EQ(diagnosis().subkind, "poison-summed");
}

TEST_P(Forensics, TwoCausesAreAMixtureWithBothNamed) {
  plant(100, 164, sums(all_of_round(kWorld, 4)));
  plant(1000, 1100, poison(Poison::output));
  const Diagnosis d = diagnosis();
  EXPECT_EQ(d.subkind, "mixture");
  ASSERT_THAT(d.details, SizeIs(2));
  EXPECT_THAT(d.details[0], HasSubstr("poison left"));
  EXPECT_THAT(d.details[1], HasSubstr("round 4's value"));
}

TEST_P(Forensics, NoiseStaysUnexplained) {
  std::mt19937_64 random(7);
  for (std::int64_t count : {1, 8, 300}) {
    actual_ = expected_;
    for (std::int64_t i = 0; i < count; ++i) {
      with_wire(spec_.dtype, [&](auto wire) {
        using W = decltype(wire);
        // Noise of the same distribution as right values: the hardest to tell from them.
        const std::int64_t limit = exact_limit(spec_.dtype, spec_.accum, kWorld) * 2;
        const auto bits = W::encode(std::int64_t(random() % std::uint64_t(2 * limit + 1)) - limit);
        std::memcpy(actual_.data() + std::size_t(7 * i) * size(), &bits, sizeof bits);
      });
    }
    if (compare(spec_.dtype, actual_, expected_).count == 0) continue;
    EXPECT_EQ(diagnosis().subkind, "unexplained") << count;
  }
}

TEST_P(Forensics, AFewStrayElementsDoNotHideTheCause) {
  plant(100, 300, sums(all_of_round(kWorld, 4)));
  plant(2000, 2003, poison(Poison::scratch));
  EXPECT_EQ(diagnosis().subkind, "stale-round");
}

INSTANTIATE_TEST_SUITE_P(All, Forensics, testing::ValuesIn(all_dtypes()),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

// One element of bf16 agrees with one of a dozen hypotheses by chance too often to be sure.
TEST(ForensicsRule, OneNarrowElementIsOnlyACandidate) {
  const PayloadSpec spec{DType::bf16, Accum::fp32, 8, Inputs::exact_integers, 3};
  std::vector<std::byte> expected(2000);
  oracle_for("allreduce")->expected(spec, 0, all_of_round(8, 0), 0, expected);
  Contributions c = all_of_round(8, 0);
  c.weight[3] = 0;
  std::vector<std::byte> lacking(2000);
  oracle_for("allreduce")->expected(spec, 0, c, 0, lacking);
  std::vector<std::byte> actual = expected;
  std::int64_t at = 0;
  while (exact_value(spec, 3, 0, at) == 0) ++at;
  std::memcpy(actual.data() + 2 * at, lacking.data() + 2 * at, 2);
  const Diagnosis d = diagnose({oracle_for("allreduce"), spec, 0, 0, {}, actual, expected});
  EXPECT_EQ(d.subkind, "unexplained");
  EXPECT_THAT(d.details, testing::Contains(HasSubstr("lacks rank 3")));
}

// The same element in fp32 is beyond chance.
TEST(ForensicsRule, OneWideElementIsEnough) {
  const PayloadSpec spec{DType::fp32, Accum::fp32, 8, Inputs::exact_integers, 3};
  std::vector<std::byte> expected(4000);
  oracle_for("allreduce")->expected(spec, 0, all_of_round(8, 0), 0, expected);
  std::vector<std::byte> actual = expected;
  Contributions c = all_of_round(8, 0);
  c.weight[3] = 0;
  oracle_for("allreduce")->expected(spec, 0, c, 77, std::span(actual).subspan(77 * 4, 4));
  const Diagnosis d = diagnose({oracle_for("allreduce"), spec, 1, 0, {}, actual, expected});
  EXPECT_EQ(d.subkind, "missing-rank");
  EXPECT_EQ(d.sentence, "output element 77 of rank 1 lacks rank 3");
}

}  // namespace
}  // namespace rankle
