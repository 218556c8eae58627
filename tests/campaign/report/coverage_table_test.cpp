// Coverage in the compact form of the page.
#include "campaign/report/coverage_table.h"

#include <gtest/gtest.h>

namespace rankle {
namespace {

using Json = nlohmann::ordered_json;

TEST(CoverageTableTest, EachValueIsWrittenOnceAndRowsPointAtIt) {
  const Json coverage = {{"space", 9},
                         {"cells",
                          {{{"target", "a"}, {"dtype", "bf16"}, {"world", 2}, {"hits", 5}},
                           {{"target", "a"}, {"dtype", "fp32"}, {"world", 4}, {"hits", 0}},
                           {{"target", "b"}, {"dtype", "bf16"}, {"world", 2}, {"hits", 7}}}}};
  const CoverageTable table = coverage_table(coverage);
  EXPECT_EQ(table.json["columns"], Json({"target", "dtype", "world"}));
  EXPECT_EQ(table.json["values"].dump(), R"([["a","b"],["bf16","fp32"],["2","4"]])");
  EXPECT_EQ(table.json["rows"], Json({{0, 0, 0, 5}, {0, 1, 1, 0}, {1, 0, 0, 7}}));
  EXPECT_EQ(table.cells_hit, 2U);
  EXPECT_EQ(table.space, 9U);
}

TEST(CoverageTableTest, WhatIsNoCellIsLeftOut) {
  const CoverageTable table =
      coverage_table({{"cells", {7, {{"target", "a"}, {"hits", -3}}, "text"}}});
  EXPECT_EQ(table.json["rows"], Json({{0, 0}}));
  EXPECT_EQ(table.cells_hit, 0U);
}

TEST(CoverageTableTest, NothingGivesAnEmptyTable) {
  EXPECT_TRUE(coverage_table(Json()).json["rows"].empty());
  EXPECT_TRUE(coverage_table(Json::array()).json["rows"].empty());
}

}  // namespace
}  // namespace rankle
