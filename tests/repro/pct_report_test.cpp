// What a run under PCT says of itself.
#include "repro/pct_report.h"

#include <gtest/gtest.h>

namespace rankle {
namespace {

PctReport report_of(int depth, std::uint64_t horizon, std::uint64_t entities,
                    std::uint64_t gave_way) {
  Schedule schedule;
  schedule.policy = Policy::pct;
  schedule.depth = depth;
  schedule.horizon = horizon;
  RunStats stats;
  stats.entities = entities;
  stats.gave_way = gave_way;
  return pct_report(schedule, stats);
}

TEST(PctReport, GivesTheBoundOfTheTheory) {
  EXPECT_EQ(report_of(1, 400, 12, 0).runs, 12);
  EXPECT_EQ(report_of(3, 100, 12, 0).runs, 120'000);
  EXPECT_EQ(sentence_of(report_of(2, 400, 12, 0)),
            "PCT: d = 2, n = 12 entities, k = 400 steps: a bug that needs 2 ordering constraints "
            "within k steps is hit by one run in 4.8e+03 at least");
  EXPECT_NE(sentence_of(report_of(1, 400, 12, 0)).find("1 ordering constraint within"),
            std::string::npos);
}

TEST(PctReport, IsVoidWhereEntitiesSpin) {
  EXPECT_TRUE(report_of(2, 400, 12, 1).is_void());
  EXPECT_EQ(sentence_of(report_of(2, 400, 12, 3)),
            "PCT: d = 2, n = 12 entities, k = 400 steps: no bound holds, because entities that "
            "spin gave way 3 times against their priority");
}

}  // namespace
}  // namespace rankle
