// Launches, built-in variables, shared memory, atomics: what a kernel computes.
#include <numeric>
#include <set>

#include "tests/sim/fixture.h"

namespace rankle::sim::testing {
namespace {

using ::testing::IsEmpty;

std::vector<std::uint32_t> counting(std::size_t n) {
  std::vector<std::uint32_t> values(n);
  std::iota(values.begin(), values.end(), 100);
  return values;
}

TEST(Launch, EveryThreadOfAThreeDimensionalGridSeesItsOwnIndices) {
  const dim3 grid(3, 2, 2);
  const dim3 block(5, 3, 2);
  std::vector<std::uint64_t> seen;
  const Result r = run_one([&] {
    auto* const out = device_array<std::uint64_t>(12 * 30);
    launch_indices(grid, block, out, nullptr);
    seen = host_copy(out, 12 * 30);
  });
  EXPECT_THAT(r.reports, IsEmpty());
  std::size_t i = 0;
  for (std::uint64_t bz = 0; bz < 2; ++bz)
    for (std::uint64_t by = 0; by < 2; ++by)
      for (std::uint64_t bx = 0; bx < 3; ++bx)
        for (std::uint64_t tz = 0; tz < 2; ++tz)
          for (std::uint64_t ty = 0; ty < 3; ++ty)
            for (std::uint64_t tx = 0; tx < 5; ++tx, ++i)
              ASSERT_EQ(seen[i], tx | ty << 8 | tz << 16 | bx << 24 | by << 32 | bz << 40) << i;
  EXPECT_EQ(r.stats.threads, 360U);
}

TEST(Launch, SharedMemoryBelongsToOneBlockStaticAndDynamic) {
  for (const Policy policy : {Policy::run_to_block, Policy::round_robin, Policy::random}) {
    Config config;
    config.policy = policy;
    config.seed = 3;
    for (const bool dynamic : {false, true}) {
      std::vector<std::uint32_t> out;
      const Result r = run_one(
          [&] {
            auto* const from = device_array<std::uint32_t>(600, counting(600));
            auto* const to = device_array<std::uint32_t>(600);
            dynamic ? launch_reverse_dynamic(6, 100, from, to)
                    : launch_reverse_tile(6, 100, from, to);
            out = host_copy(to, 600);
          },
          config);
      EXPECT_EQ(texts_of(r), "");
      for (std::uint32_t i = 0; i < 600; ++i) ASSERT_EQ(out[i], 100 + i / 100 * 100 + 99 - i % 100);
      EXPECT_EQ(r.stats.barriers, 6U);
    }
  }
}

TEST(Launch, AtomicAddsOfAllThreadsAreAllDifferent) {
  for (const Policy policy : {Policy::run_to_block, Policy::round_robin, Policy::random}) {
    Config config;
    config.policy = policy;
    std::vector<std::uint32_t> olds;
    run_one(
        [&] {
          auto* const counter = zeroed_array<std::uint32_t>(1);
          auto* const out = device_array<std::uint32_t>(300);
          launch_count(3, 100, counter, out);
          olds = host_copy(out, 300);
        },
        config);
    EXPECT_EQ(std::set<std::uint32_t>(olds.begin(), olds.end()).size(), 300U);
    EXPECT_EQ(*std::max_element(olds.begin(), olds.end()), 299U);
  }
}

TEST(Launch, AGridOfNoBlocksOrTooManyThreadsIsAnInvalidConfiguration) {
  run_one([&] {
    auto* const out = device_array<std::uint64_t>(8);
    launch_indices(dim3(0), dim3(64), out, nullptr);
    EXPECT_EQ(hipGetLastError(), hipErrorInvalidConfiguration);
    launch_indices(dim3(1), dim3(1025), out, nullptr);
    EXPECT_EQ(hipPeekAtLastError(), hipErrorInvalidConfiguration);
    EXPECT_EQ(hipGetLastError(), hipErrorInvalidConfiguration);
    EXPECT_EQ(hipGetLastError(), hipSuccess);
  });
}

TEST(Launch, BlocksBeyondTheResidentOnesStartWhenOthersEnd) {
  Config config;
  config.resident_blocks = 2;
  std::vector<std::uint32_t> olds;
  const Result r = run_one(
      [&] {
        auto* const counter = zeroed_array<std::uint32_t>(1);
        auto* const out = device_array<std::uint32_t>(640);
        launch_count(10, 64, counter, out);
        olds = host_copy(out, 640);
      },
      config);
  EXPECT_THAT(r.reports, IsEmpty());
  EXPECT_EQ(*std::max_element(olds.begin(), olds.end()), 639U);
}

TEST(Launch, ACallOutsideTheSubsetIsAnErrorThatNamesIt) {
  const Result r = run_one([] { EXPECT_EQ(call_outside_subset(), hipErrorNotSupported); });
  ASSERT_EQ(kinds_of(r), std::vector{ReportKind::api_error});
  EXPECT_THAT(r.reports[0].message, ::testing::HasSubstr("hipMallocManaged"));
  EXPECT_EQ(r.reports[0].sites[0].file, "tests/sim/kernels.hip.cpp");
}

}  // namespace
}  // namespace rankle::sim::testing
