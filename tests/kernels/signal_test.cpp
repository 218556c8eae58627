// Layout of the signal block and comparison of its counters.
#include "kernels/signal.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace rankle::kernels {
namespace {

TEST(Signals, KeepsItsArraysOnSeparateLines) {
  EXPECT_EQ(alignof(Signals), 128u);
  EXPECT_EQ(offsetof(Signals, start), 0u);
  EXPECT_EQ(offsetof(Signals, end), 80u * 8 * 4);
  EXPECT_EQ(offsetof(Signals, count), 2u * 80 * 8 * 4);
  EXPECT_EQ(offsetof(Signals, count) % 128, 0u);
  EXPECT_EQ(sizeof(Signals) % 128, 0u);
}

TEST(Signals, CountersComparePastTheirWrap) {
  EXPECT_TRUE(has_reached(5, 5));
  EXPECT_TRUE(has_reached(6, 5));
  EXPECT_FALSE(has_reached(4, 5));
  EXPECT_TRUE(has_reached(0, 0xffffffffu));
  EXPECT_FALSE(has_reached(0xffffffffu, 0));
  EXPECT_TRUE(has_reached(1, 0xfffffffeu));
}

}  // namespace
}  // namespace rankle::kernels
