// Order bugs, from PCT to a list of switches: the depth at which theory says they are found, the
// number of switches they shrink to, and the step after which they are certain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "repro/minimiser.h"
#include "repro/pct_report.h"
#include "repro/schedule_minimiser.h"
#include "sim/machine.h"
#include "tests/repro/order_kernels.h"
#include "tests/repro/scripted_executor.h"

namespace rankle {
namespace {

using Launch = void (*)(std::uint32_t* words);

// Runs one of the kernels under the case's schedule, whatever else the case says.
class OrderBugExecutor : public Executor {
 public:
  explicit OrderBugExecutor(Launch launch) : launch_(launch) {}

  std::vector<Contract> contracts() override { return {test::scripted_contract()}; }
  std::set<FindingKind> detectors() override { return {FindingKind::wrong_result}; }

  Verdict run(const Case& c, const RunOptions& options) override {
    sim::Config config;
    config.policy = c.schedule.policy == Policy::pct ? sim::Policy::pct : sim::Policy::run_to_block;
    config.seed = c.schedule.seed;
    config.depth = c.schedule.depth;
    config.horizon = c.schedule.horizon;
    for (const Switch& s : c.schedule.switches) config.switches.push_back({s.step, s.entity});
    config.record_switches = options.record_switches;
    if (options.random_from) config.random_from = *options.random_from;
    bool failed = false;
    const sim::Result result = sim::run(config, [&](int) { failed = play(); });
    EXPECT_TRUE(result.reports.empty());
    Verdict verdict;
    verdict.stats.steps = result.stats.steps;
    verdict.stats.entities = result.stats.entities;
    verdict.stats.gave_way = result.stats.gave_way;
    for (const sim::Switch& s : result.switches) verdict.switches.push_back({s.step, s.entity});
    if (failed) {
      verdict.outcome = Outcome::finding;
      verdict.findings.push_back(test::scripted_finding());
    }
    return verdict;
  }

 private:
  bool play() const {
    std::uint32_t* words = nullptr;
    std::uint32_t seen[3] = {};
    EXPECT_EQ(hipMalloc(&words, sizeof seen), hipSuccess);
    EXPECT_EQ(hipMemset(words, 0, sizeof seen), hipSuccess);
    launch_(words);
    EXPECT_EQ(hipMemcpy(seen, words, sizeof seen, hipMemcpyDeviceToHost), hipSuccess);
    EXPECT_EQ(hipFree(words), hipSuccess);
    return seen[2] != 0;
  }

  Launch launch_;
};

struct OrderBug {
  const char* name;
  Launch launch;
  int constraints;  // the depth of PCT that finds it
  std::size_t switches;
};

constexpr OrderBug kBugs[] = {{"torn_pair", &test::launch_torn_pair, 2, 1},
                              {"seen_twice", &test::launch_seen_twice, 3, 2}};
constexpr int kEntities = 4;  // the host, its stream, two waves
constexpr std::uint64_t kHorizon = 50;

Case pct_case(int depth, std::uint64_t seed) {
  Case c = test::large_case();
  c.schedule = {};
  c.schedule.policy = Policy::pct;
  c.schedule.depth = depth;
  c.schedule.horizon = kHorizon;
  c.schedule.seed = seed;
  return c;
}

class OrderBugs : public testing::TestWithParam<OrderBug> {
 protected:
  int failures(int depth, int runs) {
    int failed = 0;
    for (int seed = 0; seed < runs; ++seed) {
      const Verdict v = executor_.run(pct_case(depth, static_cast<std::uint64_t>(seed)), {});
      EXPECT_LE(v.stats.steps, kHorizon);
      failed += v.findings.empty() ? 0 : 1;
    }
    return failed;
  }

  OrderBugExecutor executor_{GetParam().launch};
};

INSTANTIATE_TEST_SUITE_P(Planted, OrderBugs, testing::ValuesIn(kBugs),
                         [](const auto& bug) { return bug.param.name; });

TEST_P(OrderBugs, PctFindsThemAtTheDepthOfTheirConstraintsAndNoLower) {
  const int depth = GetParam().constraints;
  const double bound = 1.0 / (kEntities * std::pow(kHorizon, depth - 1));
  const int runs = static_cast<int>(std::ceil(4 / bound));
  EXPECT_EQ(failures(depth - 1, runs / 4), 0);
  EXPECT_GE(failures(depth, runs), 4);
}

TEST_P(OrderBugs, HaveARunOfPctReportItsBound) {
  const Case c = pct_case(3, 1);
  const PctReport report = pct_report(c.schedule, executor_.run(c, {}).stats);
  EXPECT_EQ(report.entities, std::uint64_t{kEntities});
  EXPECT_EQ(report.runs, 4.0 * 50 * 50);
  EXPECT_FALSE(report.is_void());
}

TEST_P(OrderBugs, ShrinkToExactlyTheSwitchesTheyNeed) {
  const int depth = GetParam().constraints;
  std::uint64_t seed = 0;
  while (executor_.run(pct_case(depth, seed), {}).findings.empty()) ++seed;
  MinimiseOptions options;
  options.seconds_max = 1e9;
  options.signatures = {test::scripted_signature()};
  const Minimised result =
      minimise(pct_case(depth, seed), test::scripted_contract(), executor_, options);
  EXPECT_EQ(result.end, MinimiseEnd::minimal);
  EXPECT_EQ(result.smallest.schedule.policy, Policy::run_to_block);
  EXPECT_EQ(result.smallest.schedule.switches.size(), GetParam().switches);
  // The rest of the case has shrunk with it.
  EXPECT_EQ(result.smallest.world, 2);
  EXPECT_EQ(result.smallest.geometry.blocks, 1);
}

TEST_P(OrderBugs, AreCertainAfterTheLastSwitchAndNotAtOnce) {
  const int depth = GetParam().constraints;
  std::uint64_t seed = 0;
  while (executor_.run(pct_case(depth, seed), {}).findings.empty()) ++seed;
  MinimiseOptions options;
  options.seconds_max = 1e9;
  options.signatures = {test::scripted_signature()};
  const Minimised result =
      minimise(pct_case(depth, seed), test::scripted_contract(), executor_, options);
  const Certainty certain =
      find_certainty(result.verdict.stats.steps, 16, [&](std::uint64_t step, std::uint64_t s) {
        Case continued = result.smallest;
        continued.schedule.seed = s;
        RunOptions run;
        run.random_from = step;
        return !executor_.run(continued, run).findings.empty();
      });
  EXPECT_GE(certain.step, result.smallest.schedule.switches.front().step);
  EXPECT_LT(certain.step, result.verdict.stats.steps);
  EXPECT_LT(certain.failed_before, 16);
}

}  // namespace
}  // namespace rankle
