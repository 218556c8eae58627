// Waiting: spins that are answered, spins that never are, and what the report says.
#include "tests/sim/fixture.h"

namespace rankle::sim::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Policy kPolicies[] = {Policy::run_to_block, Policy::round_robin, Policy::random};

Config with(Policy policy) {
  Config config;
  config.policy = policy;
  config.seed = 11;
  return config;
}

TEST(Spin, AFlagWrittenByAnotherRankEndsTheWait) {
  for (const Policy policy : kPolicies) {
    std::uint32_t* flag = nullptr;
    const Result r = run_ranks(
        2,
        [&](int rank) {
          if (rank == 0) flag = zeroed_array<std::uint32_t>(1);
          host_barrier();
          if (rank == 0) launch_wait(flag, 5, nullptr);
          if (rank == 1) {
            hipDeviceEnablePeerAccess(0, 0);
            launch_signal(flag, 5, nullptr);
          }
          EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
          host_barrier();
        },
        with(policy));
    EXPECT_EQ(texts_of(r), "");
    // The waiting rank comes first there, and has to let the other one run.
    EXPECT_TRUE(policy != Policy::run_to_block || r.stats.gave_way > 0);
  }
}

TEST(Spin, AVolatileWordCountsAndACopyMayWriteIt) {
  for (const Policy policy : kPolicies) {
    const Result r = run_one(
        [] {
          auto* const flag = zeroed_array<std::uint32_t>(1);
          hipStream_t waiting = nullptr;
          hipStream_t copying = nullptr;
          hipStreamCreateWithFlags(&waiting, hipStreamNonBlocking);
          hipStreamCreateWithFlags(&copying, hipStreamNonBlocking);
          launch_volatile_wait(flag, 9, waiting);
          hipMemsetAsync(flag, 1, 4, copying);
          EXPECT_EQ(hipStreamSynchronize(waiting), hipSuccess);
        },
        with(policy));
    // It ends; and nothing promises that a copy engine writes the word at once.
    EXPECT_EQ(kinds_of(r), std::vector{ReportKind::data_race});
  }
}

TEST(Spin, AFlagThatNobodyWritesIsADeadlockThatNamesTheWord) {
  for (const Policy policy : kPolicies) {
    const Result r = run_one(
        [] {
          auto* const flags = zeroed_array<std::uint32_t>(8);
          label(flags, "flags of rank 0");
          launch_wait(flags + 3, 5, nullptr);
          EXPECT_EQ(hipDeviceSynchronize(), hipErrorLaunchFailure);
        },
        with(policy));
    ASSERT_THAT(kinds_of(r), ElementsAre(ReportKind::deadlock));
    EXPECT_TRUE(r.stopped);
    EXPECT_EQ(r.reports[0].sites[0].function, "wait");
    EXPECT_THAT(r.reports[0].details, Contains(HasSubstr("byte 12 of 'flags of rank 0'")));
    EXPECT_THAT(r.reports[0].details,
                Contains(HasSubstr("which holds 0; no thread has changed it")));
  }
}

TEST(Spin, TheReportNamesTheLastWriterOfTheWord) {
  const Result r = run_one([] {
    auto* const flag = zeroed_array<std::uint32_t>(1);
    launch_signal(flag, 4, nullptr);
    launch_wait(flag, 5, nullptr);
    hipDeviceSynchronize();
  });
  ASSERT_THAT(kinds_of(r), ElementsAre(ReportKind::deadlock));
  EXPECT_THAT(r.reports[0].details,
              Contains(HasSubstr("which holds 4; last changed by thread 0 of block 0 on rank 0")));
}

TEST(Spin, AGridBarrierNeedsItsBlocksResident) {
  for (const auto& [resident, hangs] :
       {std::pair{8, false}, std::pair{7, true}, std::pair{0, false}}) {
    Config config;
    config.resident_blocks = resident;
    const Result r = run_one(
        [] {
          launch_grid_barrier(8, zeroed_array<std::uint32_t>(1));
          hipDeviceSynchronize();
        },
        config);
    EXPECT_EQ(!r.reports.empty(), hangs) << resident;
    if (!hangs) continue;
    EXPECT_EQ(r.reports[0].kind, ReportKind::deadlock);
    EXPECT_THAT(r.reports[0].details,
                Contains(HasSubstr("1 blocks of its device have not started")));
  }
}

TEST(Spin, RanksThatMissAHostBarrierAreADeadlock) {
  const Result r = run_ranks(2, [](int rank) {
    if (rank == 0) EXPECT_FALSE(host_barrier());
  });
  ASSERT_THAT(kinds_of(r), ElementsAre(ReportKind::deadlock));
  EXPECT_THAT(r.reports[0].details, Contains(HasSubstr("rank 0 waits in a barrier between ranks")));
}

TEST(Spin, AnEndlessRunIsALivelock) {
  Config config;
  config.steps_max = 5'000'000;
  const Result r = run_ranks(
      2,
      [](int rank) {
        // Two threads that keep changing what the other one waits for.
        static std::uint32_t* words = nullptr;
        if (rank == 0) words = zeroed_array<std::uint32_t>(2);
        host_barrier();
        if (rank == 1) hipDeviceEnablePeerAccess(0, 0);
        launch_ping_pong(words, rank);
        hipDeviceSynchronize();
        host_barrier();
      },
      config);
  ASSERT_FALSE(r.reports.empty());
  EXPECT_EQ(r.reports[0].kind, ReportKind::livelock);
  EXPECT_EQ(r.reports[0].sites[0].function, "ping_pong");
}

}  // namespace
}  // namespace rankle::sim::testing
