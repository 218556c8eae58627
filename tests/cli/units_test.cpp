// Durations and sizes: what is taken, to which value, and what is refused.
#include "cli/units.h"

#include <gtest/gtest.h>

namespace rankle::cli {
namespace {

TEST(Duration, TakesUnitsAndSums) {
  EXPECT_DOUBLE_EQ(parse_duration("500ms").value(), 0.5);
  EXPECT_DOUBLE_EQ(parse_duration("60s").value(), 60);
  EXPECT_DOUBLE_EQ(parse_duration("2m").value(), 120);
  EXPECT_DOUBLE_EQ(parse_duration("1h").value(), 3600);
  EXPECT_DOUBLE_EQ(parse_duration("1.5h").value(), 5400);
  EXPECT_DOUBLE_EQ(parse_duration("1h30m").value(), 5400);
  EXPECT_DOUBLE_EQ(parse_duration("7d").value(), 604800);
}

TEST(Duration, RefusesWhatCouldBeMisread) {
  for (const char* text : {"", "60", "s", "-1s", "+1s", "1e3s", "1s1s", "30m1h", "1 s", "1S",
                           "1..5s", "367d", "nan", "infs", "60s "}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Size, TakesUnits) {
  EXPECT_EQ(parse_size("4096"), 4096);
  EXPECT_EQ(parse_size("64KiB"), 65536);
  EXPECT_EQ(parse_size("1M"), 1048576);
  EXPECT_EQ(parse_size("1MB"), 1000000);
  EXPECT_EQ(parse_size("1.5K"), 1536);
  EXPECT_EQ(parse_size("2G"), std::int64_t{2} << 30);
}

TEST(Size, RefusesFractionsOfBytesAndUnknownUnits) {
  for (const char* text : {"", "K", "-1", "1.5", "0.3K", "1T", "1 K", "1kb", "99999999999G"}) {
    EXPECT_FALSE(parse_size(text)) << text;
  }
}

TEST(Duration, IsPrintedInTheUnitThatFits) {
  EXPECT_EQ(format_duration(0.424), "0.42 s");
  EXPECT_EQ(format_duration(12.34), "12.3 s");
  EXPECT_EQ(format_duration(65), "1 min 5 s");
  EXPECT_EQ(format_duration(7380), "2 h 3 min");
}

}  // namespace
}  // namespace rankle::cli
