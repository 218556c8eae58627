// The canary: what is said when it is found, missed, or not there.
#include "campaign/canary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/repro/scripted_executor.h"

namespace rankle {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class CanaryExecutor : public test::ScriptedExecutor {
 public:
  explicit CanaryExecutor(Bug bug) : ScriptedExecutor(std::move(bug)) {}

  std::vector<Contract> contracts() override {
    std::vector<Contract> all;
    for (const std::string& target : targets) {
      all.push_back(test::scripted_contract());
      all.back().target = target;
    }
    return all;
  }
  std::set<FindingKind> detectors() override { return kinds; }

  std::vector<std::string> targets = {canaries()[0].failing.target, canaries()[1].failing.target};
  std::set<FindingKind> kinds = {FindingKind::barrier_divergence, FindingKind::wrong_result};
};

Finding finding_of(FindingKind kind) {
  Finding finding = test::scripted_finding();
  finding.kind = kind;
  return finding;
}

TEST(Canary, IsFoundWhereItsKindIsReported) {
  CanaryExecutor executor(
      [](const Case&) { return std::vector{finding_of(FindingKind::barrier_divergence)}; });
  const CanaryResult result = run_canary(executor);
  EXPECT_EQ(result.state, CanaryState::found);
  EXPECT_EQ(result.target, "allreduce/two_stage_uniform@divergent_barrier");
  ASSERT_EQ(executor.ran.size(), 1u);
}

TEST(Canary, IsMissedWhereTheRunPasses) {
  CanaryExecutor executor([](const Case&) { return std::vector<Finding>{}; });
  const CanaryResult result = run_canary(executor);
  EXPECT_EQ(result.state, CanaryState::missed);
  EXPECT_THAT(result.message, HasSubstr("the harness is blind"));
  EXPECT_THAT(result.message, HasSubstr("the run passed"));
}

TEST(Canary, IsMissedWhereSomethingElseIsReported) {
  CanaryExecutor executor([](const Case&) { return std::vector{finding_of(FindingKind::crash)}; });
  const CanaryResult result = run_canary(executor);
  EXPECT_EQ(result.state, CanaryState::missed);
  EXPECT_THAT(result.message, HasSubstr("it reported crash instead"));
}

TEST(Canary, NeedsOnlyTheOracleWhereThereIsNoDetectorOfBarriers) {
  CanaryExecutor executor(
      [](const Case&) { return std::vector{finding_of(FindingKind::wrong_result)}; });
  executor.kinds = {FindingKind::wrong_result};
  const CanaryResult result = run_canary(executor);
  EXPECT_EQ(result.state, CanaryState::found);
  EXPECT_EQ(result.target, "allreduce/two_stage_tail@tail_drop");
}

TEST(Canary, IsAbsentWhereNoPlantedBugIsLoaded) {
  CanaryExecutor executor([](const Case&) { return std::vector<Finding>{}; });
  executor.targets = {"allreduce/clean"};
  const CanaryResult result = run_canary(executor);
  EXPECT_EQ(result.state, CanaryState::absent);
  EXPECT_THAT(result.message, HasSubstr("@divergent_barrier"));
  EXPECT_THAT(executor.ran, IsEmpty());
}

TEST(Canary, ExecutorThatCannotRunIsTheEnvironmentsFault) {
  class Broken : public CanaryExecutor {
   public:
    using CanaryExecutor::CanaryExecutor;
    Verdict run(const Case&, const RunOptions&) override {
      Verdict verdict;
      verdict.outcome = Outcome::environment_error;
      verdict.error = "no worker";
      return verdict;
    }
  };
  Broken executor([](const Case&) { return std::vector<Finding>{}; });
  EXPECT_THROW(run_canary(executor), EnvironmentError);
}

}  // namespace
}  // namespace rankle
