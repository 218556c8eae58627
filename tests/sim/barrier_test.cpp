// Block barriers: the language rule, and what goes on after a report under each model.
#include "tests/sim/fixture.h"

namespace rankle::sim::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Config with(BarrierModel model, int wave = 64) {
  Config config;
  config.barrier_model = model;
  config.wave = wave;
  return config;
}

// Threads that reached the end of the kernel.
struct Ended {
  Result result;
  std::vector<std::uint32_t> sink;
};

Ended run_sink(const std::function<void(std::uint32_t*)>& launch, const Config& config) {
  Ended e;
  e.result = run_one(
      [&] {
        auto* const sink = zeroed_array<std::uint32_t>(1024);
        launch(sink);
        if (hipDeviceSynchronize() == hipSuccess) e.sink = host_copy(sink, 1024);
      },
      config);
  return e;
}

TEST(Barrier, AUniformLoopIsSilentUnderBothModels) {
  for (const BarrierModel model : {BarrierModel::amd, BarrierModel::nvidia}) {
    for (const int wave : {32, 64}) {
      const Ended e =
          run_sink([](auto* sink) { launch_divergent_loop(100, 300, sink); }, with(model, wave));
      EXPECT_EQ(texts_of(e.result), "");
    }
  }
}

TEST(Barrier, ATripCountThatDiffersIsDivergenceAtAnyLimit) {
  for (const int limit : {1, 63, 64, 65, 127, 129, 191, 193}) {
    const Ended e = run_sink([&](auto* sink) { launch_divergent_loop(128, limit, sink); },
                             with(BarrierModel::amd));
    ASSERT_THAT(kinds_of(e.result), ElementsAre(ReportKind::barrier_divergence)) << limit;
    const Report& r = e.result.reports[0];
    EXPECT_EQ(r.sites[0].function, "divergent_loop");
    EXPECT_THAT(r.message, HasSubstr("ended after"));
  }
}

TEST(Barrier, TwoSitesInOneWaveHangOnNvidiaAndGoOnOnAmd) {
  const auto launch = [](auto* sink) { launch_split_barrier(64, 1, sink); };
  const Ended amd = run_sink(launch, with(BarrierModel::amd));
  EXPECT_THAT(kinds_of(amd.result), ElementsAre(ReportKind::barrier_divergence));
  EXPECT_EQ(amd.sink[0], 1U);
  EXPECT_EQ(amd.sink[63], 1U);
  const Ended nvidia = run_sink(launch, with(BarrierModel::nvidia, 32));
  EXPECT_THAT(kinds_of(nvidia.result),
              ElementsAre(ReportKind::barrier_divergence, ReportKind::deadlock));
  EXPECT_THAT(nvidia.result.reports[1].details,
              Contains(HasSubstr("32 threads of block 0 on rank 0 wait")));
}

TEST(Barrier, TwoSitesAtAWaveBoundaryPairUpAndGoOnUnderBothModels) {
  for (const BarrierModel model : {BarrierModel::amd, BarrierModel::nvidia}) {
    const Ended e = run_sink([](auto* sink) { launch_split_barrier(128, 64, sink); }, with(model));
    ASSERT_THAT(kinds_of(e.result), ElementsAre(ReportKind::barrier_divergence));
    const Report& r = e.result.reports[0];
    ASSERT_EQ(r.sites.size(), 2U);
    EXPECT_EQ(r.sites[0].line + 2, r.sites[1].line);
    EXPECT_NE(r.threads[0].thread, r.threads[1].thread);
    EXPECT_EQ(e.sink[0], 1U);
    EXPECT_EQ(e.sink[127], 1U);
  }
}

TEST(Barrier, ThreadsThatReturnBeforeABarrierAreDivergenceAndDoNotCount) {
  for (const BarrierModel model : {BarrierModel::amd, BarrierModel::nvidia}) {
    for (const int leaving : {1, 32, 64, 100}) {
      const Ended e =
          run_sink([&](auto* sink) { launch_early_return(128, leaving, sink); }, with(model));
      EXPECT_THAT(kinds_of(e.result), ElementsAre(ReportKind::barrier_divergence)) << leaving;
      EXPECT_EQ(e.sink[127], 1U);
    }
  }
}

TEST(Barrier, AllThreadsReturningEarlyIsNoDivergence) {
  const Ended e = run_sink([](auto* sink) { launch_early_return(128, 128, sink); }, {});
  EXPECT_EQ(texts_of(e.result), "");
}

TEST(Barrier, TheRunStopsAtTheReportUnlessToldToGoOn) {
  Config config;
  config.devices = 1;
  bool synchronised = true;
  const Result r = run(config, [&](int) {
    auto* const sink = zeroed_array<std::uint32_t>(1024);
    launch_early_return(128, 1, sink);
    synchronised = hipDeviceSynchronize() == hipSuccess;
  });
  EXPECT_TRUE(r.stopped);
  EXPECT_FALSE(synchronised);
  EXPECT_THAT(kinds_of(r), ElementsAre(ReportKind::barrier_divergence));
}

}  // namespace
}  // namespace rankle::sim::testing
