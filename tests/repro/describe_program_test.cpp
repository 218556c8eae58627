// Programs in words: one line while they are plain, a numbered story when they are not.
#include "repro/describe_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankle {
namespace {

using enum StepKind;
using testing::ElementsAre;

Case with(std::vector<Step> program) {
  Case c;
  c.shape = {64};
  c.program = std::move(program);
  return c;
}

TEST(DescribeProgram, PutsPlainRoundsOnOneLine) {
  EXPECT_THAT(describe_program(with({{.kind = fill, .round = 2},
                                     {.kind = poison_output},
                                     {.kind = poison_scratch},
                                     {.kind = call},
                                     {.kind = sync},
                                     {.kind = check, .round = 2}})),
              ElementsAre("program: fill round 2, poison outputs, poison scratch, call, sync, "
                          "check round 2"));
  EXPECT_THAT(describe_program(with({})), ElementsAre("program: empty"));
}

TEST(DescribeProgram, TellsWhatAGraphHoldsAndWhichRoundsItReplays) {
  EXPECT_THAT(describe_program(with({{.kind = capture},
                                     {.kind = delay, .queued = true, .rank = 1, .amount = 1500},
                                     {.kind = call, .copied = true},
                                     {.kind = call, .buffer = 1},
                                     {.kind = overwrite, .buffer = 1},
                                     {.kind = end_capture},
                                     {.kind = replay, .round = 4, .times = 3},
                                     {.kind = check, .round = 6, .buffer = 1},
                                     {.kind = destroy_graph}})),
              ElementsAre("program, the same on every rank:", "   0. capture graph 0:",
                          "   1.   hold up the device of rank 1 for 1,500 ns",
                          "   2.   call on buffer 0, on a copy of the input that the graph owns",
                          "   3.   call on buffer 1",
                          "   4.   poison the input of buffer 1 behind this rank's calls",
                          "   5. end the capture, and make its buffers known to all ranks",
                          "   6. 3 times, for rounds 4 to 6: fill the inputs, poison the outputs, "
                          "replay graph 0 (2 calls), check its outputs",
                          "   7. wait for all ranks and check the output of buffer 1 for round 6",
                          "   8. destroy graph 0"));
}

TEST(DescribeProgram, NamesShapesStreamsAndEpochs) {
  Case c = with({{.kind = seed_epochs, .amount = 4'294'967'293},
                 {.kind = deregister_buffer},
                 {.kind = reallocate},
                 {.kind = register_buffer},
                 {.kind = fill, .round = 1, .queued = true, .shape = 1},
                 {.kind = delay, .rank = 0, .amount = 7},
                 {.kind = call, .staged = true, .shape = 1},
                 {.kind = check, .round = 1, .queued = true},
                 {.kind = sync, .rank = 1},
                 {.kind = fork},
                 {.kind = poison_output, .queued = true, .aside = true},
                 {.kind = join},
                 {.kind = StepKind::stream, .stream = 1},
                 {.kind = reconnect},
                 {.kind = warm_up}});
  c.call_shapes = {{32, DType::bf16, Accum::fp32, 2, 64}};
  EXPECT_THAT(
      describe_program(c),
      ElementsAre(
          "program, the same on every rank:", "   0. set every epoch to 4,294,967,293 (2^32 - 3)",
          "   1. deregister buffer 0: eager calls on it are staged from here on",
          "   2. free buffer 0 and allocate it anew", "   3. register buffer 0",
          "   4. fill the input with round 1 for 32 elements of bf16, queued",
          "   5. hold up the host of rank 0 for 7 ns",
          "   6. call with 32 elements of bf16, 2 blocks of 64 threads, its input staged",
          "   7. copy the output behind the calls, to be checked for round 1 later",
          "   8. rank 1 waits for its own calls", "   9. fork a branch off the stream",
          "  10. on the branch: poison the output, queued", "  11. join the branch",
          "  12. go on with stream 1", "  13. destroy the communicator and make a new one",
          "  14. tell the communicator of a capture, which begins after a warm-up"));
}

}  // namespace
}  // namespace rankle
