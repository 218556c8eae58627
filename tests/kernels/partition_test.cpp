// Who owns which packs, and which thread moves them.
#include "kernels/allreduce/partition.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace rankle::kernels {
namespace {

TEST(Partition, CoversEveryPackOnceInRankOrder) {
  for (int world = 2; world <= 8; ++world) {
    for (std::int64_t packs = 0; packs < 300; ++packs) {
      const Partition partition{packs, world};
      std::int64_t next = 0;
      for (int rank = 0; rank < world; ++rank) {
        ASSERT_EQ(partition.begin(rank), next) << world << " ranks, " << packs << " packs";
        ASSERT_LE(partition.owned(rank), partition.largest());
        next += partition.owned(rank);
      }
      ASSERT_EQ(next, packs) << world << " ranks";
    }
  }
}

TEST(Partition, GivesTheRemainderToTheLastRank) {
  const Partition partition{23, 4};
  EXPECT_EQ(partition.owned(0), 5);
  EXPECT_EQ(partition.owned(2), 5);
  EXPECT_EQ(partition.owned(3), 8);
  EXPECT_EQ(partition.begin(3), 15);
  EXPECT_EQ(partition.largest(), 8);
}

TEST(Partition, GivesEverythingToTheLastRankIfThereAreFewerPacksThanRanks) {
  const Partition partition{5, 8};
  for (int rank = 0; rank < 7; ++rank) EXPECT_EQ(partition.owned(rank), 0);
  EXPECT_EQ(partition.owned(7), 5);
  EXPECT_EQ(partition.begin(7), 0);
}

TEST(TileLane, FormsOneGroupPerRankAndKeepsSurplusThreadsApart) {
  for (int world = 2; world <= 8; ++world) {
    for (const int threads : {64, 65, 96, 127, 128, 500, 511, 512}) {
      const int width = tile_width(threads, world);
      std::vector<int> members(world + 1, 0);
      for (int thread = 0; thread < threads; ++thread) {
        const TileLane me = TileLane::of(thread, threads, world);
        ASSERT_EQ(me.width, width);
        ASSERT_LE(me.group, world);
        ASSERT_LT(me.lane, width);
        if (me.group < world) ASSERT_EQ(me.group * width + me.lane, thread);
        ++members[me.group];
      }
      for (int group = 0; group < world; ++group) ASSERT_EQ(members[group], width);
      ASSERT_EQ(members[world], threads % world) << threads << " threads, " << world << " ranks";
    }
  }
}

}  // namespace
}  // namespace rankle::kernels
