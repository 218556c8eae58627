// What a program gets: as much as it needs and no more.
#include "harness/runner/program_plan.h"

#include <gtest/gtest.h>

#include "tests/harness/runner/program_steps.h"

namespace rankle::testing_programs {
namespace {

Case planned(std::vector<Step> program) {
  Case c = case_of("one_stage", 2, std::move(program), 100);
  c.call_shapes = {{40, DType::bf16, Accum::fp32, 1, 64}};
  return c;
}

ProgramPlan plan_of(std::vector<Step> program) { return plan_program(planned(std::move(program))); }

TEST(ProgramPlan, CountsWhatStepsName) {
  const ProgramPlan plan = plan_of({fill(0, 2),
                                    call(2),
                                    {.kind = StepKind::stream, .stream = 1},
                                    capture(1),
                                    call(),
                                    end_capture(1),
                                    of(StepKind::fork),
                                    of(StepKind::join),
                                    delay(0, 5),
                                    check(0, 2)});
  EXPECT_EQ(plan.buffers, 3);
  EXPECT_EQ(plan.streams, 2);
  EXPECT_EQ(plan.graphs, 2);
  EXPECT_TRUE(plan.branches);
  EXPECT_TRUE(plan.host_delays);
  const ProgramPlan small = plan_of({fill(0), call(), queued(delay(0, 5)), check(0)});
  EXPECT_EQ(small.buffers, 1);
  EXPECT_EQ(small.streams, 1);
  EXPECT_EQ(small.graphs, 0);
  EXPECT_FALSE(small.branches);
  EXPECT_FALSE(small.host_delays);
}

TEST(ProgramPlan, RegistersBuffersForProgramsThatUseThemDirectly) {
  EXPECT_TRUE(plan_of({fill(0), call(), check(0)}).registers);
  EXPECT_FALSE(plan_of({fill(0), staged_call(), check(0)}).registers);
  EXPECT_FALSE(plan_of({capture(), call(), end_capture(), replay(0, 1), check(0)}).registers);
  EXPECT_TRUE(
      plan_of({of(StepKind::deregister_buffer), fill(0), staged_call(), check(0)}).registers);
}

TEST(ProgramPlan, HasNoStagingMemoryForACallThatIsToBeRefused) {
  const Target target{.scratch_bytes = [](int, std::int64_t bytes) { return bytes; }};
  const Case c = planned({fill(0), shaped(staged_call(), 1), refused_call(), check(0)});
  const kernels::Capacity capacity = plan_program(c).capacity(c, target);
  EXPECT_EQ(capacity.staging_bytes, 80);
  EXPECT_EQ(capacity.scratch_bytes, 400) << "which is not what refuses it";
}

TEST(ProgramPlan, HasStagingMemoryForTheLargestCallThatIsStaged) {
  EXPECT_EQ(plan_of({fill(0), call(), check(0)}).staging_bytes, 0);
  EXPECT_EQ(plan_of({fill(0), call(), shaped(staged_call(), 1), check(0)}).staging_bytes, 80);
  EXPECT_EQ(plan_of({of(StepKind::deregister_buffer), fill(0), call(), check(0)}).staging_bytes,
            400);
  EXPECT_EQ(
      plan_of({of(StepKind::deregister_buffer), of(StepKind::reconnect), fill(0), call(), check(0)})
          .staging_bytes,
      0);
}

TEST(ProgramPlan, StagesCapturedCallsOnlyWhereABufferIsNotAtAPack) {
  Case c = planned({capture(), call(), end_capture(), replay(0, 1), check(0)});
  EXPECT_EQ(plan_program(c).staging_bytes, 0);
  c.output_offset[1] = 3;
  EXPECT_EQ(plan_program(c).staging_bytes, 400);
  c.in_place = true;
  EXPECT_EQ(plan_program(c).staging_bytes, 0);
  c.input_offset[0] = 1;
  EXPECT_EQ(plan_program(c).staging_bytes, 400);
}

TEST(ProgramPlan, HasTableEntriesForWhatIsKnownAtATime) {
  EXPECT_EQ(plan_of({fill(0), call(), check(0)}).slots, 2);
  EXPECT_EQ(plan_of({fill(0), staged_call(), check(0)}).slots, 1);
  const std::vector<Step> twice{capture(0),   call(),         call(),           end_capture(0),
                                replay(0, 1), check(0),       destroy_graph(0), capture(1),
                                call(),       end_capture(1), replay(1, 1, 1),  check(1)};
  EXPECT_EQ(plan_of(twice).slots, 4);
  Case c = planned({fill(0), call(), call(1), check(0)});
  EXPECT_EQ(plan_program(c).slots, 4);
  c.in_place = true;
  EXPECT_EQ(plan_program(c).slots, 2);
}

TEST(ProgramPlan, GivesPoisonTheTypeOfItsCall) {
  const std::vector<Step> program{poison(),    shaped(fill(0), 1), shaped(call(), 1),
                                  overwrite(), capture(),          queued(poison()),
                                  call(),      end_capture(),      poison(1)};
  const std::vector<CallShape> shapes = plan_of(program).shapes;
  EXPECT_EQ(shapes[0].dtype, DType::bf16);
  EXPECT_EQ(shapes[1].dtype, DType::bf16);
  EXPECT_EQ(shapes[3].dtype, DType::bf16);
  EXPECT_EQ(shapes[5].dtype, DType::fp32);  // of the captured call
  EXPECT_EQ(shapes[8].dtype, DType::fp32);  // no call on this buffer
}

TEST(ProgramPlan, AsksTheTargetForScratchForTheCallsThatThereAre) {
  const Target target{
      .scratch_bytes = [](int world, std::int64_t bytes) { return 10 * world + bytes; }};
  const Case c = planned({shaped(fill(0), 1), shaped(call(), 1), check(0)});
  EXPECT_EQ(plan_program(c).capacity(c, target).scratch_bytes, 100);
  const Case larger = planned({fill(0), shaped(call(), 1), call(), check(0)});
  EXPECT_EQ(plan_program(larger).capacity(larger, target).scratch_bytes, 420);
}

TEST(ProgramPlan, FindsTheStepsOfACapture) {
  const Case c = planned({fill(0), capture(), call(), overwrite(), end_capture(), replay(1, 1)});
  EXPECT_EQ(captured_steps(c, 1).first, 2U);
  EXPECT_EQ(captured_steps(c, 1).end, 4U);
}

}  // namespace
}  // namespace rankle::testing_programs
