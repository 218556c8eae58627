// Programs shrink to the few steps that a bug needs: made-up bugs of the kinds that production had,
// each given as a property of the case.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "generators/case_json.h"
#include "generators/generate.h"
#include "generators/program_model.h"
#include "generators/repair_program.h"
#include "generators/shrink.h"
#include "tests/generators/program_checks.h"
#include "tests/generators/test_contracts.h"

namespace rankle {
namespace {

using Fails = std::function<bool(const Case&)>;
using enum StepKind;

std::vector<StepKind> kinds_of(const Case& c) {
  std::vector<StepKind> kinds;
  kinds.reserve(c.program.size());
  for (const Step& step : c.program) kinds.push_back(step.kind);
  return kinds;
}

// Without what is recorded.
std::vector<Step> eager_steps(const Case& c) {
  std::vector<Step> steps;
  bool capturing = false;
  for (const Step& step : c.program) {
    if (step.kind == capture) capturing = true;
    if (!capturing) steps.push_back(step);
    if (step.kind == end_capture) capturing = false;
  }
  return steps;
}

// Shrinks the first `wanted` drawn programs that fail, and returns what they come to.
std::vector<Case> shrunk(const Fails& fails, int wanted = 40) {
  const Contract contract = test::two_stage();
  std::vector<Case> least;
  for (std::uint64_t index = 0; index < 20'000 && std::ssize(least) < wanted; ++index) {
    const Case c = draw_case({contract}, test::only_programs(), 21, index);
    if (!fails(c)) continue;
    int runs = 0;
    least.push_back(test::minimised(c, contract, fails, &runs));
    EXPECT_LT(runs, 2500) << case_to_text(c);
  }
  EXPECT_EQ(std::ssize(least), wanted);
  return least;
}

// These steps and no others; some of them may stand in either order.
void expect_kinds(const Fails& fails, std::vector<StepKind> kinds) {
  std::sort(kinds.begin(), kinds.end());
  for (const Case& c : shrunk(fails)) {
    std::vector<StepKind> left = kinds_of(c);
    std::sort(left.begin(), left.end());
    ASSERT_EQ(left, kinds) << case_to_text(c);
  }
}

TEST(ShrinkProgram, EveryCandidateIsValidStrictlyLessAndNew) {
  Contract in_place = test::two_stage();
  in_place.target = "allreduce/in_place";
  in_place.in_place = true;
  const std::vector<Contract> contracts{test::two_stage(), test::elementwise(), in_place};
  std::size_t most = 0;
  for (std::uint64_t index = 0; index < 600; ++index) {
    const Case c = draw_case(contracts, test::only_programs(), 2, index);
    const Contract& contract = test::contract_of(contracts, c);
    const auto candidates = smaller_cases(c, contract);
    most = std::max(most, candidates.size());
    test::expect_valid_less_and_new(candidates, c, contract);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_LE(most, 500u);
}

TEST(ShrinkProgram, ReachesOneCallWhenEverythingFails) {
  const auto contracts = test::contracts();
  for (std::uint64_t index = 0; index < 200; ++index) {
    const Case c = draw_case(contracts, test::only_programs(), 4, index);
    int runs = 0;
    const Case least = test::minimised(
        c, test::contract_of(contracts, c), [](const Case&) { return true; }, &runs);
    EXPECT_LT(runs, 80);
    EXPECT_EQ(least.program, (std::vector<Step>{{.kind = fill}, {.kind = call}, {.kind = check}}));
    EXPECT_TRUE(least.call_shapes.empty());
    EXPECT_EQ(least.count(), 0);
    EXPECT_EQ(least.world, 2);
  }
}

// Replays of one graph after its first.
bool replays_again(const Case& c) {
  std::array<int, 4> replays{};
  for (const Step& step : c.program) {
    if (step.kind == capture) replays[std::size_t(step.graph)] = 0;
    if (step.kind == replay) replays[std::size_t(step.graph)] += step.times;
    if (step.kind == replay && replays[std::size_t(step.graph)] > 1) return true;
  }
  return false;
}

TEST(ShrinkProgram, AnEpochBakedIntoAGraphNeedsTwoReplays) {
  expect_kinds(replays_again, {capture, call, end_capture, replay, check});
}

TEST(ShrinkProgram, AMissingExitBarrierNeedsAnOverwriteBehindTheCall) {
  expect_kinds(
      [](const Case& c) {
        bool called = false, skewed = false;
        for (const Step& step : eager_steps(c)) {
          if (step.kind == delay) skewed = true;
          if (step.kind == call) called = skewed;
          if (step.kind == overwrite && called) return true;
        }
        return false;
      },
      {delay, fill, call, overwrite, check});
}

TEST(ShrinkProgram, AStaleRegistrationNeedsTheWayRound) {
  expect_kinds(
      [](const Case& c) {
        std::array<int, 4> way{};
        for (const Step& step : c.program) {
          int& at = way[std::size_t(step.buffer)];
          if (step.kind == deregister_buffer) at = 1;
          if (step.kind == reallocate && at == 1) at = 2;
          if (step.kind == register_buffer && at == 2) at = 3;
          if (step.kind == call && at == 3) return true;
        }
        return false;
      },
      {deregister_buffer, reallocate, register_buffer, fill, call, check});
}

TEST(ShrinkProgram, AWrongSlotNeedsTwoCallsInOneGraph) {
  const Fails fails = [](const Case& c) {
    int calls = -1;
    for (const Step& step : c.program) {
      if (step.kind == capture) calls = 0;
      if (step.kind == end_capture) calls = calls > 1 ? 2 : -1;
      if (step.kind == call && calls >= 0) ++calls;
      if (step.kind == replay && calls > 1) return true;
    }
    return false;
  };
  expect_kinds(fails, {capture, call, call, end_capture, replay, check});
}

// Calls as they run, by the step that made or recorded them.
struct Ran {
  std::size_t step;
  bool in_graph;
};

std::vector<Ran> calls_that_run(const Case& c) {
  std::vector<Ran> ran;
  std::array<std::vector<std::size_t>, 4> recorded;
  int capturing = -1;
  for (std::size_t i = 0; i < c.program.size(); ++i) {
    const Step& step = c.program[i];
    if (step.kind == capture) recorded[std::size_t(capturing = step.graph)].clear();
    if (step.kind == end_capture) capturing = -1;
    if (step.kind == call && capturing >= 0) recorded[std::size_t(capturing)].push_back(i);
    if (step.kind == call && capturing < 0) ran.push_back({i, false});
    if (step.kind != replay) continue;
    for (int time = 0; time < step.times; ++time) {
      for (const std::size_t at : recorded[std::size_t(step.graph)]) ran.push_back({at, true});
    }
  }
  return ran;
}

// Whoever makes the first of them: it may begin as a call beside the graph, or as another graph's.
TEST(ShrinkProgram, ARecordedCallBehindAnotherOneNeedsOneGraphOfBoth) {
  const Fails fails = [](const Case& c) {
    const std::vector<Ran> ran = calls_that_run(c);
    return std::adjacent_find(ran.begin(), ran.end(), [](const Ran& a, const Ran& b) {
             return b.in_graph && a.step < b.step;
           }) != ran.end();
  };
  expect_kinds(fails, {capture, call, call, end_capture, replay, check});
}

TEST(ShrinkProgram, TwoRecordedCallsBeforeAnEagerOneNeedTwoReplaysOfOne) {
  const Fails fails = [](const Case& c) {
    int in_graphs = 0;
    for (const Ran& ran : calls_that_run(c)) {
      if (!ran.in_graph && in_graphs >= 2) return true;
      in_graphs += ran.in_graph ? 1 : 0;
    }
    return false;
  };
  expect_kinds(fails, {capture, call, end_capture, replay, call, check});
}

TEST(ShrinkProgram, AnEpochThatWrapsNeedsItsSeed) {
  const Fails fails = [](const Case& c) {
    bool near = false;
    for (const Step& step : c.program) {
      if (step.kind == seed_epochs) near = step.amount >= (std::int64_t{1} << 32) - 4;
      if (step.kind == call && near) return true;
    }
    return false;
  };
  for (const Case& c : shrunk(fails, 20)) EXPECT_EQ(c.program.size(), 4u) << case_to_text(c);
}

TEST(ShrinkProgram, ASlotReusedByASmallerCallKeepsItsShape) {
  const Fails fails = [](const Case& c) {
    bool large = false;
    for (const Step& step : eager_steps(c)) {
      if (step.kind != call || step.refused) continue;
      const bool is_small = step.shape > 0 &&
                            2 * c.call_shapes[std::size_t(step.shape) - 1].count <= c.count() &&
                            c.count() > 0;
      if (large && is_small) return true;
      if (step.shape == 0) large = true;
    }
    return false;
  };
  for (const Case& c : shrunk(fails)) {
    EXPECT_LE(c.program.size(), 6u) << case_to_text(c);
    EXPECT_EQ(c.call_shapes.size(), 1u);
    EXPECT_EQ(c.call_shapes[0].count, 0);
  }
}

TEST(RepairProgram, LeavesValidProgramsAlone) {
  const Contract contract = test::two_stage();
  for (std::uint64_t index = 0; index < 500; ++index) {
    const Case c = draw_case({contract}, test::only_programs(), 8, index);
    EXPECT_EQ(detail::repaired(c.program, setting_of(c, contract)), c.program);
  }
}

TEST(RepairProgram, TakesAStepsDependentsWithIt) {
  const ProgramSetting setting{2, false, true, {CallShape{16}}};
  const Step checked{.kind = check, .round = 1};
  const std::vector<Step> left{
      {.kind = capture},          {.kind = end_capture}, {.kind = replay, .times = 2},
      {.kind = fill, .round = 5}, {.kind = call},        checked};
  EXPECT_EQ(
      detail::repaired(left, setting),
      (std::vector<Step>{{.kind = fill, .round = 5}, {.kind = call}, {.kind = check, .round = 5}}));
  EXPECT_EQ(detail::repaired({{.kind = fill}, {.kind = call}}, setting),
            (std::vector<Step>{{.kind = fill}, {.kind = call}, {.kind = check}}));
  EXPECT_EQ(detail::repaired({{.kind = capture}, {.kind = fill}, {.kind = fork}, {.kind = call}},
                             setting),
            (std::vector<Step>{{.kind = fill}, {.kind = call}, {.kind = check}}));
  EXPECT_EQ(detail::repaired({{.kind = warm_up}, {.kind = fill}, {.kind = call}}, setting),
            (std::vector<Step>{{.kind = fill}, {.kind = call}, {.kind = check}}));
  EXPECT_TRUE(detail::repaired({{.kind = fill}, checked}, setting).empty());
}

}  // namespace
}  // namespace rankle
