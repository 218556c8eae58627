// Every kind of step on clean targets, and that each can fail: by a wrong round, a planted bug, or
// a use that the contract forbids.
#include "tests/harness/runner/program_fixture.h"

namespace rankle::testing_programs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

void expect_clean_programs(const std::vector<Step>& program) {
  for (const char* target : {"one_stage", "two_stage_tail"}) {
    for (const int world : {2, 3}) {
      expect_clean(case_of(target, world, program));
    }
  }
}

TEST(QueuedSteps, ManyCallsBeforeAnybodyWaits) {
  std::vector<Step> program;
  for (int round = 0; round < 6; ++round) {
    for (const Step& step : {queued(fill(round)), queued(poison()), call(), queued(check(round))}) {
      program.push_back(step);
    }
  }
  program.push_back(check(5));
  expect_clean_programs(program);
}

// The wrong one is found, and named first, although it is not the last.
TEST(QueuedSteps, AWrongRoundIsFoundAtTheCheckThatWaits) {
  const std::vector<Step> program{queued(fill(1)), call(), queued(check(0)),
                                  queued(fill(2)), call(), queued(check(1)),
                                  queued(fill(3)), call(), check(3)};
  const Ran ran = run(case_of("one_stage", 2, program));
  const Finding finding = first_finding(ran);
  EXPECT_EQ(finding.kind, FindingKind::wrong_result) << ran.words();
  EXPECT_EQ(finding.subkind, "stale-round") << ran.words();
  EXPECT_THAT(finding.message, HasSubstr("holds round 1's value in round 0")) << ran.words();
}

TEST(QueuedSteps, PairsOfBuffersAreKeptApart) {
  expect_clean_programs({fill(0, 0), fill(1, 1), fill(2, 2), call(2), call(0), call(1),
                         queued(check(1, 1)), queued(check(0, 0)), check(2, 2)});
  const Ran ran = run(
      case_of("one_stage", 2, {fill(0, 0), fill(1, 1), call(0), call(1), check(0), check(0, 1)}));
  EXPECT_THAT(first_finding(ran).message, StartsWith("buffer 1: output element 0 of rank 0"))
      << ran.words();
}

TEST(Overwrite, LeavesACleanTargetAlone) {
  for (const int late : {0, 1}) {
    expect_clean_programs({fill(0), queued(delay(late, 20000)), call(), overwrite(),
                           queued(check(0)), queued(fill(1)), call(), overwrite(), check(1)});
  }
}

TEST(Overwrite, FindsAMissingExitBarrierWhenARankIsLate) {
  Case c = case_of("one_stage@no_exit_barrier", 2,
                   {fill(0), queued(delay(1, 50000)), call(), overwrite(), check(0)});
  c.dtype = DType::int32;
  c.accum = Accum::native;
  c.schedule.policy = Policy::rank_late;
  c.schedule.seed = 3;
  RunOptions options;
  options.detect_races = false;  // whose report would come first
  const Ran ran = run(c, options);
  EXPECT_EQ(first_finding(ran).kind, FindingKind::wrong_result) << ran.words();
  EXPECT_THAT(first_finding(ran).message, HasSubstr("has the poison that overwrote rank 1's input"))
      << ran.words();
  EXPECT_EQ(first_finding(run(c)).kind, FindingKind::data_race);
}

TEST(Delays, KeepOneRankOnTheHostOrTheDevice) {
  for (const int late : {0, 1}) {
    expect_clean_programs({fill(0), delay(late, 30000), call(), check(0), queued(fill(1)),
                           queued(delay(late, 30000)), call(), check(1)});
  }
}

TEST(Sync, OfOneRankAloneLetsTheOthersRun) {
  expect_clean_programs({fill(0),
                         call(),
                         {.kind = StepKind::sync, .rank = 1},
                         queued(fill(1)),
                         call(),
                         {.kind = StepKind::sync},
                         fill(2),
                         call(),
                         check(2)});
}

TEST(Registration, CallsAreStagedWhileABufferIsNotRegistered) {
  const std::vector<Step> program{fill(0), call(), check(0), of(StepKind::deregister_buffer),
                                  fill(1), call(), check(1)};
  expect_clean_programs(program);
  EXPECT_THAT(run(case_of("two_stage_tail", 2, program)).variants,
              ElementsAre(HasSubstr(", staged"), HasSubstr(", staged")));
  std::vector<Step> again = program;
  again.insert(again.end(), {of(StepKind::register_buffer), fill(2), call(), check(2)});
  expect_clean_programs(again);
  EXPECT_THAT(run(case_of("two_stage_tail", 2, again)).variants,
              ElementsAre("two_stage_tail<has_tail=true>", "two_stage_tail<has_tail=true>"));
}

// Before, between and behind calls, whose outputs must not show it.
TEST(Refusal, OfWhatDoesNotFitLeavesNothingBehind) {
  expect_clean_programs({refused_call(), fill(0), call(), refused_call(), check(0), refused_call(),
                         fill(1), call(), check(1)});
}

TEST(Reallocation, GivesAFreshBufferToAllRanks) {
  expect_clean_programs({fill(0, 1), call(1), check(0, 1), of(StepKind::deregister_buffer, 1),
                         of(StepKind::reallocate, 1), fill(1, 1), call(1), check(1, 1),
                         of(StepKind::register_buffer, 1), fill(2, 1), call(1), check(2, 1)});
}

TEST(Reallocation, OfABufferThatPeersHaveOpenIsReported) {
  const Ran ran = run(
      case_of("one_stage", 2,
              {fill(0), call(), check(0), of(StepKind::reallocate), fill(1), call(), check(1)}));
  EXPECT_EQ(first_finding(ran).kind, FindingKind::api_error) << ran.words();
  EXPECT_THAT(first_finding(ran).message, HasSubstr("which rank 1 has open through its IPC handle"))
      << ran.words();
  ASSERT_FALSE(first_finding(ran).actors.empty());
  EXPECT_EQ(first_finding(ran).actors.front().step, 3);
}

TEST(Streams, OneAfterTheOther) {
  const auto stream = [](int number) { return Step{.kind = StepKind::stream, .stream = number}; };
  expect_clean_programs({queued(fill(0)), call(), queued(check(0)), stream(1), queued(fill(1)),
                         call(), queued(check(1)), stream(0), stream(1), queued(fill(2)), call(),
                         check(2)});
}

TEST(Branches, WorkBesideACall) {
  expect_clean_programs({fill(0), fill(1, 1), of(StepKind::fork), call(), aside(queued(fill(2, 1))),
                         aside(queued(delay(1, 20000))), of(StepKind::join), call(1),
                         queued(check(0)), check(2, 1)});
}

TEST(Branches, ACallOnASecondStreamIsRefused) {
  const Ran ran = run(case_of("one_stage", 2,
                              {fill(0), fill(1, 1), of(StepKind::fork), call(), aside(call(1)),
                               of(StepKind::join), check(0)}));
  EXPECT_EQ(first_finding(ran).kind, FindingKind::api_error) << ran.words();
  EXPECT_THAT(first_finding(ran).message,
              MatchesRegex("rank . could not launch allreduce/one_stage as call 1: .*"))
      << ran.words();
}

TEST(Communicators, OneAfterTheOther) {
  expect_clean_programs({fill(0), call(), check(0), of(StepKind::reconnect), fill(1), call(),
                         check(1), of(StepKind::reconnect), of(StepKind::reconnect),
                         queued(fill(2)), call(), check(2)});
}

TEST(Epochs, WrapAround) {
  for (const std::int64_t epoch : {0x7ffffffeLL, 0xfffffffeLL, 0xffffffffLL}) {
    std::vector<Step> program{{.kind = StepKind::seed_epochs, .amount = epoch}};
    for (int round = 0; round < 4; ++round) {
      program.insert(program.end(), {queued(fill(round)), call(), queued(check(round))});
    }
    program.push_back(check(3));
    expect_clean_programs(program);
  }
}

TEST(Shapes, SmallLargeSmallWithOtherTypesAndGrids) {
  Case c = case_of("two_stage_tail", 3, {}, 2000);
  c.call_shapes = {{64, DType::fp32, Accum::fp32, 1, 64},
                   {96, DType::int64, Accum::native, 0, 128},
                   {1008, DType::bf16, Accum::fp32, 3, 256}};
  c.program = {queued(shaped(fill(0), 1)),
               queued(poison()),
               shaped(call(), 1),
               queued(check(0)),
               queued(fill(1)),
               call(),
               shaped(call(), 1),
               queued(check(1)),
               queued(shaped(fill(2), 2)),
               queued(poison()),
               shaped(call(), 2),
               queued(check(2)),
               queued(shaped(fill(3), 3)),
               shaped(call(), 3),
               queued(check(3)),
               queued(shaped(fill(4), 1)),
               queued(poison()),
               shaped(call(), 1),
               check(4)};
  expect_clean(c);
}

// More is queued than images are kept for: 24 MiB for each replay.
TEST(QueuedSteps, AreJudgedInBetweenWhenTheirImagesTakeTooMuchRoom) {
  Case c = case_of("one_stage", 2, {}, 2 << 20);
  c.call_shapes = {{64, DType::fp32, Accum::fp32, 1, 64}};
  c.program = {capture(), shaped(call(), 1), end_capture(), replay(0, 4), check(3)};
  expect_clean(c);
}

TEST(InPlace, CallsRepeatAfterRefills) {
  Case c = case_of("two_stage_tail", 3, {});
  c.in_place = true;
  c.output_offset = c.input_offset;
  c.call_shapes = {{64, DType::fp32, Accum::fp32, 1, 64}};
  c.program = {queued(fill(0)),   call(),           queued(check(0)), queued(fill(1)),
               shaped(call(), 1), queued(check(1)), capture(),        call(),
               end_capture(),     replay(2, 3),     check(4)};
  expect_clean(c);
}

TEST(Reference, JudgesEveryKindOfCheck) {
  Case c = case_of(
      "two_stage_tail", 3,
      {queued(fill(0)), call(), queued(check(0)), queued(fill(1)), staged_call(), queued(check(1)),
       capture(), copied(call()), end_capture(), replay(2, 2), fill(4, 1), call(1), check(4, 1)});
  c.same_bits_as = "allreduce/two_stage_uniform";
  for (const Inputs inputs : {Inputs::rounding, Inputs::special}) {
    c.inputs = inputs;
    expect_clean(c);
  }
}

}  // namespace
}  // namespace rankle::testing_programs
