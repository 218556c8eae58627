// Which variant and which grid a message gets.
#include "kernels/allreduce/dispatch.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace rankle::kernels {
namespace {

constexpr std::int64_t kTile = 512 * kPackBytes;  // one tile in every part, at 512 threads

TwoStagePlan plan(std::int64_t bytes, int world, int threads = 512, int blocks = 0) {
  const auto result = plan_two_stage(bytes, world, threads, 256, blocks);
  EXPECT_TRUE(result.has_value());
  return result.value_or(TwoStagePlan{});
}

TEST(Dispatch, SendsMessagesOfWholeTilesToTheKernelWithoutTail) {
  EXPECT_EQ(plan(kTile, 4), (TwoStagePlan{false, 1, 512}));
  EXPECT_EQ(plan(3 * kTile, 8), (TwoStagePlan{false, 3, 512}));
}

TEST(Dispatch, SeesAPartialTileOnEitherSideOfAWholeOne) {
  EXPECT_EQ(plan(kTile - 4 * kPackBytes, 4), (TwoStagePlan{true, 1, 512}));
  EXPECT_EQ(plan(kTile + 4 * kPackBytes, 4), (TwoStagePlan{true, 2, 512}));
}

TEST(Dispatch, SeesUnequalPartsAsATail) {
  // Parts of 128 packs, a whole tile each, but the last rank owns one pack more.
  EXPECT_EQ(plan(kTile + kPackBytes, 4), (TwoStagePlan{true, 2, 512}));
}

TEST(Dispatch, CountsTilesInLanesIfRanksDoNotDivideTheBlock) {
  // 512 threads and 6 ranks: 85 lanes, 2 surplus threads.
  EXPECT_EQ(plan(6 * 85 * kPackBytes, 6), (TwoStagePlan{false, 1, 512}));
  EXPECT_EQ(plan(kTile, 6), (TwoStagePlan{true, 2, 512}));
}

TEST(Dispatch, CountsTheLastRanksRemainderInTheGrid) {
  EXPECT_EQ(plan(3 * kPackBytes, 8), (TwoStagePlan{true, 1, 512}));
}

TEST(Dispatch, StopsAtTheBlocksThatHaveSignals) {
  EXPECT_EQ(plan(79 * kTile, 4).blocks, 79);
  EXPECT_EQ(plan(80 * kTile, 4).blocks, 80);
  EXPECT_EQ(plan(80 * kTile + kPackBytes, 4).blocks, 80);
  EXPECT_EQ(plan(800 * kTile, 4).blocks, 80);
}

TEST(Dispatch, TakesTheGridThatItIsGiven) {
  EXPECT_EQ(plan(kTile, 4, 64, 3), (TwoStagePlan{false, 3, 64}));
  EXPECT_EQ(plan(kTile, 4, 512, 80).blocks, 80);
}

TEST(Dispatch, LaunchesNothingForAnEmptyMessage) {
  EXPECT_EQ(plan(0, 4).blocks, 0);
  EXPECT_EQ(plan(0, 4, 512, 7).blocks, 0);
}

TEST(Dispatch, RefusesWhatDoesNotFallIntoPacks) {
  EXPECT_EQ(plan_two_stage(kTile + 8, 4, 512, 256), std::nullopt);
  EXPECT_EQ(plan_two_stage(-kPackBytes, 4, 512, 256), std::nullopt);
  EXPECT_EQ(plan_two_stage(kTile, 4, 512, 8), std::nullopt);
  EXPECT_TRUE(plan_two_stage(kTile, 4, 512, 16).has_value());
}

TEST(Dispatch, RefusesWorldsAndGridsBeyondTheSignalBlock) {
  EXPECT_EQ(plan_two_stage(kTile, 1, 512, 16), std::nullopt);
  EXPECT_EQ(plan_two_stage(kTile, 9, 512, 16), std::nullopt);
  EXPECT_EQ(plan_two_stage(kTile, 8, 7, 16), std::nullopt);
  EXPECT_EQ(plan_two_stage(kTile, 8, 512, 16, 81), std::nullopt);
  EXPECT_EQ(plan_two_stage(kTile, 8, 512, 16, -1), std::nullopt);
}

}  // namespace
}  // namespace rankle::kernels
