// Weak memory (sim/weak_memory.h): loads return older values where the memory model allows it, and
// nowhere else.
//
// RANKLE_LITMUS_RUNS=N runs each shape and each clean case N times (default 300 and 20).
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/litmus/player.h"
#include "tests/litmus/weak_shapes.h"

namespace rankle::sim::litmus {
namespace {

Config weak(int run) {
  Config config = portfolio(run);
  config.weak_memory = static_cast<std::uint64_t>(run) + 1;
  return config;
}

// The words that the loads of one run returned; reports fail the test.
Loaded loads_of(const Shape& shape, Config config) {
  Loaded loaded{};
  config.devices = 1;
  config.check_leaks = false;
  const Result result = run(config, [&](int) {
    Word* words = nullptr;
    ASSERT_EQ(hipMalloc(&words, 1024), hipSuccess);
    ASSERT_EQ(hipMemset(words, 0, 1024), hipSuccess);
    shape.launch(words, words + 64, words + 128, shape.processes);
    ASSERT_EQ(hipMemcpy(loaded.data(), words + 128, sizeof loaded, hipMemcpyDeviceToHost),
              hipSuccess);
  });
  EXPECT_TRUE(result.reports.empty()) << shape.name << ": " << result.reports.front().message;
  return loaded;
}

class WeakShape : public ::testing::TestWithParam<Shape> {};

TEST_P(WeakShape, HasItsWeakOutcomeOnlyWhereTheModelAllowsIt) {
  const Shape& shape = GetParam();
  int seen = 0;
  for (int run = 0; run < runs_or(300); ++run) {
    const Loaded loaded = loads_of(shape, weak(run));
    const bool is_weak = shape.is_weak(loaded);
    if (!shape.is_allowed) {
      ASSERT_FALSE(is_weak) << "run " << run << ": " << ::testing::PrintToString(loaded);
    }
    seen += is_weak ? 1 : 0;
  }
  if (shape.is_allowed) EXPECT_GT(seen, 0);
}

TEST_P(WeakShape, IsStrongWithoutWeakMemory) {
  const Shape& shape = GetParam();
  for (int run = 0; run < 100; ++run) {
    EXPECT_FALSE(shape.is_weak(loads_of(shape, portfolio(run)))) << "run " << run;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, WeakShape, ::testing::ValuesIn(weak_shapes()),
                         [](const auto& info) { return info.param.name; });

// Whatever the detector holds to be ordered is so for values too.
TEST(WeakMemory, LeavesEveryCleanLitmusRightAndSilent) {
  for (const Litmus& litmus : litmus_table()) {
    if (litmus.is_racy()) continue;
    for (int run = 0; run < runs_or(20); ++run) {
      const Outcome outcome = play(litmus, weak(run));
      EXPECT_EQ(outcome.text, "") << litmus.name << ", run " << run;
      ASSERT_TRUE(outcome.unexpected.empty())
          << litmus.name << ", run " << run << ": " << outcome.unexpected.front();
    }
  }
}

// Plain loads too, while the detector reports the same as ever.
TEST(WeakMemory, ShowsAMissingReleaseInTheResult) {
  for (const char* const name :
       {"race_interdevice_relaxed_flag_raw", "race_interblock_relaxed_flag_raw"}) {
    const auto& table = litmus_table();
    const auto found = std::ranges::find(table, name, &Litmus::name);
    ASSERT_NE(found, table.end()) << name;
    const Litmus& watched = *found;
    const std::set<Found> expected = expected_of(watched);
    int wrong = 0;
    for (int run = 0; run < 40; ++run) {
      const Outcome outcome = play_checking_values(watched, weak(run));
      for (const Found& one : outcome.found) EXPECT_TRUE(expected.contains(one)) << outcome.text;
      wrong += outcome.unexpected.empty() ? 0 : 1;
      EXPECT_TRUE(play_checking_values(watched, portfolio(run)).unexpected.empty()) << name;
    }
    EXPECT_GT(wrong, 0) << name;
  }
}

TEST(WeakMemory, MakesTheSameChoicesForTheSameSeed) {
  const Shape shape = weak_shapes().front();
  for (int run = 0; run < 40; ++run) {
    EXPECT_EQ(loads_of(shape, weak(run)), loads_of(shape, weak(run)));
  }
}

}  // namespace
}  // namespace rankle::sim::litmus
