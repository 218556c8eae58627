// The loop on scripted executors: who runs which case, what is told once, how it ends.
#include "campaign/fuzz_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "campaign/finding_store.h"
#include "harness/interrupted.h"
#include "tests/campaign/campaign_fixture.h"

namespace rankle {
namespace {

using test::KeepingListener;
using test::scripted_plan;
using test::ScriptedExecutor;

class Loop : public test::FolderTest {
 protected:
  FuzzSummary run(
      const FuzzPlan& plan,
      ScriptedExecutor::Bug bug = [](const Case&) { return std::vector<Finding>{}; }) {
    FolderStore store(folder_ / "out");
    const auto make = [bug](int) { return std::make_unique<ScriptedExecutor>(bug); };
    return FuzzLoop(plan, make, store, listener_).run();
  }

  std::multiset<std::uint64_t> seeds() const {
    std::multiset<std::uint64_t> all;
    for (const Case& c : listener_.cases) all.insert(c.seed);
    return all;
  }

  KeepingListener listener_;
};

TEST_F(Loop, ManyJobsRunTheCasesThatOneJobRuns) {
  EXPECT_EQ(run(scripted_plan(1, 200)).progress.cases, 200u);
  const std::multiset<std::uint64_t> alone = seeds();
  listener_.cases.clear();
  EXPECT_EQ(run(scripted_plan(4, 200)).progress.cases, 200u);
  EXPECT_EQ(seeds(), alone);
}

TEST_F(Loop, GoesOnInTheMiddleOfALane) {
  run(scripted_plan(1, 60));
  const std::multiset<std::uint64_t> all = seeds();
  listener_.cases.clear();
  FuzzPlan first = scripted_plan(2, 30);
  std::atomic<std::uint64_t> next[2];
  first.at = [&](int job, std::uint64_t index) { next[job] = index; };
  run(first);
  FuzzPlan second = scripted_plan(2, 60);
  second.lanes = {{next[0], 2}, {next[1], 2}};
  run(second);
  EXPECT_EQ(seeds(), all);
}

TEST_F(Loop, TellsOneSignatureOnceWhoeverFindsIt) {
  const FuzzSummary summary = run(scripted_plan(4, 400), test::tail_bug);
  EXPECT_EQ(summary.progress.findings, 1u);
  EXPECT_EQ(listener_.all_found.size(), 1u);
  EXPECT_GT(summary.progress.duplicates, 0u);
  EXPECT_EQ(names_in(folder_ / "out").size(), 1u);
}

TEST_F(Loop, KnowsWhatWasKnownBefore) {
  FuzzPlan plan = scripted_plan(2, 200);
  plan.known = {test::scripted_signature()};
  const FuzzSummary summary = run(plan, test::tail_bug);
  EXPECT_EQ(summary.progress.findings, 0u);
  EXPECT_GT(summary.progress.duplicates, 0u);
}

TEST_F(Loop, RunsTheCorpusOnceAndFirst) {
  FuzzPlan plan = scripted_plan(2, 20);
  for (std::uint64_t i = 0; i < 10; ++i) {
    plan.corpus.push_back(test::large_case());
    plan.corpus.back().seed = 1000000 + i;
  }
  EXPECT_EQ(run(plan).progress.cases, 30u);
  EXPECT_EQ(std::count_if(listener_.cases.begin(), listener_.cases.end(),
                          [](const Case& c) { return c.seed >= 1000000 && c.seed < 1000010; }),
            10);
}

TEST_F(Loop, MarksAFindingOfTheCorpus) {
  FuzzPlan plan = scripted_plan(1, 1);
  plan.corpus = {test::large_case()};
  run(plan, test::tail_bug);
  ASSERT_EQ(listener_.all_found.size(), 1u);
  EXPECT_TRUE(listener_.all_found[0].from_corpus);
}

TEST_F(Loop, OtherJobsGoOnWhileOneMinimises) {
  std::atomic<int> others_during = 0;
  std::atomic<bool> is_minimising = false;
  std::atomic<bool> has_failed = false;
  const auto bug = [&](const Case& c) -> std::vector<Finding> {
    static thread_local bool is_finder = false;
    if (is_finder && is_minimising) {
      const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
      while (others_during < 5 && std::chrono::steady_clock::now() < until) {
        std::this_thread::yield();
      }
      return test::tail_bug(c);
    }
    if (is_minimising) ++others_during;
    const auto findings = test::tail_bug(c);
    if (!findings.empty() && !has_failed.exchange(true)) {
      is_finder = true;
      is_minimising = true;
      return findings;
    }
    return {};
  };
  run(scripted_plan(2, 4000), bug);
  EXPECT_GE(others_during, 5);
}

TEST_F(Loop, StopsEveryJobAtTheFirstFindingIfToldTo) {
  FuzzPlan plan = scripted_plan(4, 0);
  plan.findings_max = 1;
  const FuzzSummary summary = run(plan, test::tail_bug);
  EXPECT_EQ(summary.end, FuzzEnd::findings_reached);
  EXPECT_EQ(summary.progress.findings, 1u);
}

class Interrupting : public ScriptedExecutor {
 public:
  using ScriptedExecutor::ScriptedExecutor;
  Verdict run(const Case& c, const RunOptions& options) override {
    if (++count > 5) throw Interrupted();
    return ScriptedExecutor::run(c, options);
  }
  int count = 0;
};

TEST_F(Loop, EndsWhereAnExecutorIsInterrupted) {
  FolderStore store(folder_ / "out");
  Interrupting executor([](const Case&) { return std::vector<Finding>{}; });
  const FuzzPlan plan = scripted_plan(1, 0);
  const FuzzSummary summary = FuzzLoop(plan, executor, store, listener_).run();
  EXPECT_EQ(summary.end, FuzzEnd::interrupted);
  EXPECT_EQ(summary.progress.cases, 5u);
}

TEST_F(Loop, KeepsTheFindingWhereMinimisingIsInterrupted) {
  FolderStore store(folder_ / "out");
  Interrupting executor(test::tail_bug);
  executor.count = -1000000;
  FuzzPlan plan = scripted_plan(1, 0);
  bool stop = false;
  plan.interrupted = [&] { return stop; };
  executor = Interrupting([&](const Case& c) {
    const auto findings = test::tail_bug(c);
    if (!findings.empty()) executor.count = 100;  // the next run is interrupted
    return findings;
  });
  executor.count = -1000000;
  const FuzzSummary summary = FuzzLoop(plan, executor, store, listener_).run();
  EXPECT_EQ(summary.end, FuzzEnd::interrupted);
  ASSERT_EQ(listener_.all_found.size(), 1u);
  ASSERT_TRUE(listener_.all_found[0].repro.minimised);
  EXPECT_EQ(listener_.all_found[0].repro.minimised->end, "stopped");
  EXPECT_NO_THROW(read_repro(listener_.all_found[0].file));
}

class Failing : public ScriptedExecutor {
 public:
  explicit Failing(int failures) : ScriptedExecutor(test::tail_bug), failures_(failures) {}
  Verdict run(const Case& c, const RunOptions& options) override {
    if (failures_-- > 0) {
      Verdict verdict;
      verdict.outcome = Outcome::environment_error;
      verdict.error = "no worker";
      return verdict;
    }
    return ScriptedExecutor::run(c, options);
  }

 private:
  int failures_;
};

TEST_F(Loop, TriesAStartAgainOnlyWhereToldTo) {
  FolderStore store(folder_ / "out");
  FuzzPlan plan = scripted_plan(1, 50);
  plan.contracts = {test::clean_contract()};
  Failing once(1);
  EXPECT_THROW(FuzzLoop(plan, once, store, listener_).run(), EnvironmentError);
  plan.tries_of_start = 3;
  Failing twice(2);
  const FuzzSummary summary = FuzzLoop(plan, twice, store, listener_).run();
  EXPECT_EQ(summary.progress.retries, 2u);
  EXPECT_EQ(summary.progress.passed, 50u);
  EXPECT_EQ(summary.progress.errors, 0u);
}

TEST_F(Loop, EndsAllJobsWhenOneCannotGoOn) {
  FolderStore store(folder_ / "out");
  const FuzzPlan plan = scripted_plan(3, 0);
  const auto make = [](int job) -> std::unique_ptr<Executor> {
    if (job == 1) throw EnvironmentError("no worker for job 1");
    return std::make_unique<ScriptedExecutor>([](const Case&) { return std::vector<Finding>{}; });
  };
  EXPECT_THROW(FuzzLoop(plan, make, store, listener_).run(), EnvironmentError);
}

}  // namespace
}  // namespace rankle
