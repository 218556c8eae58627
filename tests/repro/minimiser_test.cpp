// The minimiser's promises: same signature, never larger, minimal, deterministic, idempotent,
// bounded, nothing twice. The bugs are predicates on the case.
#include "repro/minimiser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <algorithm>

#include "generators/case_json.h"
#include "generators/generate.h"
#include "generators/shrink.h"
#include "tests/repro/scripted_executor.h"

namespace rankle {
namespace {

using test::large_case;
using test::scripted_contract;
using test::scripted_finding;
using test::scripted_signature;
using test::ScriptedExecutor;
using test::tail_bug;

MinimiseOptions unlimited() {
  MinimiseOptions options;
  options.seconds_max = 1e9;
  options.signatures = {scripted_signature()};
  return options;
}

TEST(Minimiser, FindsTheSmallestCaseOfABugThatNeedsThreeRanksAndATail) {
  ScriptedExecutor executor(tail_bug);
  const Minimised result = minimise(large_case(), scripted_contract(), executor, unlimited());
  EXPECT_EQ(result.end, MinimiseEnd::minimal);
  EXPECT_EQ(result.smallest.world, 3);
  EXPECT_NE(result.smallest.count() % 64, 0);
  EXPECT_LE(result.smallest.count(), 8) << "one pack of any type is at most 8 elements of bf16";
  EXPECT_EQ(result.smallest.geometry.blocks, 1);
  EXPECT_EQ(result.smallest.geometry.threads, 64);
  EXPECT_EQ(result.smallest.program.size(), 3U);
  EXPECT_EQ(result.smallest.schedule.policy, Policy::run_to_block);
  EXPECT_THAT(result.smallest.input_offset, testing::Each(0));
  EXPECT_TRUE(shows(result.verdict, result.smallest, {scripted_signature()}, false));
  EXPECT_GT(result.accepted, 0U);
  EXPECT_LT(result.attempts, 400U);
}

TEST(Minimiser, NeverRunsACaseTwice) {
  ScriptedExecutor executor(tail_bug);
  minimise(large_case(), scripted_contract(), executor, unlimited());
  std::vector<std::string> texts;
  for (const Case& c : executor.ran) texts.push_back(case_to_text(c));
  std::sort(texts.begin(), texts.end());
  EXPECT_EQ(std::adjacent_find(texts.begin(), texts.end()), texts.end());
}

TEST(Minimiser, RefusesASmallerCaseThatFailsInAnotherWay) {
  // Below four ranks the bug is another one, at another line.
  ScriptedExecutor executor([](const Case& c) -> std::vector<Finding> {
    if (c.count() == 0) return {};
    return {scripted_finding(c.world >= 4 ? 71 : 99)};
  });
  const Minimised result = minimise(large_case(), scripted_contract(), executor, unlimited());
  EXPECT_EQ(result.smallest.world, 4);
  EXPECT_EQ(signature_of(result.verdict.findings.at(0), result.smallest.target),
            scripted_signature(71));
}

TEST(Minimiser, TakesThePinnedSignatureOnlyAsTheFirstFindingUnlessGoingOn) {
  ScriptedExecutor executor([](const Case& c) -> std::vector<Finding> {
    if (c.world > 2) return {scripted_finding(71)};
    return {scripted_finding(99), scripted_finding(71)};
  });
  MinimiseOptions options = unlimited();
  EXPECT_EQ(minimise(large_case(), scripted_contract(), executor, options).smallest.world, 3);
  options.run.keep_going = true;
  EXPECT_EQ(minimise(large_case(), scripted_contract(), executor, options).smallest.world, 2);
}

TEST(Minimiser, KeepsEverySignatureThatIsPinned) {
  ScriptedExecutor executor([](const Case& c) -> std::vector<Finding> {
    if (c.geometry.blocks < 4) return {scripted_finding(71)};
    return {scripted_finding(71), scripted_finding(99)};
  });
  MinimiseOptions options = unlimited();
  options.run.keep_going = true;
  options.signatures = {scripted_signature(71), scripted_signature(99)};
  const Minimised result = minimise(large_case(), scripted_contract(), executor, options);
  EXPECT_EQ(result.smallest.geometry.blocks, 4);
}

TEST(Minimiser, SaysSoIfTheInputPasses) {
  ScriptedExecutor executor([](const Case&) { return std::vector<Finding>{}; });
  const Minimised result = minimise(large_case(), scripted_contract(), executor, unlimited());
  EXPECT_EQ(result.end, MinimiseEnd::not_reproduced);
  EXPECT_EQ(result.smallest, large_case());
  EXPECT_EQ(executor.ran.size(), 1U);
}

TEST(Minimiser, StopsAtItsAttempts) {
  ScriptedExecutor executor(tail_bug);
  MinimiseOptions options = unlimited();
  options.attempts_max = 7;
  const Minimised result = minimise(large_case(), scripted_contract(), executor, options);
  EXPECT_EQ(result.end, MinimiseEnd::out_of_attempts);
  EXPECT_EQ(result.attempts, 7U);
  EXPECT_EQ(executor.ran.size(), 7U);
}

TEST(Minimiser, StopsWhenItsTimeIsUp) {
  ScriptedExecutor executor(tail_bug);
  MinimiseOptions options = unlimited();
  options.seconds_max = 5;
  options.clock_s = [&] { return static_cast<double>(executor.ran.size()); };  // a run takes 1 s
  const Minimised result = minimise(large_case(), scripted_contract(), executor, options);
  EXPECT_EQ(result.end, MinimiseEnd::out_of_time);
  EXPECT_EQ(executor.ran.size(), 5U);
}

TEST(Minimiser, KeepsTheBestSoFarWhenStopped) {
  ScriptedExecutor executor(tail_bug);
  MinimiseOptions options = unlimited();
  Case last = large_case();
  int accepted = 0;
  options.accepted = [&](const Case& c, const Verdict& verdict) {
    EXPECT_LT(complexity(c), complexity(last))
        << "each step on disk is smaller than the one before";
    EXPECT_EQ(verdict.outcome, Outcome::finding);
    last = c;
    ++accepted;
  };
  options.stop = [&] { return accepted == 3; };
  const Minimised result = minimise(large_case(), scripted_contract(), executor, options);
  EXPECT_EQ(result.end, MinimiseEnd::stopped);
  EXPECT_EQ(result.accepted, 3U);
  EXPECT_EQ(result.smallest, last);
}

TEST(Minimiser, EndsWhenTheExecutorCannotRunAnyMore) {
  class Broken : public ScriptedExecutor {
   public:
    Broken() : ScriptedExecutor(tail_bug) {}
    Verdict run(const Case& c, const RunOptions& options) override {
      Verdict verdict = ScriptedExecutor::run(c, options);
      if (ran.size() < 5) return verdict;
      verdict.outcome = Outcome::environment_error;
      verdict.error = "no worker";
      return verdict;
    }
  };
  Broken executor;
  const Minimised result = minimise(large_case(), scripted_contract(), executor, unlimited());
  EXPECT_EQ(result.end, MinimiseEnd::environment_error);
  EXPECT_EQ(result.error, "no worker");
  EXPECT_EQ(executor.ran.size(), 5U);
}

TEST(Minimiser, GivesHangsAShortDeadlineAndConfirmsTheResultWithTheFullOne) {
  ScriptedExecutor executor([](const Case& c) -> std::vector<Finding> {
    if (c.count() % 64 == 0) return {};
    Finding hang;
    hang.kind = FindingKind::timeout;
    return {hang};
  });
  Finding hang;
  hang.kind = FindingKind::timeout;
  MinimiseOptions options = unlimited();
  options.seconds_max = 16;
  options.signatures = {signature_of(hang, large_case().target)};
  options.clock_s = [] { return 0.0; };
  const Minimised result = minimise(large_case(), scripted_contract(), executor, options);
  ASSERT_GT(executor.deadlines.size(), 2U);
  EXPECT_EQ(executor.deadlines.front(), 10);
  EXPECT_EQ(executor.deadlines[1], 1);
  EXPECT_EQ(executor.deadlines.back(), 10);
  EXPECT_EQ(executor.ran.back(), result.smallest);
}

// Any drawn case, under bugs of several shapes: the promises hold.
RC_GTEST_PROP(MinimiserProperty, ResultIsNoLargerAlikeDeterministicAndIdempotent, ()) {
  const Contract contract = scripted_contract();
  const Case input = *cases_of({contract}, Draw{});
  const int world_min = *rc::gen::element(2, 3, 4);
  const std::int64_t modulus = *rc::gen::element<std::int64_t>(1, 64, 96);
  const auto bug = [&](const Case& c) -> std::vector<Finding> {
    if (c.world < world_min) return {};
    if (modulus > 1 && c.count() % modulus == 0) return {};
    return {scripted_finding()};
  };
  RC_PRE(!bug(input).empty());
  ScriptedExecutor executor(bug);
  const Minimised first = minimise(input, contract, executor, unlimited());
  RC_ASSERT(first.end == MinimiseEnd::minimal);
  RC_ASSERT(complexity(first.smallest) <= complexity(input));
  RC_ASSERT(shows(first.verdict, first.smallest, {scripted_signature()}, false));
  RC_ASSERT(!validate(first.smallest, contract));
  RC_ASSERT(minimise(input, contract, executor, unlimited()).smallest == first.smallest);
  const Minimised again = minimise(first.smallest, contract, executor, unlimited());
  RC_ASSERT(again.smallest == first.smallest);
  RC_ASSERT(again.accepted == 0U);
}

}  // namespace
}  // namespace rankle
