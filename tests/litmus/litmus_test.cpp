// Holds the detector to the litmus table: racy cases are reported with the right kind and lines and
// nothing else, clean ones are silent, and the document shows the table as it is.
//
// RANKLE_LITMUS_RUNS=N runs every case N times (default: clean ones 40, racy ones 20). A racy case
// has to be found in the first 20 runs; all of them must report nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/litmus/player.h"

namespace rankle::sim::litmus {
namespace {

// A racy case has to be found within so many runs.
constexpr int kRacyRuns = 20;
constexpr int kCleanRuns = 40;

std::vector<Litmus> those(bool racy) {
  std::vector<Litmus> chosen;
  std::ranges::copy_if(litmus_table(), std::back_inserter(chosen),
                       [racy](const Litmus& litmus) { return litmus.is_racy() == racy; });
  return chosen;
}

std::string name_of(const ::testing::TestParamInfo<Litmus>& info) { return info.param.name; }

class RacyLitmus : public ::testing::TestWithParam<Litmus> {};
class CleanLitmus : public ::testing::TestWithParam<Litmus> {};

TEST_P(RacyLitmus, IsFoundWithTheRightKindAndLinesOnly) {
  const Litmus& litmus = GetParam();
  const std::set<Found> expected = expected_of(litmus);
  std::set<Found> found;
  const int runs = std::max(kRacyRuns, runs_or(kRacyRuns));
  for (int run = 0; run < runs; ++run) {
    const Outcome outcome = play(litmus, portfolio(run));
    for (const Found& one : outcome.found) {
      ASSERT_TRUE(expected.contains(one)) << "run " << run << ": " << one << "\n" << outcome.text;
    }
    ASSERT_TRUE(outcome.names_flags) << "run " << run << "\n" << outcome.text;
    if (run >= kRacyRuns) continue;
    found.insert(outcome.found.begin(), outcome.found.end());
    if (run > 0) continue;
    EXPECT_EQ(outcome.found.empty(), !litmus.needs_order.empty())
        << "run-to-block; the table says: '" << litmus.needs_order << "'";
  }
  EXPECT_THAT(found, ::testing::ContainerEq(expected));
}

TEST_P(CleanLitmus, IsSilentAndEndsWithTheRightValues) {
  const Litmus& litmus = GetParam();
  const int runs = runs_or(kCleanRuns);
  for (int run = 0; run < runs; ++run) {
    const Outcome outcome = play(litmus, portfolio(run));
    ASSERT_EQ(outcome.text, "") << "run " << run;
    ASSERT_THAT(outcome.unexpected, ::testing::IsEmpty()) << "run " << run;
  }
}

INSTANTIATE_TEST_SUITE_P(All, RacyLitmus, ::testing::ValuesIn(those(true)), name_of);
INSTANTIATE_TEST_SUITE_P(All, CleanLitmus, ::testing::ValuesIn(those(false)), name_of);

TEST(LitmusTable, NamesAreUniqueAndSayTheExpectation) {
  std::set<std::string> names;
  for (const Litmus& litmus : litmus_table()) {
    EXPECT_TRUE(names.insert(litmus.name).second) << litmus.name;
    EXPECT_EQ(litmus.name.rfind(litmus.is_racy() ? "race_" : "clean_", 0), 0U) << litmus.name;
    EXPECT_FALSE(litmus.sentence.empty()) << litmus.name;
    EXPECT_TRUE(litmus.is_racy() || litmus.needs_order.empty()) << litmus.name;
  }
  EXPECT_GE(those(true).size(), 32U);
  EXPECT_GE(those(false).size(), 32U);
}

TEST(LitmusTable, CoversEveryKindAtEveryLevelWhereItCanBe) {
  std::set<std::pair<Level, ReportKind>> seen;
  std::set<Level> clean;
  for (const Litmus& litmus : litmus_table()) {
    for (const Finding& finding : litmus.findings) seen.emplace(litmus.level, finding.kind);
    if (!litmus.is_racy()) clean.insert(litmus.level);
  }
  EXPECT_TRUE(seen.contains({Level::wave, ReportKind::wave_synchronous}));
  for (const Level level : {Level::block, Level::device, Level::system}) {
    for (const ReportKind kind :
         {ReportKind::data_race, ReportKind::scope_race, ReportKind::relaxed_handoff}) {
      EXPECT_TRUE(seen.contains({level, kind})) << static_cast<int>(level);
    }
  }
  EXPECT_EQ(clean.size(), 4U);
}

}  // namespace
}  // namespace rankle::sim::litmus
