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
  for (std::uint64_t step = 0; step < 32; ++step) {
    Config config;
    // Wave 1 of block 0 of rank 0's first launch.
    config.switches = {{step, std::uint64_t{2} << 60 | 1}};
    orders.insert(order_under(config));
  }
  EXPECT_TRUE(orders.contains("01111000")) << ::testing::PrintToString(orders);
  EXPECT_TRUE(orders.contains("00111100")) << ::testing::PrintToString(orders);
}

constexpr Policy kAllPolicies[] = {Policy::run_to_block, Policy::round_robin, Policy::random,
                                   Policy::pct,          Policy::starvation,  Policy::rank_late,
                                   Policy::rank_early};

// Three ranks with barriers, shared memory, flags between ranks, several blocks and two streams.
Result crowded_run(Config config) {
  std::vector<std::uint32_t*> flags(3);
  return run_ranks(
      3,
      [&flags](int rank) {
        const int next = (rank + 1) % 3;
        hipDeviceEnablePeerAccess(next, 0);
        auto* const flag = zeroed_array<std::uint32_t>(4);
        flags[static_cast<std::size_t>(rank)] = flag;
        host_barrier();
        auto* const tile = zeroed_array<std::uint32_t>(400);
        hipStream_t stream = nullptr;
        hipStreamCreateWithFlags(&stream, hipStreamNonBlocking);
        launch_wait(flag, 3, stream);
        launch_log_order(2, flag + 1, tile, 5);
        launch_grid_barrier(3, flag + 2);
        launch_reverse_tile(4, 96, tile, tile);
        launch_signal(flags[static_cast<std::size_t>(next)], 3, nullptr);
        launch_count(2, 100, flag + 3, tile);
        EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
        hipStreamDestroy(stream);
        host_barrier();
      },
      std::move(config));
}

TEST(Schedule, EveryPolicyRepeatsAsRunToBlockWithSwitches) {
  for (const Policy policy : kAllPolicies) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      Config config;
      config.policy = policy;
      config.seed = seed;
      config.depth = 3;
      config.horizon = 400;
      config.granularity = seed % 4 == 3 ? Granularity::access : Granularity::sync;
      config.record_switches = true;
      const Result original = crowded_run(config);
      ASSERT_EQ(texts_of(original), "");

      Config replay = config;
      replay.policy = Policy::run_to_block;
      replay.switches = original.switches;
      const Result again = crowded_run(replay);
      EXPECT_EQ(again.trace_hash, original.trace_hash) << static_cast<int>(policy) << ' ' << seed;
      EXPECT_EQ(again.stats.steps, original.stats.steps);

      // What it records itself leaves out the decisions that it would have taken anyway.
      replay.switches = again.switches;
      EXPECT_LE(again.switches.size(), original.switches.size());
      EXPECT_EQ(crowded_run(replay).trace_hash, original.trace_hash);
    }
  }
}

TEST(Schedule, RunToBlockNeedsNoSwitches) {
  Config config;
  config.record_switches = true;
  EXPECT_TRUE(crowded_run(config).switches.empty());
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
