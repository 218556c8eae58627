// Schedules: determinism, what each policy explores, explicit switches, streams in order.
#include <set>

#include "tests/sim/fixture.h"

namespace rankle::sim::testing {
namespace {

// The order in which two waves wrote a shared log, as a string of their numbers.
std::string order_under(const Config& config, Result* result = nullptr) {
  std::string text;
  const Result r = run_one(
      [&] {
        auto* const next = zeroed_array<std::uint32_t>(1);
        auto* const log = device_array<std::uint32_t>(8);
        launch_log_order(2, next, log, 4);
        for (const std::uint32_t wave : host_copy(log, 8)) text += static_cast<char>('0' + wave);
      },
      config);
  EXPECT_EQ(texts_of(r), "");
  if (result != nullptr) *result = r;
  return text;
}

TEST(Schedule, RunToBlockRunsOneWaveToItsEnd) { EXPECT_EQ(order_under({}), "00001111"); }

TEST(Schedule, RoundRobinAlternates) {
  Config config;
  config.policy = Policy::round_robin;
  EXPECT_EQ(order_under(config), "01010101");
}

TEST(Schedule, RandomSeedsExploreManyOrdersAndRepeatExactly) {
  std::set<std::string> orders;
  std::set<std::uint64_t> hashes;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Config config;
    config.policy = Policy::random;
    config.seed = seed;
    Result first;
    Result second;
    const std::string order = order_under(config, &first);
    EXPECT_EQ(order_under(config, &second), order);
    EXPECT_EQ(first.trace_hash, second.trace_hash);
    EXPECT_EQ(first.stats.steps, second.stats.steps);
    orders.insert(order);
    hashes.insert(first.trace_hash);
  }
  EXPECT_GT(orders.size(), 20U);
  EXPECT_GE(hashes.size(), orders.size());
}

TEST(Schedule, AnExplicitSwitchInterruptsAtItsStep) {
  std::set<std::string> orders;
  for (std::uint64_t step = 0; step < 8; ++step) {
    Config config;
    // Wave 1 of block 0 of rank 0's first launch.
    config.switches = {{step, std::uint64_t{2} << 60 | 1}};
    orders.insert(order_under(config));
  }
  EXPECT_TRUE(orders.contains("01111000")) << ::testing::PrintToString(orders);
  EXPECT_TRUE(orders.contains("00111100")) << ::testing::PrintToString(orders);
}

TEST(Schedule, FineGranularitySwitchesBetweenPlainAccesses) {
  Config config;
  config.policy = Policy::random;
  config.granularity = Granularity::access;
  Result fine;
  Result coarse;
  order_under(config, &fine);
  config.granularity = Granularity::sync;
  order_under(config, &coarse);
  EXPECT_GT(fine.stats.steps, coarse.stats.steps);
  EXPECT_EQ(fine.stats.accesses, coarse.stats.accesses);
}

TEST(Schedule, OperationsOfOneStreamAreInOrder) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Config config;
    config.policy = Policy::random;
    config.seed = seed;
    run_one(
        [] {
          hipStream_t stream = nullptr;
          hipStreamCreate(&stream);
          auto* const a = device_array<std::uint32_t>(4);
          hipMemsetAsync(a, 1, 16, stream);
          launch_signal(a, 7, stream);
          launch_wait(a, 7, stream);
          EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
          EXPECT_EQ(hipStreamQuery(stream), hipSuccess);
          EXPECT_EQ(host_copy(a, 2), (std::vector<std::uint32_t>{7, 0x01010101}));
          EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
          EXPECT_EQ(hipStreamSynchronize(stream), hipErrorInvalidResourceHandle);
        },
        config);
  }
}

TEST(Schedule, TheDefaultStreamWaitsForBlockingStreamsOnly) {
  run_one([] {
    hipStream_t blocking = nullptr;
    hipStream_t free_running = nullptr;
    hipStreamCreate(&blocking);
    hipStreamCreateWithFlags(&free_running, hipStreamNonBlocking);
    auto* const flag = zeroed_array<std::uint32_t>(2);
    // Would hang if the default stream waited for this one.
    launch_wait(flag, 5, free_running);
    launch_signal(flag, 5, nullptr);
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  });
  const Result r = run_one([] {
    hipStream_t blocking = nullptr;
    hipStreamCreate(&blocking);
    auto* const flag = zeroed_array<std::uint32_t>(2);
    launch_wait(flag, 5, blocking);
    launch_signal(flag, 5, nullptr);  // ordered behind the wait
    hipDeviceSynchronize();
  });
  EXPECT_EQ(kinds_of(r), std::vector{ReportKind::deadlock});
}

}  // namespace
}  // namespace rankle::sim::testing
