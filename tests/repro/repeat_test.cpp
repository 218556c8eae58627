// Programs that repeat a call are allowed, have another input at every call, and add up.
#include "repro/repeat.h"

#include <gtest/gtest.h>

#include <set>

#include "generators/program.h"
#include "tests/repro/scripted_executor.h"

namespace rankle {
namespace {

Case small_case(bool in_place) {
  Case c = test::large_case();
  c.world = 2;
  c.input_offset = c.output_offset = {0, 0};
  c.in_place = in_place;
  return c;
}

int calls_of(const std::vector<Step>& program) {
  int calls = 0;
  bool captures = false;
  for (const Step& step : program) {
    if (step.kind == StepKind::capture) captures = true;
    if (step.kind == StepKind::end_capture) captures = false;
    if (step.kind == StepKind::call && !captures) ++calls;
    if (step.kind == StepKind::replay) calls += step.times;
  }
  return calls;
}

TEST(Repeat, MakesAllowedProgramsThatAddUp) {
  for (const RepeatMode mode : {RepeatMode::eager, RepeatMode::graph}) {
    for (const bool in_place : {false, true}) {
      for (const int iterations : {1, 2, 63, 64, 65, 128, 129, 500}) {
        const Case c = small_case(in_place);
        int made = 0;
        std::set<std::uint64_t> seeds;
        for (const RepeatPart& part : repeat(c, mode, iterations)) {
          const auto wrong = check_program(part.c.program, setting_of(part.c, {}));
          EXPECT_EQ(wrong ? wrong->message : "", "");
          EXPECT_EQ(calls_of(part.c.program), part.iterations);
          EXPECT_TRUE(seeds.insert(part.c.seed).second);
          made += part.iterations;
        }
        EXPECT_EQ(made, iterations) << name_of(mode);
      }
    }
  }
}

TEST(Repeat, CutsLargeMessagesIntoShortRuns) {
  Case c = small_case(false);
  c.shape = {2 << 20};  // 4 MiB of bf16 on each of two ranks
  const auto parts = repeat(c, RepeatMode::graph, 10);
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].iterations, 4);
  EXPECT_EQ(parts[2].iterations, 2);
  c.shape = {64 << 20};
  for (const RepeatPart& part : repeat(c, RepeatMode::eager, 4)) EXPECT_EQ(part.iterations, 2);
}

TEST(Repeat, KeepsTheWayOfTheCallAndDropsSwitches) {
  Case c = small_case(false);
  c.program[1].staged = true;
  c.schedule = {};
  c.schedule.switches = {{3, 4}};
  const Case eager = repeat(c, RepeatMode::eager, 3).front().c;
  EXPECT_EQ(eager.schedule.switches.size(), 0U);
  EXPECT_EQ(eager.seed, c.seed);
  ASSERT_EQ(eager.program.size(), 12U);
  EXPECT_TRUE(eager.program[2].staged);
  EXPECT_EQ(eager.program[11], (Step{.kind = StepKind::check, .round = 2}));
}

TEST(Repeat, ReplaysCallsOnTheInputAndOnACopyOfIt) {
  const Case graph = repeat(small_case(false), RepeatMode::graph, 100).front().c;
  EXPECT_FALSE(graph.program[1].copied);
  EXPECT_TRUE(graph.program[4].copied);
  EXPECT_EQ(graph.program[6],
            (Step{.kind = StepKind::replay, .round = 0, .graph = 0, .times = 50}));
  EXPECT_EQ(graph.program[8],
            (Step{.kind = StepKind::replay, .round = 50, .graph = 1, .times = 50}));
}

TEST(Repeat, KnowsItsModesByName) {
  EXPECT_EQ(repeat_mode_from("eager"), RepeatMode::eager);
  EXPECT_EQ(repeat_mode_from("graph"), RepeatMode::graph);
  EXPECT_EQ(repeat_mode_from("graphs"), std::nullopt);
}

}  // namespace
}  // namespace rankle
