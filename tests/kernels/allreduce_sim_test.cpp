// The all-reduces on the simulator, without the harness: every rank's output is exact, all kernels
// agree bit for bit on every pattern, and no detector speaks. The planted bugs differ.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/kernels/plugin_on_sim.h"

namespace rankle {
namespace {

std::string describe(const Series& run) {
  return fmt::format("world {}, {} elements of {} bytes, {} threads, {} blocks, in place {}",
                     run.world, run.count, run.element_bytes, run.threads, run.blocks,
                     run.in_place);
}

// Counts in packs around every boundary: none, fewer than ranks, tiles, rounds of the grid.
std::vector<std::int64_t> interesting_packs(const Series& run) {
  const std::int64_t tile = std::int64_t{run.threads} / run.world * run.world;
  const std::int64_t grid = tile * (run.blocks == 0 ? 3 : run.blocks);
  return {0, 1, run.world - 1, run.world, tile - 1, tile, tile + 1, grid, 2 * grid + run.world + 1};
}

// Elements that are integers in int32 and differ in rank, round and position.
std::int32_t integer_of(int rank, int round, std::int64_t i) {
  return static_cast<std::int32_t>(i * (rank + 1) * 7919 + round * 104729);
}

InputBytes integers(const Series& run) {
  return [&run](int rank, int round) {
    Bytes bytes(static_cast<std::size_t>(run.count) * 4);
    for (std::int64_t i = 0; i < run.count; ++i) {
      const std::int32_t element = integer_of(rank, round, i);
      std::memcpy(bytes.data() + i * 4, &element, 4);
    }
    return bytes;
  };
}

// Elements of all outputs that are not the sum of integers().
std::int64_t wrong_integers(const Series& run, const Result& result) {
  std::int64_t wrong = 0;
  for (std::size_t k = 0; k < result.outputs.size(); ++k) {
    const int round = static_cast<int>(k) / run.world;
    for (std::int64_t i = 0; i < run.count; ++i) {
      std::uint32_t wanted = 0;
      for (int rank = 0; rank < run.world; ++rank) {
        wanted += static_cast<std::uint32_t>(integer_of(rank, round, i));
      }
      std::uint32_t actual = 0;
      std::memcpy(&actual, result.outputs[k].data() + i * 4, 4);
      if (actual != wanted) ++wrong;
    }
  }
  return wrong;
}

// Every byte pattern, NaNs and infinities among them.
InputBytes any_bytes(const Series& run) {
  return [&run](int rank, int round) {
    std::mt19937 random(static_cast<unsigned>(rank * 100 + round));
    Bytes bytes(static_cast<std::size_t>(run.count) * run.element_bytes);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
    return bytes;
  };
}

Result run_clean(const Series& run, const std::vector<const Target*>& targets,
                 const InputBytes& inputs) {
  Result result = run_on_sim(run, targets, inputs);
  for (const auto& report : result.reports) ADD_FAILURE() << report.message;
  return result;
}

using Targets = std::vector<const Target*>;

const Targets& targets_of(const std::string& algorithm) {
  static std::map<std::string, Targets> loaded;
  Targets& targets = loaded[algorithm];
  if (targets.empty()) targets = load("allreduce." + algorithm);
  return targets;
}

const char* const kAlgorithms[] = {"one_stage",      "one_stage_naive",   "two_stage_naive",
                                   "two_stage_tail", "two_stage_uniform", "two_stage_write"};

class AllReduceOnSim : public testing::TestWithParam<int> {
 protected:
  static const Targets& uniform() { return targets_of("two_stage_uniform"); }
  static const Targets& tail() { return targets_of("two_stage_tail"); }
};

TEST_P(AllReduceOnSim, SumsIntegersExactlyOnEveryRankInEveryRound) {
  Series run{.world = GetParam(), .dtype = DType::int32, .accum = Accum::native};
  run.threads = 100;
  run.blocks = 2;
  run.config.policy = sim::Policy::random;
  for (const char* algorithm : kAlgorithms) {
    const Targets& targets = targets_of(algorithm);
    for (const std::int64_t packs : interesting_packs(run)) {
      run.count = packs * 4;
      run.in_place = targets.front()->contract->in_place && packs % 2 == 1;
      run.config.seed = static_cast<std::uint64_t>(packs);
      SCOPED_TRACE(algorithm + (": " + describe(run)));
      EXPECT_EQ(wrong_integers(run, run_clean(run, targets, integers(run))), 0);
    }
  }
}

// The copy aligns what the user has not aligned; the result goes back to where it was asked for.
TEST_P(AllReduceOnSim, SumsTheSameThroughStagingMemoryFromAnyAddress) {
  Series run{.world = GetParam(), .dtype = DType::int32, .accum = Accum::native, .staged = true};
  run.config.policy = sim::Policy::random;
  for (const char* algorithm : kAlgorithms) {
    const Targets& targets = targets_of(algorithm);
    for (const std::int64_t packs : {1, run.world + 1, 300}) {
      run.count = packs * 4;
      for (const bool shifted : {false, true}) {
        run.shifted = shifted;
        run.in_place = targets.front()->contract->in_place && packs == 300;
        SCOPED_TRACE(algorithm + (": " + describe(run)));
        EXPECT_EQ(wrong_integers(run, run_clean(run, targets, integers(run))), 0);
      }
    }
  }
}

struct Format {
  DType dtype;
  int element_bytes;
  Accum accum;
};

constexpr Format kFormats[] = {{DType::fp64, 8, Accum::native}, {DType::fp32, 4, Accum::fp32},
                               {DType::bf16, 2, Accum::fp32},   {DType::bf16, 2, Accum::native},
                               {DType::fp16, 2, Accum::fp32},   {DType::fp16, 2, Accum::native},
                               {DType::int8, 1, Accum::native}, {DType::int64, 8, Accum::native}};

TEST_P(AllReduceOnSim, AllKernelsAgreeBitForBitOnEveryPatternOfEveryType) {
  Series run{.world = GetParam(), .rounds = 2};
  for (const Format& format : kFormats) {
    run.dtype = format.dtype;
    run.accum = format.accum;
    run.element_bytes = static_cast<std::size_t>(format.element_bytes);
    const std::vector<std::int64_t> sizes = interesting_packs(run);
    for (const std::int64_t packs : {sizes[1], sizes[6], sizes[8]}) {
      run.count = packs * 16 / format.element_bytes;
      const Result a = run_clean(run, uniform(), any_bytes(run));
      for (std::size_t k = 0; k < a.outputs.size(); ++k) {
        ASSERT_EQ(a.outputs[k], a.outputs[k / run.world * run.world])
            << "ranks differ, output " << k;
      }
      for (const char* algorithm : kAlgorithms) {
        SCOPED_TRACE(algorithm + (": " + describe(run)));
        ASSERT_EQ(a.outputs, run_clean(run, targets_of(algorithm), any_bytes(run)).outputs);
      }
    }
  }
}

TEST_P(AllReduceOnSim, ElementsAtAnyAddressGetTheBitsOfPacks) {
  Series run{.world = GetParam(), .rounds = 2};
  for (const Format& format : kFormats) {
    run.dtype = format.dtype;
    run.accum = format.accum;
    run.element_bytes = static_cast<std::size_t>(format.element_bytes);
    run.count = 16 * 37;
    SCOPED_TRACE(describe(run));
    run.shifted = false;
    const Result packs = run_clean(run, targets_of("one_stage_naive"), any_bytes(run));
    EXPECT_EQ(packs.variants.front(), "one_stage_naive<packs>");
    run.shifted = true;
    const Result shifted = run_clean(run, targets_of("one_stage_naive"), any_bytes(run));
    EXPECT_EQ(shifted.variants.front(), "one_stage_naive<elements>");
    EXPECT_EQ(packs.outputs, shifted.outputs);
  }
}

TEST_P(AllReduceOnSim, LooseElementsBehindTheLastPackAreSummed) {
  Series run{.world = GetParam(), .dtype = DType::int32, .accum = Accum::native};
  for (const std::int64_t count : {1, 3, 4, 5, 259}) {
    run.count = count;
    SCOPED_TRACE(describe(run));
    const Targets& targets = targets_of("one_stage_naive");
    EXPECT_EQ(wrong_integers(run, run_clean(run, targets, integers(run))), 0);
  }
}

TEST_P(AllReduceOnSim, WriteModeTakesEitherWayToTheOutput) {
  Series run{.world = GetParam(), .dtype = DType::int32, .accum = Accum::native, .threads = 512};
  const Targets& targets = targets_of("two_stage_write");
  run.count = (16384 + 16) / 4;
  for (const bool in_place : {false, true}) {
    run.in_place = in_place;
    const Result broadcast = run_clean(run, targets, integers(run));
    EXPECT_EQ(broadcast.variants.front(), "two_stage_write<broadcast>");
    EXPECT_EQ(wrong_integers(run, broadcast), 0);
  }
  run.count = (16384 - 16) / 4;
  const Result temporary = run_clean(run, targets, integers(run));
  EXPECT_EQ(temporary.variants.front(), "two_stage_write<temporary>");
  EXPECT_EQ(wrong_integers(run, temporary), 0);
}

INSTANTIATE_TEST_SUITE_P(Worlds, AllReduceOnSim, testing::Range(2, 9));

// Clean and mutant are loaded in one process here: each must keep its own code.
class PlantedBug : public AllReduceOnSim {};

TEST_F(PlantedBug, DivergentBarrierIsReportedAtItsLoopAndTheCleanKernelIsNot) {
  const auto mutant = load("allreduce.two_stage_uniform@divergent_barrier");
  Series run{.world = 4, .dtype = DType::bf16, .element_bytes = 2, .threads = 512};
  run.count = (4 * 128 + 4 * 64) * 8;  // one and a half tiles in every part
  run.blocks = 1;
  const Result result = run_on_sim(run, mutant, any_bytes(run));
  ASSERT_FALSE(result.reports.empty());
  const sim::Report& report = result.reports.front();
  EXPECT_EQ(report.kind, sim::ReportKind::barrier_divergence) << report.message;
  bool names_loop = false;
  for (const auto& site : report.sites) {
    names_loop |= site.file == "kernels/allreduce/two_stage_uniform.h";
  }
  EXPECT_TRUE(names_loop) << report.message;
  run_clean(run, uniform(), any_bytes(run));
}

TEST_F(PlantedBug, TailDropLosesTheLastRanksRemainderOnly) {
  const auto mutant = load("allreduce.two_stage_tail@tail_drop");
  Series run{.world = 4, .dtype = DType::int32, .accum = Accum::native, .rounds = 1};
  run.config.keep_going = true;
  run.count = 64 * 4;
  EXPECT_EQ(wrong_integers(run, run_on_sim(run, mutant, integers(run))), 0);
  run.count = 66 * 4;  // two packs of remainder
  EXPECT_EQ(wrong_integers(run, run_on_sim(run, mutant, integers(run))), 2 * 4 * 4);
  EXPECT_EQ(wrong_integers(run, run_clean(run, tail(), integers(run))), 0);
}

TEST_F(PlantedBug, ReorderedSumIsInvisibleToIntegersAndShowsInRoundedBits) {
  const auto mutant = load("allreduce.two_stage_tail@reordered_sum");
  Series run{.world = 4, .dtype = DType::int32, .accum = Accum::native, .rounds = 1};
  run.count = 66 * 4;
  EXPECT_EQ(wrong_integers(run, run_clean(run, mutant, integers(run))), 0);
  run.dtype = DType::fp32;
  run.accum = Accum::fp32;
  const InputBytes nearby = [&run](int rank, int) {
    std::mt19937 random(static_cast<unsigned>(rank));
    std::uniform_real_distribution<float> uniform(-1, 1);
    Bytes bytes(static_cast<std::size_t>(run.count) * 4);
    for (std::int64_t i = 0; i < run.count; ++i) {
      const float element = uniform(random);
      std::memcpy(bytes.data() + i * 4, &element, 4);
    }
    return bytes;
  };
  const Result drifted = run_clean(run, mutant, nearby);
  EXPECT_NE(drifted.outputs, run_clean(run, tail(), nearby).outputs);
  for (const Bytes& output : drifted.outputs) EXPECT_EQ(output, drifted.outputs.front());
}

}  // namespace
}  // namespace rankle
