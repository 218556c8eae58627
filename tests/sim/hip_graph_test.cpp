// Launching graphs: what is frozen, what is ordered, what ends when.
#include <set>

#include "tests/sim/graph_fixture.h"

namespace rankle::sim::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::uint32_t word(const std::uint32_t* pointer) { return host_copy(pointer, 1)[0]; }

TEST(HipGraph, ReplaysWithChangedInputsGiveNewResults) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    auto* const in = zeroed_array<std::uint32_t>(2);
    auto* const out = zeroed_array<std::uint32_t>(2);
    std::uint32_t host[2] = {};
    const hipGraph_t graph = captured(stream, [&] {
      launch_add(in, 10, out, 2, stream);
      EXPECT_EQ(hipMemcpyAsync(host, out, 8, hipMemcpyDeviceToHost, stream), hipSuccess);
      EXPECT_EQ(hipMemsetD32Async(out + 1, 7, 1, stream), hipSuccess);
    });
    const hipGraphExec_t exec = instantiated(graph);
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);  // the executable graph does not need it
    EXPECT_EQ(hipGraphUpload(exec, stream), hipSuccess);
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::uint32_t values[2] = {i, 2 * i};
      EXPECT_EQ(hipMemcpy(in, values, 8, hipMemcpyHostToDevice), hipSuccess);
      EXPECT_EQ(hipMemset(out, 0xff, 8), hipSuccess);
      replay(exec, stream);
      EXPECT_THAT(host, ElementsAre(10 + i, 10 + 2 * i));
      EXPECT_THAT(host_copy(out, 2), ElementsAre(10 + i, 7U));
    }
    EXPECT_EQ(hipGraphExecDestroy(exec), hipSuccess);
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipGraph, ArgumentsAreThoseOfTheCapture) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    auto* const a = zeroed_array<std::uint32_t>(1);
    std::uint32_t add = 5;
    const hipGraphExec_t exec = instantiated(captured(stream, [&] {
      launch_add(a, add, a, 1, stream);
      EXPECT_EQ(launch_add_with_pointers(a, add, a, 1, false, stream), hipSuccess);
      add = 1000;
    }));
    for (std::uint32_t launch = 1; launch <= 3; ++launch) {
      replay(exec, stream);
      EXPECT_EQ(word(a), 10 * launch);
    }
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipGraph, OnAnotherStreamItComesBehindThatStreamsWork) {
  const Result r = run_one([] {
    const hipStream_t recorder = new_stream();
    const hipStream_t other = new_stream();
    auto* const flag = zeroed_array<std::uint32_t>(1);
    auto* const a = zeroed_array<std::uint32_t>(1);
    auto* const copy = zeroed_array<std::uint32_t>(1);
    const hipGraphExec_t exec =
        instantiated(captured(recorder, [&] { launch_add(a, 1, copy, 1, recorder); }));
    launch_wait(flag, 1, other);
    launch_add(a, 41, a, 1, other);
    EXPECT_EQ(hipGraphLaunch(exec, other), hipSuccess);
    launch_add(copy, 100, copy, 1, other);  // and what follows there comes behind the graph
    EXPECT_EQ(hipStreamQuery(other), hipErrorNotReady);
    launch_signal(flag, 1, new_stream());
    EXPECT_EQ(hipStreamSynchronize(other), hipSuccess);
    EXPECT_EQ(word(copy), 142U);
  });
  EXPECT_EQ(texts_of(r), "");
}

// The node that joins both branches is in the first one: nothing but the order of the launches
// holds the second branch of the next launch back until it has ended.
TEST(HipGraph, LaunchesOfOneExecutableGraphRunOneAfterAnother) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Config config;
    config.policy = Policy::random;
    config.seed = seed;
    const Result r = run_one(
        [] {
          auto* const a = zeroed_array<std::uint32_t>(3);
          const hipStream_t first = new_stream();
          const hipStream_t second = new_stream();
          const hipGraphExec_t exec = instantiated(captured(first, [&] {
            order(first, second);
            launch_add(a, 1, a, 1, first);
            launch_add(a + 2, 5, a + 1, 1, second);
            order(second, first);
            launch_add(a + 1, 1, a + 1, 1, first);
          }));
          for (int i = 0; i < 5; ++i) {
            EXPECT_EQ(hipGraphLaunch(exec, i % 2 == 0 ? first : second), hipSuccess);
          }
          EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
          EXPECT_THAT(host_copy(a, 2), ElementsAre(5U, 6U));
        },
        config);
    EXPECT_EQ(texts_of(r), "");
  }
}

// Two branches of a fork add to one word or to one word each, and the join adds both up.
std::function<void()> forked_sum(bool shared, std::uint32_t* sum) {
  return [shared, sum] {
    const hipStream_t origin = new_stream();
    const hipStream_t fork = new_stream();
    auto* const a = zeroed_array<std::uint32_t>(4);
    const hipGraphExec_t exec = instantiated(captured(origin, [&] {
      launch_add(a, 1, a, 1, origin);
      order(origin, fork);
      launch_add(a, 10, a + 1, 1, origin);
      launch_add(a, 20, shared ? a + 1 : a + 2, 1, fork);
      order(fork, origin);
      launch_add(shared ? a + 1 : a + 2, 100, a + 3, 1, origin);
    }));
    replay(exec, origin);
    replay(exec, origin);
    *sum = word(a + 3);
  };
}

TEST(HipGraph, BranchesOfAForkAreOrderedByItsEdges) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Config config;
    config.policy = Policy::random;
    config.seed = seed;
    std::uint32_t sum = 0;
    EXPECT_EQ(texts_of(run_one(forked_sum(false, &sum), config)), "");
    EXPECT_EQ(sum, 122U);
  }
}

TEST(HipGraph, BranchesThatWriteOneWordRace) {
  std::uint32_t sum = 0;
  const Result r = run_one(forked_sum(true, &sum));
  ASSERT_THAT(kinds_of(r), ElementsAre(ReportKind::data_race));
  EXPECT_THAT(r.reports[0].message, HasSubstr("writes 4 bytes"));
}

TEST(HipGraph, SchedulesReorderItsBranches) {
  std::set<std::uint32_t> sums;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Config config;
    config.policy = Policy::random;
    config.seed = seed;
    config.detect_races = false;
    std::uint32_t sum = 0;
    run_one(forked_sum(true, &sum), config);
    sums.insert(sum);
  }
  EXPECT_THAT(sums, ElementsAre(112U, 122U));  // whichever branch wrote last in the second launch
}

TEST(HipGraph, WorkInOtherStreamsRacesWithAGraph) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    const hipStream_t other = new_stream();
    auto* const a = zeroed_array<std::uint32_t>(1);
    const hipGraphExec_t exec =
        instantiated(captured(stream, [&] { launch_add(a, 1, a, 1, stream); }));
    replay(exec, stream);
    replay(exec, stream);
    EXPECT_EQ(hipGraphLaunch(exec, stream), hipSuccess);
    launch_add(a, 1, a, 1, other);
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  });
  EXPECT_THAT(kinds_of(r), ElementsAre(ReportKind::data_race)) << texts_of(r);
}

TEST(HipGraph, ABranchThatAnotherGraphHadOrdersNothing) {
  const Result r = run_one([] {
    auto* const a = zeroed_array<std::uint32_t>(1);
    auto* const b = zeroed_array<std::uint32_t>(64);
    for (const hipStream_t stream : {new_stream(), new_stream()}) {
      const hipGraphExec_t exec =
          instantiated(captured(stream, [&] { launch_add(a, 1, a, 1, stream); }));
      EXPECT_EQ(hipGraphLaunch(exec, stream), hipSuccess);
      // Gives the graph the time to end, but the host does not learn that it has.
      const hipStream_t unrelated = new_stream();
      for (int i = 0; i < 3; ++i) launch_add(b, 1, b, 64, unrelated);
      EXPECT_EQ(hipStreamSynchronize(unrelated), hipSuccess);
      EXPECT_EQ(hipGraphExecDestroy(exec), hipSuccess);
    }
  });
  EXPECT_THAT(kinds_of(r), ElementsAre(ReportKind::data_race)) << texts_of(r);
}

TEST(HipGraph, MemoryNodesHaveOneAddressInEveryLaunch) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    auto* const out = zeroed_array<std::uint32_t>(1);
    std::uint32_t* scratch = nullptr;
    const hipGraph_t graph = captured(stream, [&] {
      EXPECT_EQ(hipMallocAsync(&scratch, 4, stream), hipSuccess);
      EXPECT_EQ(hipMemsetD32Async(scratch, 3, 1, stream), hipSuccess);
      launch_add(scratch, 1, scratch, 1, stream);
      launch_add(scratch, 1, out, 1, stream);
      EXPECT_EQ(hipFreeAsync(scratch, stream), hipSuccess);
    });
    EXPECT_EQ(types_of(graph).front(), hipGraphNodeTypeMemAlloc);
    EXPECT_EQ(types_of(graph).back(), hipGraphNodeTypeMemFree);
    const hipGraphExec_t exec = instantiated(graph);
    hipGraphExec_t second = nullptr;
    EXPECT_EQ(hipGraphInstantiate(&second, graph, nullptr, nullptr, 0), hipErrorInvalidValue);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(hipMemset(out, 0, 4), hipSuccess);
      replay(exec, stream);
      EXPECT_EQ(word(out), 5U);
    }
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipGraph, MemoryOfTheLaunchBeforeHasToBeFreedFirst) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    std::uint32_t* kept = nullptr;
    const hipGraph_t graph = captured(stream, [&] {
      EXPECT_EQ(hipMallocAsync(&kept, 4, stream), hipSuccess);
      EXPECT_EQ(hipMemsetD32Async(kept, 3, 1, stream), hipSuccess);
    });
    hipGraphExec_t exec = instantiated(graph);
    replay(exec, stream);
    EXPECT_EQ(word(kept), 3U);
    EXPECT_EQ(hipGraphLaunch(exec, stream), hipErrorInvalidValue);
    EXPECT_EQ(hipFreeAsync(kept, stream), hipSuccess);
    EXPECT_EQ(hipGraphLaunch(exec, stream), hipSuccess);
    EXPECT_EQ(hipFreeAsync(kept, stream), hipSuccess);
    replay(exec, stream);
    EXPECT_EQ(hipFree(kept), hipSuccess);
    replay(exec, stream);
    EXPECT_EQ(hipGraphExecDestroy(exec), hipSuccess);
    EXPECT_EQ(hipFree(kept), hipSuccess);
    EXPECT_EQ(hipGraphInstantiateWithFlags(&exec, graph, hipGraphInstantiateFlagAutoFreeOnLaunch),
              hipSuccess);
    replay(exec, stream);
    replay(exec, stream);
    EXPECT_EQ(word(kept), 3U);
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipGraph, MemoryOfAGraphIsGoneOutsideOfItsNodes) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    std::uint32_t* scratch = nullptr;
    const hipGraphExec_t exec = instantiated(captured(stream, [&] {
      EXPECT_EQ(hipMallocAsync(&scratch, 4, stream), hipSuccess);
      EXPECT_EQ(hipMemsetD32Async(scratch, 3, 1, stream), hipSuccess);
      EXPECT_EQ(hipFreeAsync(scratch, stream), hipSuccess);
    }));
    launch_write_at(scratch, 0);  // before the first launch
    replay(exec, stream);
    EXPECT_EQ(hipMemset(scratch, 0, 4), hipSuccess);  // after it
    EXPECT_EQ(hipFree(scratch), hipErrorInvalidDevicePointer);
    EXPECT_EQ(hipFreeAsync(scratch, stream), hipErrorInvalidValue);
  });
  EXPECT_THAT(kinds_of(r), ElementsAre(ReportKind::use_after_free, ReportKind::use_after_free,
                                       ReportKind::api_error, ReportKind::api_error));
  EXPECT_THAT(texts_of(r), HasSubstr("which no launch of its graph has allocated"));
}

TEST(HipGraph, ALaunchFindsItsMemoryUninitialised) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    auto* const sink = zeroed_array<std::uint32_t>(1);
    auto* const reads = zeroed_array<std::uint32_t>(1);
    std::uint32_t* scratch = nullptr;
    const hipGraphExec_t exec = instantiated(
        captured(stream, [&] { EXPECT_EQ(hipMallocAsync(&scratch, 4, stream), hipSuccess); }));
    replay(exec, stream);
    EXPECT_EQ(hipMemset(scratch, 0, 4), hipSuccess);
    launch_add(scratch, 1, sink, 1, stream);
    EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
    EXPECT_EQ(hipFree(scratch), hipSuccess);
    replay(exec, stream);
    launch_add(scratch, 1, reads, 1, stream);
    EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
  });
  EXPECT_THAT(kinds_of(r), ElementsAre(ReportKind::uninitialised_read));
}

TEST(HipGraph, DestroyingAnExecutableGraphInFlightIsReported) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    auto* const flag = zeroed_array<std::uint32_t>(1);
    auto* const a = zeroed_array<std::uint32_t>(1);
    const hipGraph_t graph = captured(stream, [&] {
      launch_wait(flag, 1, stream);
      launch_add(a, 1, a, 1, stream);
    });
    const hipGraphExec_t exec = instantiated(graph);
    EXPECT_EQ(hipGraphLaunch(exec, stream), hipSuccess);
    EXPECT_EQ(hipGraphExecDestroy(exec), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
    launch_signal(flag, 1, new_stream());
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_EQ(word(a), 1U);  // the simulator goes on with the arguments that it has
    EXPECT_EQ(hipGraphLaunch(exec, stream), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphExecDestroy(exec), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphDestroy(graph), hipErrorInvalidValue);
  });
  ASSERT_EQ(r.reports.size(), 4U) << texts_of(r);
  for (const Report& report : r.reports) EXPECT_EQ(report.kind, ReportKind::api_error);
  EXPECT_THAT(r.reports[0].message, HasSubstr("with a launch that has not ended"));
  EXPECT_THAT(r.reports[1].message, HasSubstr("hipGraphLaunch of an executable graph that does"));
  EXPECT_THAT(r.reports[3].message, HasSubstr("hipGraphDestroy of a graph that does not exist"));
}

TEST(HipGraph, ACapturingStreamLaunchesNone) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    auto* const a = zeroed_array<std::uint32_t>(1);
    const hipGraphExec_t exec =
        instantiated(captured(stream, [&] { launch_add(a, 1, a, 1, stream); }));
    EXPECT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
    EXPECT_EQ(hipGraphLaunch(exec, stream), hipErrorStreamCaptureUnsupported);
    hipGraph_t graph = nullptr;
    EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipErrorStreamCaptureInvalidated);
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipGraph, ForksToAnotherDeviceRunThere) {
  const Result r = run_ranks(2, [](int rank) {
    if (rank != 0) return;
    EXPECT_EQ(hipDeviceEnablePeerAccess(1, 0), hipSuccess);
    auto* const a = zeroed_array<std::uint32_t>(2);
    const hipStream_t here = new_stream();
    EXPECT_EQ(hipSetDevice(1), hipSuccess);
    EXPECT_EQ(hipDeviceEnablePeerAccess(0, 0), hipSuccess);
    const hipStream_t there = new_stream();
    const hipEvent_t back = new_event();
    EXPECT_EQ(hipSetDevice(0), hipSuccess);
    const hipGraphExec_t exec = instantiated(captured(here, [&] {
      launch_add(a, 2, a, 1, here);
      order(here, there);
      launch_add(a, 3, a + 1, 1, there);
      EXPECT_EQ(hipEventRecord(back, there), hipSuccess);
      EXPECT_EQ(hipStreamWaitEvent(here, back, 0), hipSuccess);
    }));
    EXPECT_EQ(hipGraphLaunch(exec, here), hipSuccess);
    EXPECT_EQ(hipSetDevice(1), hipSuccess);
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_THAT(host_copy(a, 2), ElementsAre(2U, 5U));
    EXPECT_EQ(hipSetDevice(0), hipSuccess);
    EXPECT_EQ(hipStreamSynchronize(here), hipSuccess);
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipGraph, TwoRunsHaveOneTrace) {
  for (const Policy policy : {Policy::run_to_block, Policy::random, Policy::pct}) {
    Config config;
    config.policy = policy;
    config.seed = 3;
    config.horizon = 1000;
    std::uint32_t sums[2] = {};
    const Result first = run_one(forked_sum(false, &sums[0]), config);
    const Result second = run_one(forked_sum(false, &sums[1]), config);
    EXPECT_EQ(first.trace_hash, second.trace_hash);
    EXPECT_EQ(first.stats.steps, second.stats.steps);
    EXPECT_EQ(sums[0], 122U);
  }
}

}  // namespace
}  // namespace rankle::sim::testing
