// Which way an input goes to the peers, and what fits: plain functions of plain data.
#include "kernels/communicator/path.h"

#include <gtest/gtest.h>

#include "kernels/allreduce/scratch.h"
#include "kernels/communicator/capacity.h"

namespace rankle::kernels {
namespace {

TEST(Path, IsTheBufferItselfOnlyIfItIsRegisteredAndNoCopyIsAskedFor) {
  EXPECT_EQ(choose_path({}), Path::staged);
  EXPECT_EQ(choose_path({.registered = true}), Path::registered);
  EXPECT_EQ(choose_path({.registered = true, .wants_copy = true}), Path::staged);
  EXPECT_EQ(choose_path({.wants_copy = true}), Path::staged);
}

TEST(Path, OfACapturedCallIsTheSameWhateverARankKnows) {
  for (const bool registered : {false, true}) {
    for (const bool wants_copy : {false, true}) {
      EXPECT_EQ(choose_path({true, registered, wants_copy}), Path::captured);
    }
  }
}

TEST(Path, HasANameForReports) {
  EXPECT_EQ(name_of(Path::staged), "staged");
  EXPECT_EQ(name_of(Path::registered), "registered");
  EXPECT_EQ(name_of(Path::captured), "captured");
}

TEST(Capacity, IsInBytesAndIncludesItsLimit) {
  constexpr Capacity kCapacity{.scratch_bytes = 48, .staging_bytes = 64};
  EXPECT_TRUE(fits_staging(kCapacity, 0));
  EXPECT_TRUE(fits_staging(kCapacity, 64));
  EXPECT_FALSE(fits_staging(kCapacity, 65));
  EXPECT_FALSE(fits_staging(kCapacity, -1));
  EXPECT_TRUE(fits_scratch(kCapacity, 48));
  EXPECT_FALSE(fits_scratch(kCapacity, 49));
}

TEST(Scratch, HoldsTheLargestPartInReadModeAndEverythingTwiceInWriteMode) {
  // 23 packs on 4 ranks: three parts of 5 and one of 8.
  constexpr std::int64_t kBytes = 23 * kPackBytes;
  EXPECT_EQ(scratch_bytes(Algorithm::one_stage, kBytes, 4), 0);
  EXPECT_EQ(scratch_bytes(Algorithm::one_stage_naive, kBytes + 3, 4), 0);
  for (const Algorithm algorithm :
       {Algorithm::two_stage_tail, Algorithm::two_stage_naive, Algorithm::two_stage_uniform}) {
    EXPECT_EQ(scratch_bytes(algorithm, kBytes, 4), 8 * kPackBytes);
    EXPECT_EQ(scratch_bytes(algorithm, 0, 4), 0);
  }
  EXPECT_EQ(scratch_bytes(Algorithm::two_stage_write, kBytes, 4), (4 * 8 + 23) * kPackBytes);
}

TEST(Scratch, FitsIfItHasRoomForWhatTheAlgorithmNeeds) {
  constexpr Capacity kCapacity{.scratch_bytes = 8 * kPackBytes};
  EXPECT_TRUE(fits_scratch(kCapacity, Algorithm::two_stage_tail, 23 * kPackBytes, 4));
  EXPECT_FALSE(fits_scratch(kCapacity, Algorithm::two_stage_tail, 27 * kPackBytes, 4));
  EXPECT_FALSE(fits_scratch(kCapacity, Algorithm::two_stage_write, 23 * kPackBytes, 4));
  EXPECT_TRUE(fits_scratch(kCapacity, Algorithm::one_stage, 1000 * kPackBytes, 4));
}

}  // namespace
}  // namespace rankle::kernels
