// Captures and replays on clean targets, and what is said when a replay goes wrong.
#include "tests/harness/runner/program_fixture.h"

namespace rankle::testing_programs {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

void expect_clean_programs(const std::vector<Step>& program) {
  for (const char* target : {"one_stage", "two_stage_write"}) {
    for (const int world : {2, 3}) {
      expect_clean(case_of(target, world, program));
    }
  }
}

TEST(Replays, OfOneCallAndOfTwo) {
  expect_clean_programs({capture(), call(), end_capture(), replay(0, 3), check(2)});
  expect_clean_programs({capture(), call(), call(), end_capture(), replay(0, 3), check(2)});
  expect_clean_programs({capture(), call(), call(1), end_capture(), replay(0, 3), check(2, 1)});
}

TEST(Replays, BetweenEagerCalls) {
  expect_clean_programs({fill(0), call(), queued(check(0)), capture(), call(), call(1), call(),
                         end_capture(), replay(1, 1), queued(fill(2)), staged_call(),
                         queued(check(2)), replay(3, 2), queued(fill(5, 1)), call(1), check(5, 1)});
}

// The communicator knows of the capture, the stream does not yet: those calls are carried out.
TEST(Replays, AfterAWarmUpOnTheSameBuffersAndOnOthers) {
  const Step warm_up = of(StepKind::warm_up);
  expect_clean_programs({warm_up, fill(0), call(), staged_call(), queued(check(0)), capture(),
                         call(), copied(call(1)), end_capture(), replay(1, 3), check(3)});
  expect_clean_programs({of(StepKind::deregister_buffer), warm_up, fill(0), call(), call(),
                         check(0), capture(), call(), end_capture(), replay(1, 2), queued(fill(3)),
                         call(), check(3)});
  expect_clean_programs({capture(), call(), end_capture(), warm_up, replay(0, 2), fill(2, 1),
                         call(1), capture(1), call(1), end_capture(1), replay(3, 2, 1),
                         replay(5, 1, 0), check(5), check(4, 1)});
}

TEST(Replays, OfSeveralGraphsAndAfterTheirEnd) {
  expect_clean_programs({capture(0),       call(),
                         end_capture(0),   capture(1),
                         call(1),          call(),
                         end_capture(1),   replay(0, 2, 0),
                         replay(2, 2, 1),  replay(4, 1, 0),
                         check(4),         destroy_graph(0),
                         replay(5, 1, 1),  check(5),
                         capture(0),       call(1),
                         end_capture(0),   replay(6, 2, 0),
                         check(7, 1),      destroy_graph(1),
                         destroy_graph(0), of(StepKind::reconnect),
                         fill(8),          call(),
                         check(8)});
}

TEST(Replays, OfCallsOnCopiesOfTheInput) {
  expect_clean_programs({capture(), copied(call()), copied(call(1)), overwrite(), end_capture(),
                         replay(0, 3), check(2)});
}

TEST(Replays, WithOverwritesDelaysAndBranchesRecorded) {
  expect_clean_programs({capture(), queued(poison()), queued(delay(1, 20000)), call(), overwrite(),
                         of(StepKind::fork), aside(queued(delay(0, 20000))), call(1),
                         of(StepKind::join), end_capture(), replay(0, 3), check(2)});
}

TEST(Replays, AfterTheBufferLeftTheRegistration) {
  expect_clean_programs({capture(), call(), end_capture(), of(StepKind::deregister_buffer),
                         replay(0, 2), check(1), fill(2), call(), check(2)});
}

TEST(Replays, OnAnotherStream) {
  expect_clean_programs({capture(),
                         call(),
                         end_capture(),
                         fill(0),
                         call(),
                         queued(check(0)),
                         {.kind = StepKind::stream, .stream = 1},
                         replay(1, 2),
                         check(2)});
}

TEST(Replays, AcrossTheEndOfTheEpochs) {
  expect_clean_programs({capture(),
                         call(),
                         call(),
                         call(),
                         end_capture(),
                         {.kind = StepKind::seed_epochs, .amount = 0xfffffffb},
                         replay(0, 3),
                         check(2)});
}

TEST(Replays, OfOtherShapes) {
  Case c = case_of("two_stage_tail", 2, {}, 600);
  c.call_shapes = {{64, DType::fp32, Accum::fp32, 1, 64}, {512, DType::bf16, Accum::fp32, 0, 128}};
  c.program = {capture(),     call(),       shaped(call(), 1), shaped(call(1), 2),
               end_capture(), replay(0, 3), check(2, 1)};
  expect_clean(c);
}

// Staging memory is there for ranks whose buffers are not at a pack.
TEST(Replays, OfBuffersThatAreNotAtAPack) {
  Case c = case_of("one_stage_naive", 3,
                   {capture(), call(), copied(call(1)), end_capture(), replay(0, 3), check(2)});
  c.input_offset = {0, 1, 3};
  c.output_offset = {2, 0, 0};
  expect_clean(c);
}

// A late rank reads what a peer overwrites behind its own call.
TEST(Replays, AFailureNamesReplayGraphRoundAndBuffer) {
  Case c = case_of("one_stage@no_exit_barrier", 2,
                   {capture(), call(1), overwrite(1), end_capture(), replay(5, 4), check(8, 1)});
  c.dtype = DType::int32;
  c.accum = Accum::native;
  c.schedule.policy = Policy::rank_late;
  c.schedule.seed = 3;
  RunOptions options;
  options.detect_races = false;
  const Ran ran = run(c, options);
  EXPECT_EQ(first_finding(ran).kind, FindingKind::wrong_result) << ran.words();
  EXPECT_THAT(first_finding(ran).message,
              MatchesRegex("in replay . of graph 0 \\(round .\\), buffer 1: output element .*"))
      << ran.words();
}

TEST(Captures, AWrongTargetFailsTheSameInEveryMode) {
  Case c = case_of("two_stage_tail@shard_index", 2, {}, 204);
  c.dtype = DType::int32;
  c.accum = Accum::native;
  c.program = {capture(), call(), end_capture(), replay(3, 2), check(4)};
  RunOptions options;
  options.detect_races = false;
  const Ran ran = run(c, options);
  EXPECT_EQ(first_finding(ran).kind, FindingKind::wrong_result) << ran.words();
  EXPECT_THAT(first_finding(ran).message, StartsWith("in replay 0 of graph 0 (round 3): output"))
      << ran.words();
}

// The communicator refuses a captured call on a second stream; nobody is left waiting, and nothing
// is left behind.
TEST(Captures, ARefusedCallEndsTheCaptureOnEveryRank) {
  const Ran ran = run(case_of("one_stage", 2,
                              {capture(), of(StepKind::fork), call(), aside(call(1)),
                               of(StepKind::join), end_capture(), replay(0, 1), check(0)}));
  ASSERT_EQ(ran.findings.size(), 2U) << ran.words();
  for (const Finding& finding : ran.findings) {
    EXPECT_EQ(finding.kind, FindingKind::api_error) << ran.words();
    EXPECT_THAT(finding.message, HasSubstr("could not launch allreduce/one_stage as call 1"));
  }
}

}  // namespace
}  // namespace rankle::testing_programs
