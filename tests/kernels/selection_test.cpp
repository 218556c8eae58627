// Which algorithm a message gets: the table's promises, stated row by row.
#include "kernels/allreduce/selection.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace rankle::kernels {
namespace {

TEST(Selection, TakesOneStageForTwoRanksAtEverySize) {
  for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{16}, 1 * kKiB, 8192 * kKiB}) {
    EXPECT_EQ(select_algorithm(bytes, 2, 16), Algorithm::one_stage) << bytes;
  }
}

TEST(Selection, TurnsToTwoStagesAtTheWorldsThreshold) {
  EXPECT_EQ(select_algorithm(160 * kKiB - 16, 4, 16), Algorithm::one_stage);
  EXPECT_EQ(select_algorithm(160 * kKiB, 4, 16), Algorithm::two_stage_tail);
  EXPECT_EQ(select_algorithm(80 * kKiB - 16, 8, 16), Algorithm::one_stage);
  EXPECT_EQ(select_algorithm(80 * kKiB, 8, 16), Algorithm::two_stage_tail);
  EXPECT_EQ(select_algorithm(80 * kKiB, 5, 16), Algorithm::two_stage_tail);
}

TEST(Selection, TakesTheNaiveKernelForUnevenPartsAndForSixRanks) {
  EXPECT_EQ(select_algorithm(160 * kKiB + 16, 4, 16), Algorithm::two_stage_naive);
  EXPECT_EQ(select_algorithm(96 * kKiB, 6, 16), Algorithm::two_stage_naive);
}

TEST(Selection, WritesOnlyAboveFourMebibytesOnEightRanks) {
  EXPECT_EQ(select_algorithm(4096 * kKiB, 8, 16), Algorithm::two_stage_tail);
  EXPECT_EQ(select_algorithm(4096 * kKiB + 128, 8, 16), Algorithm::two_stage_write);
  EXPECT_EQ(select_algorithm(4096 * kKiB + 16, 8, 16), Algorithm::two_stage_naive);
  EXPECT_EQ(select_algorithm(4096 * kKiB + 128, 4, 16), Algorithm::two_stage_tail);
}

TEST(Selection, SendsWhatDoesNotFallIntoPacksToTheKernelOfElements) {
  for (int world = 2; world <= 8; ++world) {
    EXPECT_EQ(select_algorithm(1024 * kKiB + 2, world, 16), Algorithm::one_stage_naive) << world;
    EXPECT_EQ(select_algorithm(1024 * kKiB, world, 8), Algorithm::one_stage_naive) << world;
  }
}

TEST(Selection, ListsEverySizeAtWhichItChangesItsMind) {
  EXPECT_EQ(selection_thresholds(),
            (std::vector<std::int64_t>{80 * kKiB, 160 * kKiB, 4096 * kKiB + 1}));
}

}  // namespace
}  // namespace rankle::kernels
