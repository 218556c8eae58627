// Barriers with a vote, virtual time, traps and hinted loads.
#include "tests/sim/device_kernels.h"
#include "tests/sim/fixture.h"

namespace rankle::sim::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Policy kPolicies[] = {Policy::run_to_block, Policy::round_robin, Policy::random};

Config with(Policy policy, int wave = 64) {
  Config config;
  config.policy = policy;
  config.wave = wave;
  config.seed = 5;
  return config;
}

TEST(DeviceSync, BarrierVotesCountTheThreadsOfTheBlock) {
  for (const Policy policy : kPolicies) {
    for (const int wave : {32, 64}) {
      for (const int threads : {1, 40, 64, 150}) {
        for (const int below : {0, 1, threads / 2, threads}) {
          std::vector<std::int32_t> out;
          const Result r = run_one(
              [&] {
                auto* const to = zeroed_array<std::int32_t>(3 * 150);
                launch_barrier_votes(threads, below, to);
                out = host_copy(to, 3 * static_cast<std::size_t>(threads));
              },
              with(policy, wave));
          ASSERT_EQ(texts_of(r), "");
          for (std::size_t t = 0; t < out.size(); t += 3) {
            ASSERT_EQ(out[t], below);
            ASSERT_EQ(out[t + 1] != 0, below > 0);
            ASSERT_EQ(out[t + 2] != 0, below == threads);
          }
        }
      }
    }
  }
}

TEST(DeviceSync, AVoteAndAPlainBarrierAreDifferentBarriers) {
  const Result r = run_one([] {
    launch_split_vote(64, zeroed_array<std::uint32_t>(64));
    (void)hipDeviceSynchronize();
  });
  ASSERT_THAT(kinds_of(r), Contains(ReportKind::barrier_divergence));
  ASSERT_EQ(r.reports[0].sites.size(), 2U);
  EXPECT_EQ(r.reports[0].sites[0].function, "split_vote");
  EXPECT_EQ(r.reports[0].sites[0].line + 2, r.reports[0].sites[1].line);
}

TEST(DeviceSync, AWaitForTheClockEndsAndTakesItsTime) {
  for (const Policy policy : kPolicies) {
    for (const long long cycles : {0LL, 100LL, 1'000'000LL, 2'000'000'000LL}) {
      std::int64_t waited = -1;
      std::uint64_t traces[2] = {};
      for (std::uint64_t& trace : traces) {
        const Result r = run_one(
            [&] {
              auto* const out = zeroed_array<std::int64_t>(1);
              launch_wait_for_clock(cycles, out);
              waited = host_copy(out, 1)[0];
            },
            with(policy));
        EXPECT_EQ(texts_of(r), "");
        EXPECT_GE(waited, cycles);
        trace = r.trace_hash;
      }
      EXPECT_EQ(traces[0], traces[1]);
    }
  }
}

std::uint32_t poll(Policy policy, long long limit, unsigned signal_after, bool signals) {
  std::uint32_t seen = 0;
  const Result r = run_one(
      [&] {
        auto* const flag = zeroed_array<std::uint32_t>(1);
        auto* const out = zeroed_array<std::uint32_t>(1);
        hipStream_t other = nullptr;
        EXPECT_EQ(hipStreamCreateWithFlags(&other, hipStreamNonBlocking), hipSuccess);
        launch_poll_with_limit(flag, limit, out, nullptr);
        if (signals) launch_signal_after(flag, signal_after, other);
        EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
        seen = host_copy(out, 1)[0];
      },
      with(policy));
  EXPECT_EQ(texts_of(r), "");
  return seen;
}

TEST(DeviceSync, ATimeLimitIsReachedWhenNobodySignalsAndNotBefore) {
  for (const Policy policy : kPolicies) {
    EXPECT_EQ(poll(policy, 1'000'000'000'000, 0, false), 2U);
    EXPECT_EQ(poll(policy, 10'000'000, 1'000'000, true), 1U);
    EXPECT_EQ(poll(policy, 1'000'000, 100'000'000, true), 2U);
  }
}

TEST(DeviceSync, SleepsTakeVirtualTime) {
  for (const Policy policy : kPolicies) {
    std::vector<std::int64_t> t;
    const Result r = run_one(
        [&] {
          auto* const out = zeroed_array<std::int64_t>(7);
          launch_sleeps(out);
          t = host_copy(out, 7);
        },
        with(policy));
    ASSERT_EQ(texts_of(r), "");
    EXPECT_GE(t[1] - t[0], 5000);
    EXPECT_LT(t[1] - t[0], 6000);
    EXPECT_GE(t[2] - t[1], 128);
    EXPECT_GE(t[4] - t[3], 1000);  // ticks of 10 ns
    EXPECT_LT(t[4] - t[3], 1100);
    EXPECT_GT(t[5], t[2]);
    EXPECT_GT(t[6], t[5]);
  }
}

TEST(DeviceSync, SleepingForEverIsALivelock) {
  Config config;
  config.steps_max = 10'000;
  const Result r = run_one(
      [] {
        launch_sleep_for_ever();
        EXPECT_EQ(hipDeviceSynchronize(), hipErrorLaunchFailure);
      },
      config);
  EXPECT_THAT(kinds_of(r), ElementsAre(ReportKind::livelock));
}

TEST(DeviceSync, TrapsAssertionsAndAbortsAreCrashesOfTheirLine) {
  const std::pair<Ending, const char*> endings[] = {
      {Ending::trap, "thread 3 of block 0 on rank 0 executes a trap"},
      {Ending::assertion, "thread 3 of block 0 on rank 0 fails the assertion 'self != which'"},
      {Ending::abortion, "thread 3 of block 0 on rank 0 calls abort()"}};
  std::vector<int> lines;
  for (const Policy policy : kPolicies) {
    for (const auto& [ending, text] : endings) {
      const Result r = run_one(
          [&, which = ending] {
            launch_give_up(64, 3, which, zeroed_array<std::uint32_t>(64));
            EXPECT_EQ(hipDeviceSynchronize(), hipErrorLaunchFailure);
          },
          with(policy));
      ASSERT_THAT(kinds_of(r), ElementsAre(ReportKind::crash)) << text;
      EXPECT_EQ(r.reports[0].message, text);
      EXPECT_EQ(r.reports[0].sites[0].function, "give_up");
      lines.push_back(r.reports[0].sites[0].line);
      EXPECT_TRUE(r.stopped);
    }
  }
  EXPECT_EQ(lines[1] + 2, lines[0]);
  EXPECT_EQ(lines[0] + 1, lines[2]);
}

TEST(DeviceSync, PrintingIsHarmless) {
  ::testing::internal::CaptureStderr();
  const Result r = run_one([] {
    launch_print(2);
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  });
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(texts_of(r), "");
  EXPECT_THAT(text, HasSubstr("thread 0 of 17, 0.250\na line\n"));
  EXPECT_THAT(text, HasSubstr("thread 1 of 17, 0.250\na line\n"));
}

TEST(DeviceSync, HintedLoadsAndStoresAreChecked) {
  std::vector<std::uint32_t> out;
  const Result good = run_one([&] {
    const auto* const from = device_array<std::uint32_t>(8, {1, 2, 3, 4, 5, 6, 7, 8});
    auto* const to = zeroed_array<std::uint32_t>(8);
    launch_hinted_copy(from, to);
    out = host_copy(to, 8);
  });
  EXPECT_EQ(texts_of(good), "");
  EXPECT_THAT(out, ElementsAre(1, 0, 0, 0, 5, 6, 7, 8));
  const Result unwritten = run_one([&] {
    launch_hinted_copy(device_array<std::uint32_t>(8), zeroed_array<std::uint32_t>(8));
    (void)hipDeviceSynchronize();
  });
  EXPECT_THAT(kinds_of(unwritten),
              ElementsAre(ReportKind::uninitialised_read, ReportKind::uninitialised_read));
  const Result small = run_one([&] {
    launch_hinted_copy(device_array<std::uint32_t>(8, {1, 2, 3, 4, 5, 6, 7, 8}),
                       zeroed_array<std::uint32_t>(7));
    (void)hipDeviceSynchronize();
  });
  EXPECT_THAT(kinds_of(small), ElementsAre(ReportKind::out_of_bounds));
}

}  // namespace
}  // namespace rankle::sim::testing
