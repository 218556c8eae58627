// Real workers that misbehave, several at once: each becomes one finding within its deadline, the
// others go on, and nobody is left behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "campaign/fuzz_loop.h"
#include "tests/campaign/campaign_fixture.h"
#include "tests/harness/worker_fixture.h"

namespace rankle {
namespace {

using testing::UnorderedElementsAre;

class Workers : public test::FolderTest {
 protected:
  FuzzSummary run(const std::set<std::string>& targets, std::uint64_t cases, std::uint64_t jobs,
                  double deadline_s) {
    FuzzPlan plan = test::scripted_plan(jobs, cases);
    plan.contracts.clear();
    WorkerExecutor probe(stub_options());
    for (const Contract& contract : probe.contracts()) {
      if (targets.contains(contract.target)) plan.contracts.push_back(contract);
    }
    plan.run.deadline_s = deadline_s;
    plan.minimise_seconds_max = 0.5;
    plan.interrupted = [this] { return interrupted_.load(); };
    const auto make = [this](int) {
      WorkerOptions options = stub_options();
      options.command.memory_bytes_max = std::uint64_t{256} << 20;
      options.cases_per_worker = 7;
      options.interrupted = [this] { return interrupted_.load(); };
      return std::make_unique<WorkerExecutor>(std::move(options));
    };
    FolderStore store(folder_ / "out");
    return FuzzLoop(plan, make, store, listener_).run();
  }

  std::multiset<std::string> subkinds() const {
    std::multiset<std::string> names;
    for (const Found& found : listener_.all_found) names.insert(found.repro.finding.subkind);
    return names;
  }

  std::atomic<bool> interrupted_ = false;
  test::KeepingListener listener_;
};

TEST_F(Workers, EachKindOfMisbehaviourIsOneFindingAndTheOthersGoOn) {
  const FuzzSummary summary =
      run({"stub/pass", "stub/crash", "stub/garbage", "stub/exit_3", "stub/eat_memory"}, 60, 2, 60);
  EXPECT_EQ(summary.progress.cases, 60u);
  EXPECT_GT(summary.progress.passed, 0u);
  EXPECT_THAT(subkinds(), UnorderedElementsAre("SIGSEGV", "garbage", "exit-3", "memory-limit"));
  EXPECT_TRUE(has_no_children());
}

TEST_F(Workers, SpinningForEverEndsWithinTheDeadline) {
  const Stopwatch watch;
  const FuzzSummary summary = run({"stub/spin", "stub/pass"}, 4, 2, 1);
  EXPECT_EQ(summary.progress.cases, 4u);
  ASSERT_EQ(listener_.all_found.size(), 1u);
  EXPECT_EQ(listener_.all_found[0].repro.finding.kind, FindingKind::timeout);
  EXPECT_LT(watch.seconds(), 60);
  EXPECT_TRUE(has_no_children());
}

TEST_F(Workers, InterruptEndsARunningCaseAtOnce) {
  std::thread stopper([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    interrupted_ = true;
  });
  FuzzPlan plan = test::scripted_plan(1, 0);
  WorkerExecutor probe(stub_options());
  plan.contracts.clear();
  for (const Contract& contract : probe.contracts()) {
    if (contract.target == "stub/sleep") plan.contracts.push_back(contract);
  }
  plan.run.deadline_s = 100;
  const auto make = [this](int) {
    WorkerOptions options = stub_options();
    options.interrupted = [this] { return interrupted_.load(); };
    return std::make_unique<WorkerExecutor>(std::move(options));
  };
  FolderStore store(folder_ / "out");
  const Stopwatch watch;
  const FuzzSummary summary = FuzzLoop(plan, make, store, listener_).run();
  stopper.join();
  EXPECT_EQ(summary.end, FuzzEnd::interrupted);
  EXPECT_EQ(summary.progress.cases, 0u);
  EXPECT_LT(watch.seconds(), 50);
  EXPECT_TRUE(listener_.all_found.empty());
}

}  // namespace
}  // namespace rankle
