// Globs over target names: mutants only on request; the closest names to a typo.
#include "cli/glob.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankle::cli {
namespace {

TEST(Glob, MatchesStarsQuestionMarksAndItself) {
  EXPECT_TRUE(glob_matches("allreduce/*", "allreduce/two_stage_tail"));
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_TRUE(glob_matches("*stage*tail", "allreduce/two_stage_tail"));
  EXPECT_TRUE(glob_matches("a?c", "abc"));
  EXPECT_TRUE(glob_matches("a**c", "abbc"));
  EXPECT_TRUE(glob_matches("*ab", "aab"));
  EXPECT_FALSE(glob_matches("allreduce", "allreduce/two_stage_tail"));
  EXPECT_FALSE(glob_matches("a?c", "ac"));
  EXPECT_FALSE(glob_matches("", "a"));
  EXPECT_FALSE(glob_matches("*b", "abc"));
}

TEST(Glob, MatchesMutantsOnlyIfItContainsAnAt) {
  EXPECT_FALSE(target_glob_matches("*", "allreduce/two_stage_tail@tail_drop"));
  EXPECT_FALSE(target_glob_matches("allreduce/*", "allreduce/two_stage_tail@tail_drop"));
  EXPECT_TRUE(target_glob_matches("*@*", "allreduce/two_stage_tail@tail_drop"));
  EXPECT_TRUE(target_glob_matches("*@tail_*", "allreduce/two_stage_tail@tail_drop"));
  EXPECT_FALSE(target_glob_matches("*@*", "allreduce/two_stage_tail"));
}

TEST(ClosestNames, AreNearestFirst) {
  const std::vector<std::string> names = {"allgather/ring", "allreduce/two_stage_tail",
                                          "allreduce/two_stage_uniform"};
  EXPECT_THAT(closest_names("allreduce/two_stage_tial", names, 2),
              testing::ElementsAre("allreduce/two_stage_tail", "allreduce/two_stage_uniform"));
}

}  // namespace
}  // namespace rankle::cli
