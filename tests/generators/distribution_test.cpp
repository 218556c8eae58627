// What 10,000 draws contain: every class of boundary, every policy, dtype and world, and a mix
// whose median case is about 1,024 simulated threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "generators/generate.h"
#include "generators/names.h"
#include "generators/tiling.h"
#include "tests/generators/test_contracts.h"

namespace rankle {
namespace {

constexpr int kDraws = 10'000;

const std::vector<Case>& draws() {
  static const std::vector<Case> cases = [] {
    std::vector<Case> drawn;
    for (int i = 0; i < kDraws; ++i) {
      drawn.push_back(draw_case({test::two_stage()}, {}, 1, static_cast<std::uint64_t>(i)));
    }
    return drawn;
  }();
  return cases;
}

template <class Predicate>
int count_of(Predicate predicate) {
  return static_cast<int>(std::count_if(draws().begin(), draws().end(), predicate));
}

Tiling tiling_of(const Case& c) { return Tiling::of(c.bytes(), c.world, c.geometry.threads); }

std::int64_t blocks_of(const Case& c) {
  if (c.geometry.blocks > 0) return c.geometry.blocks;
  return own_blocks(c.bytes() / kPackBytes, c.geometry.threads, test::two_stage().blocks_max);
}

TEST(Distribution, HitsSmallBoundaries) {
  EXPECT_GE(count_of([](const Case& c) { return c.count() == 0; }), 100);
  EXPECT_GE(count_of([](const Case& c) { return c.bytes() == kPackBytes; }), 100);
  EXPECT_GE(
      count_of([](const Case& c) { return c.count() > 0 && c.bytes() < c.world * kPackBytes; }),
      300);
  for (const int delta : {-1, 0, 1}) {
    EXPECT_GE(count_of([=](const Case& c) { return c.bytes() == (c.world + delta) * kPackBytes; }),
              30)
        << delta;
  }
}

TEST(Distribution, HitsTilesAndGridsAndThresholdsOneGranuleEachWay) {
  for (const int delta : {-1, 0, 1}) {
    EXPECT_GE(count_of([=](const Case& c) {
                const Tiling t = tiling_of(c);
                return c.bytes() == (t.row * c.world + delta) * kPackBytes;
              }),
              40)
        << "tile " << delta;
    EXPECT_GE(count_of([=](const Case& c) {
                const Tiling t = tiling_of(c);
                const std::int64_t grid = t.row * c.geometry.blocks * c.world;
                const std::int64_t packs = c.bytes() / kPackBytes - delta;
                return c.geometry.blocks > 1 && packs > 0 && packs % grid == 0;
              }),
              25)
        << "grid " << delta;
    EXPECT_GE(count_of([=](const Case& c) {
                return c.bytes() == test::two_stage().thresholds_bytes[0] + delta * kPackBytes;
              }),
              15)
        << "threshold " << delta;
  }
}

TEST(Distribution, HitsTailsOfChosenLanes) {
  const auto with_tail = [](auto wanted) {
    return count_of([=](const Case& c) {
      const Tiling t = tiling_of(c);
      return t.part > t.row && t.part % t.row == wanted(c, t);
    });
  };
  EXPECT_GE(with_tail([](const Case&, const Tiling&) { return 1; }), 200) << "one lane";
  EXPECT_GE(with_tail([](const Case&, const Tiling& t) { return t.row - 1; }), 100);
  EXPECT_GE(with_tail([](const Case& c, const Tiling&) { return c.geometry.wave; }), 20);
  EXPECT_GE(with_tail([](const Case& c, const Tiling&) { return c.geometry.wave - 1; }), 20);
  EXPECT_GE(with_tail([](const Case& c, const Tiling&) { return c.geometry.wave + 1; }), 20);
  // Threads of one block with different trip counts, after at least one whole round of the grid.
  EXPECT_GE(count_of([](const Case& c) {
              const Tiling t = tiling_of(c);
              return t.part > t.row * blocks_of(c) && t.part % t.row != 0;
            }),
            1000);
}

TEST(Distribution, HasEveryEnumeratorWorldAndGeometry) {
  std::map<int, int> worlds, waves, blocks;
  std::map<DType, int> dtypes;
  std::map<Policy, int> policies;
  std::map<Granularity, int> granularities;
  std::map<BarrierModel, int> models;
  std::map<Inputs, int> inputs;
  std::map<Accum, int> accums;
  for (const Case& c : draws()) {
    ++worlds[c.world], ++waves[c.geometry.wave], ++blocks[c.geometry.blocks], ++dtypes[c.dtype];
    ++policies[c.schedule.policy], ++granularities[c.schedule.granularity];
    ++models[c.schedule.barrier_model], ++inputs[c.inputs], ++accums[c.accum];
  }
  for (int world = 2; world <= 8; ++world) EXPECT_GE(worlds[world], kDraws / 7 / 2) << world;
  for (const DType dtype : test::two_stage().dtypes) {
    EXPECT_GE(dtypes[dtype], kDraws / 8) << name_of(dtype);
  }
  for (const Policy policy : all_policies()) EXPECT_GE(policies[policy], 1000) << name_of(policy);
  for (const int wave : {32, 64}) EXPECT_GE(waves[wave], 4000);
  for (const int few : {0, 1, 2, 3}) EXPECT_GE(blocks[few], 200) << few;
  EXPECT_GE(blocks.size(), 20u);
  EXPECT_GE(granularities[Granularity::access], 100);
  EXPECT_LE(granularities[Granularity::access], 1000);
  EXPECT_GE(models[BarrierModel::nvidia], 2000);
  const auto limited = std::count_if(draws().begin(), draws().end(),
                                     [](const Case& c) { return c.geometry.resident_blocks > 0; });
  EXPECT_NEAR(limited, kDraws * 12 / 100, 200);
  EXPECT_NEAR(inputs[Inputs::rounding], kDraws / 5, 300);
  EXPECT_EQ(inputs[Inputs::special], 0);
  EXPECT_GE(accums[Accum::native], 2000);
  EXPECT_GE(count_of([](const Case& c) { return c.geometry.threads % c.geometry.wave != 0; }),
            1500);
  EXPECT_GE(count_of([](const Case& c) { return c.geometry.threads % c.world != 0; }), 1500);
}

TEST(Distribution, HasShapesOffsetsAndPrograms) {
  EXPECT_GE(count_of([](const Case& c) { return c.shape.size() == 2; }), 1000);
  EXPECT_GE(count_of([](const Case& c) { return c.shape.back() == 2880; }), 20);
  EXPECT_GE(count_of([](const Case& c) { return c.shape.front() == 1025; }), 5);
  EXPECT_GE(count_of([](const Case& c) { return c.input_offset != c.output_offset; }), 3000);
  EXPECT_GE(count_of([](const Case& c) {
              return std::adjacent_find(c.input_offset.begin(), c.input_offset.end(),
                                        std::not_equal_to<>()) != c.input_offset.end();
            }),
            2000);
  const auto has = [](const Case& c, StepKind kind) {
    return std::any_of(c.program.begin(), c.program.end(),
                       [kind](const Step& step) { return step.kind == kind; });
  };
  const auto rounds = [](const Case& c) {
    return std::count_if(c.program.begin(), c.program.end(),
                         [](const Step& step) { return step.kind == StepKind::fill; });
  };
  for (const int number : {1, 2, 3, 4}) {
    EXPECT_GE(count_of([&](const Case& c) { return rounds(c) == number; }), 500) << number;
  }
  EXPECT_GE(count_of([&](const Case& c) { return !has(c, StepKind::poison_scratch); }), 4500);
  EXPECT_GE(count_of([&](const Case& c) { return has(c, StepKind::poison_scratch); }), 3000);
  EXPECT_GE(count_of([&](const Case& c) { return !has(c, StepKind::sync); }), 1000);
}

TEST(Distribution, InPlaceCasesAppearWhereAllowed) {
  int in_place = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    in_place += draw_case({test::elementwise()}, {}, 1, i).in_place;
  }
  EXPECT_NEAR(in_place, 250, 60);
}

TEST(Distribution, MedianCaseHasAboutAThousandThreadsWithATailOfLargeOnes) {
  std::vector<std::int64_t> threads, bytes;
  for (const Case& c : draws()) {
    threads.push_back(c.world * blocks_of(c) * c.geometry.threads);
    bytes.push_back(c.world * c.bytes());
  }
  std::sort(threads.begin(), threads.end());
  std::sort(bytes.begin(), bytes.end());
  const auto mean = [](const std::vector<std::int64_t>& values) {
    return std::accumulate(values.begin(), values.end(), std::int64_t{0}) / kDraws;
  };
  RecordProperty("threads_median", std::to_string(threads[kDraws / 2]));
  RecordProperty("threads_mean", std::to_string(mean(threads)));
  RecordProperty("bytes_median", std::to_string(bytes[kDraws / 2]));
  RecordProperty("bytes_mean", std::to_string(mean(bytes)));
  EXPECT_GE(threads[kDraws / 2], 700);
  EXPECT_LE(threads[kDraws / 2], 1400);
  EXPECT_GE(threads.back(), 30'000);
  EXPECT_LE(mean(threads), 4000);
  EXPECT_GE(bytes.back(), std::int64_t{4} << 20);
}

TEST(Distribution, SizesRiseWithinACycleAndStartAgain) {
  std::int64_t first = 0, last = 0;
  for (std::size_t i = 0; i < draws().size(); ++i) {
    const std::size_t size = i % kSizeCycle;
    if (size < 30) first += draws()[i].world * draws()[i].bytes();
    if (size > 70) last += draws()[i].world * draws()[i].bytes();
  }
  EXPECT_GT(last, 2 * first);
}

}  // namespace
}  // namespace rankle
