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

TEST(Dispatch, GivesTheNaiveTwoStageAThreadPerPackOfTheLargestPart) {
  EXPECT_EQ(plan_two_stage_naive(4 * 512 * kPackBytes, 4, 512, 256), (Grid{1, 512}));
  EXPECT_EQ(plan_two_stage_naive((4 * 512 + 1) * kPackBytes, 4, 512, 256), (Grid{2, 512}));
  EXPECT_EQ(plan_two_stage_naive(0, 4, 512, 256, 3), (Grid{0, 512}));
  EXPECT_EQ(plan_two_stage_naive(kTile, 4, 512, 8), std::nullopt);
}

TEST(Dispatch, GivesTheOneStageATilePerBlockOfTheWholeMessage) {
  EXPECT_EQ(plan_one_stage(128 * kPackBytes, 4, 512, 256), (Grid{1, 512}));
  EXPECT_EQ(plan_one_stage(129 * kPackBytes, 4, 512, 256), (Grid{2, 512}));
  EXPECT_EQ(plan_one_stage(85 * kPackBytes, 6, 512, 256), (Grid{1, 512}));
  EXPECT_EQ(plan_one_stage(128 * 81 * kPackBytes, 4, 512, 256).value().blocks, kBlocksMax);
  EXPECT_EQ(plan_one_stage(kTile, 4, 513, 256), std::nullopt);
}

TEST(Dispatch, MovesElementsWherePacksDoNotFit) {
  const auto naive = [](std::int64_t bytes, std::int64_t alignment) {
    return plan_one_stage_naive(bytes, 2, 4, 64, alignment).value();
  };
  EXPECT_EQ(naive(65 * kPackBytes, 16), (NaivePlan{true, 2, 64}));
  EXPECT_EQ(naive(64 * kPackBytes + 2, 16), (NaivePlan{true, 1, 64}));
  EXPECT_EQ(naive(64 * kPackBytes, 8), (NaivePlan{false, 8, 64}));
  EXPECT_EQ(naive(14, 16), (NaivePlan{false, 1, 64}));
  EXPECT_EQ(naive(0, 16).blocks, 0);
}

TEST(Dispatch, WritesLargeSumsIntoOutputsThatAreRegistered) {
  const auto write = [](std::int64_t bytes, bool can_broadcast) {
    return plan_two_stage_write(bytes, 4, 512, 16, 0, can_broadcast).value();
  };
  EXPECT_EQ(write(kBroadcastBytesMin, true), (WritePlan{true, 2, 512}));
  EXPECT_EQ(write(kBroadcastBytesMin - kPackBytes, true), (WritePlan{false, 3, 512}));
  EXPECT_EQ(write(kBroadcastBytesMin, false), (WritePlan{false, 2, 512}));
}

}  // namespace
}  // namespace rankle::kernels
