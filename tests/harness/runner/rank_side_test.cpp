// What a rank provides for a target: room for the calls of the program and no more, and poison in
// all that kernels may leave behind.
#include "harness/runner/rank_side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "harness/runner/device_hooks.h"
#include "harness/runner/rank_group.h"
#include "harness/runner/target_loader.h"
#include "sim/machine.h"

namespace rankle {
namespace {

constexpr std::int64_t kCount = 50;
constexpr std::size_t kBytes = kCount * 4;

// Connects both ranks, runs `body` on each, and disconnects them.
void with_sides(bool staged, const std::function<void(RankSide&, const Case&, HipCalls&)>& body) {
  Case c;
  c.target = "allreduce/testing_none";
  c.world = 2;
  c.shape = {kCount};
  c.geometry = {1, 64, 64};
  c.input_offset = {0, 0};
  c.output_offset = {0, 0};
  c.program = {{StepKind::fill, 0}, {StepKind::call, 0, staged}, {StepKind::check, 0}};
  static TargetLoader loader({FAULTY_TARGETS});
  FiberBoard board(c.world);
  const auto result = device_hooks::run_ranks(c, {}, [&](int rank) {
    std::string error;
    const Target* const target = loader.fresh(c.target, rank, error);
    ASSERT_NE(target, nullptr) << error;
    FiberRankGroup group(board, rank);
    HipCalls hip;
    RankSide side(*target, c.target, "");
    const ProgramPlan plan = plan_program(c);
    EXPECT_TRUE(side.allocate(hip, c, plan, rank));
    EXPECT_TRUE(side.connect(hip, c, plan, group));
    body(side, c, hip);
    EXPECT_TRUE(side.disconnect(hip));
    side.release();
    EXPECT_EQ(hip.failure(), "");
  });
  EXPECT_THAT(result.findings, testing::IsEmpty());
  EXPECT_THAT(result.at_end, testing::IsEmpty());
}

TEST(RankSide, HasStagingMemoryOnlyForAProgramThatUsesIt) {
  with_sides(false, [](RankSide& side, const Case&, HipCalls&) {
    EXPECT_EQ(side.memory().scratch.bytes, kBytes + 16);
    EXPECT_EQ(side.memory().staging.bytes, 0U);
  });
  with_sides(true, [](RankSide& side, const Case&, HipCalls&) {
    EXPECT_GE(side.memory().staging.bytes, 2 * kBytes);
  });
}

TEST(RankSide, PoisonsScratchAndStagingMemory) {
  with_sides(true, [](RankSide& side, const Case& c, HipCalls& hip) {
    const auto [signals, scratch, staging, table] = side.memory();
    for (const kernels::BufferRange& range : {scratch, staging}) {
      EXPECT_EQ(sim::uninitialised_bytes(range.begin, range.bytes), range.bytes);
      EXPECT_EQ(hipMemset(range.begin, 1, range.bytes), hipSuccess);
      EXPECT_EQ(sim::uninitialised_bytes(range.begin, range.bytes), 0U);
    }
    EXPECT_TRUE(side.poison_scratch(hip, c.dtype));
    for (const kernels::BufferRange& range : {scratch, staging}) {
      EXPECT_EQ(sim::uninitialised_bytes(range.begin, range.bytes), range.bytes);
    }
    EXPECT_EQ(sim::uninitialised_bytes(signals.begin, signals.bytes), 0U);
    EXPECT_GT(table.bytes, 0U);
  });
}

}  // namespace
}  // namespace rankle
