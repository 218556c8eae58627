// Graphs made node by node, executable graphs that change, and what is left at the end.
#include "tests/sim/graph_fixture.h"

namespace rankle::sim::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(HipGraphNodes, AGraphMadeByHandRunsInTheOrderOfItsEdges) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Config config;
    config.policy = Policy::random;
    config.seed = seed;
    const Result r = run_one(
        [] {
          auto* const a = zeroed_array<std::uint32_t>(4);
          const hipGraph_t graph = new_graph();
          // Added last, run first: an edge may lead to a node that was there before.
          const hipGraphNode_t copy = add_copy(graph, {}, a + 2, a);
          const hipGraphNode_t fill = add_fill(graph, {}, a, 6, 2);
          EXPECT_EQ(hipGraphAddDependencies(graph, &fill, &copy, 1), hipSuccess);
          hipGraphNode_t empty = nullptr;
          EXPECT_EQ(hipGraphAddEmptyNode(&empty, graph, &copy, 1), hipSuccess);
          add_copy(graph, {empty}, a + 3, a + 2);
          EXPECT_THAT(types_of(graph), ElementsAre(hipGraphNodeTypeMemcpy, hipGraphNodeTypeMemset,
                                                   hipGraphNodeTypeEmpty, hipGraphNodeTypeMemcpy));
          const hipGraphExec_t exec = instantiated(graph);
          replay(exec, nullptr);
          EXPECT_THAT(host_copy(a, 4), ElementsAre(6U, 6U, 6U, 6U));
        },
        config);
    EXPECT_EQ(texts_of(r), "");
  }
}

TEST(HipGraphNodes, AnEmptyGraphIsAPlaceInItsStream) {
  const Result r = run_one([] {
    const hipGraphExec_t exec = instantiated(new_graph());
    replay(exec, new_stream());
    EXPECT_EQ(hipGraphExecDestroy(exec), hipSuccess);
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipGraphNodes, ACircleIsNotInstantiated) {
  const Result r = run_one([] {
    auto* const a = zeroed_array<std::uint32_t>(1);
    const hipGraph_t graph = new_graph();
    const hipGraphNode_t first = add_fill(graph, {}, a, 1, 1);
    const hipGraphNode_t second = add_fill(graph, {first}, a, 2, 1);
    EXPECT_EQ(hipGraphAddDependencies(graph, &second, &first, 1), hipSuccess);
    hipGraphExec_t exec = nullptr;
    EXPECT_EQ(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0), hipErrorInvalidValue);
    EXPECT_EQ(exec, nullptr);
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipGraphNodes, CallsCheckWhatTheyAreGiven) {
  const Result r = run_one([] {
    auto* const a = zeroed_array<std::uint32_t>(1);
    const hipGraph_t graph = new_graph();
    const hipGraphNode_t foreign = add_fill(new_graph(), {}, a, 1, 1);
    const hipGraphNode_t own = add_fill(graph, {}, a, 1, 1);
    const hipGraphNode_t twice[2] = {own, own};
    hipGraphNode_t node = nullptr;
    std::uint32_t on_host = 0;
    const hipMemsetParams host_fill{&on_host, 4, 1, 0, 1, 1};
    const hipMemsetParams wide{a, 8, 1, 0, 1, 1};
    const hipMemsetParams rows{a, 1, 2, 2, 1, 1};
    EXPECT_EQ(hipGraphCreate(nullptr, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphAddEmptyNode(&node, graph, &foreign, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphAddEmptyNode(&node, graph, twice, 2), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphAddEmptyNode(&node, graph, nullptr, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphAddEmptyNode(&node, nullptr, nullptr, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphAddMemsetNode(&node, graph, nullptr, 0, &host_fill), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphAddMemsetNode(&node, graph, nullptr, 0, &wide), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphAddMemsetNode(&node, graph, nullptr, 0, &rows), hipErrorNotSupported);
    EXPECT_EQ(hipGraphAddMemcpyNode1D(&node, graph, nullptr, 0, a, nullptr, 4, hipMemcpyDefault),
              hipErrorInvalidValue);
    EXPECT_EQ(hipGraphAddDependencies(graph, &own, &own, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphAddDependencies(graph, &own, &foreign, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphNodeGetType(own, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphGetNodes(graph, nullptr, nullptr), hipErrorInvalidValue);
    hipGraphExec_t exec = nullptr;
    EXPECT_EQ(hipGraphInstantiate(nullptr, graph, nullptr, nullptr, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphInstantiate(&exec, nullptr, nullptr, nullptr, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphInstantiateWithFlags(&exec, graph, 4), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphLaunch(nullptr, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphUpload(nullptr, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphExecDestroy(nullptr), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphDestroy(nullptr), hipErrorInvalidValue);
    EXPECT_EQ(nodes_of(graph).size(), 1U);
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipGraphNodes, ANodeGoesWithItsGraph) {
  const Result r = run_one([] {
    const hipGraph_t graph = new_graph();
    hipGraphNode_t node = nullptr;
    EXPECT_EQ(hipGraphAddEmptyNode(&node, graph, nullptr, 0), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
    hipGraphNodeType type = hipGraphNodeTypeKernel;
    EXPECT_EQ(hipGraphNodeGetType(node, &type), hipErrorInvalidValue);
  });
  EXPECT_THAT(kinds_of(r), ElementsAre(ReportKind::api_error));
}

TEST(HipGraphNodes, AnUpdateReplacesTheParameters) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    auto* const flag = zeroed_array<std::uint32_t>(1);
    auto* const a = zeroed_array<std::uint32_t>(4);
    const auto work = [&](std::uint32_t add, std::uint32_t fill, std::uint32_t* to) {
      return captured(stream, [&] {
        launch_wait(flag, 1, stream);
        launch_add(a, add, to, 1, stream);
        EXPECT_EQ(hipMemsetD32Async(a + 3, static_cast<int>(fill), 1, stream), hipSuccess);
      });
    };
    const hipGraph_t graph = work(10, 1, a + 1);
    const hipGraphExec_t exec = instantiated(graph);
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
    EXPECT_EQ(hipGraphLaunch(exec, stream), hipSuccess);
    // A launch that is queued keeps what it was launched with.
    hipGraphNode_t failed = reinterpret_cast<hipGraphNode_t>(1);
    hipGraphExecUpdateResult result = hipGraphExecUpdateError;
    const hipGraph_t changed = work(20, 2, a + 2);
    EXPECT_EQ(hipGraphExecUpdate(exec, changed, &failed, &result), hipSuccess);
    EXPECT_EQ(result, hipGraphExecUpdateSuccess);
    EXPECT_EQ(failed, nullptr);
    EXPECT_EQ(hipGraphDestroy(changed), hipSuccess);
    launch_signal(flag, 1, new_stream());
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_THAT(host_copy(a, 4), ElementsAre(0U, 10U, 0U, 1U));
    replay(exec, stream);
    EXPECT_THAT(host_copy(a, 4), ElementsAre(0U, 10U, 20U, 2U));
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipGraphNodes, AnUpdateThatDoesNotFitChangesNothing) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    auto* const a = zeroed_array<std::uint32_t>(4);
    std::uint32_t* scratch = nullptr;
    const auto allocate = [&] {
      EXPECT_EQ(hipMallocAsync(&scratch, 4, stream), hipSuccess);
      EXPECT_EQ(hipFreeAsync(scratch, stream), hipSuccess);
    };
    const auto refused = [&](hipGraphExec_t exec, hipGraph_t graph, hipGraphExecUpdateResult why,
                             hipGraphNode_t where) {
      hipGraphNode_t failed = nullptr;
      hipGraphExecUpdateResult result = hipGraphExecUpdateSuccess;
      EXPECT_EQ(hipGraphExecUpdate(exec, graph, &failed, &result), hipErrorGraphExecUpdateFailure);
      EXPECT_EQ(result, why);
      EXPECT_EQ(failed, where);
    };
    const hipGraphExec_t exec = instantiated(captured(stream, [&] {
      launch_add(a, 1, a, 1, stream);
      launch_add(a, 1, a + 1, 1, stream);
    }));
    const hipGraph_t longer = captured(stream, [&] {
      for (int i = 0; i < 3; ++i) launch_add(a, 9, a, 1, stream);
    });
    const hipGraph_t other_type = captured(stream, [&] {
      launch_add(a, 9, a, 1, stream);
      EXPECT_EQ(hipMemsetAsync(a, 0, 4, stream), hipSuccess);
    });
    const hipGraph_t other_kernel = captured(stream, [&] {
      launch_signal(a, 1, stream);
      launch_add(a, 9, a + 1, 1, stream);
    });
    const hipStream_t fork = new_stream();
    const hipGraph_t other_edges = captured(stream, [&] {
      order(stream, fork);
      launch_add(a, 9, a, 1, stream);
      launch_add(a, 9, a + 1, 1, fork);
      order(fork, stream);
    });
    refused(exec, longer, hipGraphExecUpdateErrorTopologyChanged, nullptr);
    refused(exec, other_type, hipGraphExecUpdateErrorNodeTypeChanged, nodes_of(other_type)[1]);
    refused(exec, other_kernel, hipGraphExecUpdateErrorFunctionChanged, nodes_of(other_kernel)[0]);
    refused(exec, other_edges, hipGraphExecUpdateErrorTopologyChanged, nodes_of(other_edges)[1]);
    const hipGraph_t allocation = captured(stream, allocate);
    refused(instantiated(captured(stream, allocate)), allocation,
            hipGraphExecUpdateErrorParametersChanged, nodes_of(allocation)[0]);
    replay(exec, stream);
    EXPECT_THAT(host_copy(a, 2), ElementsAre(1U, 2U));
    hipGraphExecUpdateResult result = hipGraphExecUpdateSuccess;
    EXPECT_EQ(hipGraphExecUpdate(exec, longer, nullptr, &result), hipErrorInvalidValue);
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipGraphNodes, CopiesAndFillsAreAskedForAndChanged) {
  const Result r = run_one([] {
    auto* const a = zeroed_array<std::uint32_t>(6);
    const hipGraph_t graph = new_graph();
    const hipGraphNode_t fill = add_fill(graph, {}, a, 5, 2);
    const hipGraphNode_t copy = add_copy(graph, {fill}, a + 2, a);
    hipMemsetParams got{};
    EXPECT_EQ(hipGraphMemsetNodeGetParams(fill, &got), hipSuccess);
    EXPECT_EQ(got.dst, a);
    EXPECT_EQ(got.value, 5U);
    EXPECT_EQ(got.width, 2U);
    EXPECT_EQ(got.elementSize, 4U);
    EXPECT_EQ(got.height, 1U);
    const hipGraphExec_t exec = instantiated(graph);
    got.value = 6;
    EXPECT_EQ(hipGraphExecMemsetNodeSetParams(exec, fill, &got), hipSuccess);
    EXPECT_EQ(
        hipGraphExecMemcpyNodeSetParams1D(exec, copy, a + 3, a + 1, 4, hipMemcpyDeviceToDevice),
        hipSuccess);
    replay(exec, nullptr);
    EXPECT_THAT(host_copy(a, 4), ElementsAre(6U, 6U, 0U, 6U));
    got.value = 7;
    EXPECT_EQ(hipGraphMemsetNodeSetParams(fill, &got), hipSuccess);
    EXPECT_EQ(hipGraphMemcpyNodeSetParams1D(copy, a + 4, a, 8, hipMemcpyDeviceToDevice),
              hipSuccess);
    replay(exec, nullptr);
    EXPECT_THAT(host_copy(a, 6), ElementsAre(6U, 6U, 0U, 6U, 0U, 0U));
    replay(instantiated(graph), nullptr);
    EXPECT_THAT(host_copy(a, 6), ElementsAre(7U, 7U, 0U, 6U, 7U, 7U));
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipGraphNodes, AChangeOfACopyOrFillIsChecked) {
  const Result r = run_one([] {
    auto* const a = zeroed_array<std::uint32_t>(2);
    const hipGraph_t graph = new_graph();
    const hipGraphNode_t fill = add_fill(graph, {}, a, 5, 2);
    const hipGraphNode_t copy = add_copy(graph, {fill}, a + 1, a);
    const hipGraphExec_t exec = instantiated(graph);
    const hipMemsetParams good{a, 4, 1, 0, 1, 1};
    const hipMemsetParams rows{a, 4, 2, 4, 1, 1};
    EXPECT_EQ(hipGraphExecMemsetNodeSetParams(exec, fill, &rows), hipErrorNotSupported);
    EXPECT_EQ(hipGraphExecMemsetNodeSetParams(exec, fill, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphExecMemsetNodeSetParams(exec, copy, &good), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphExecMemcpyNodeSetParams1D(exec, copy, a, nullptr, 4, hipMemcpyDefault),
              hipErrorInvalidValue);
    EXPECT_EQ(hipGraphMemcpyNodeSetParams1D(fill, a, a + 1, 4, hipMemcpyDefault),
              hipErrorInvalidValue);
    EXPECT_EQ(hipGraphMemsetNodeGetParams(copy, nullptr), hipErrorInvalidValue);
    replay(exec, nullptr);  // as it was
    EXPECT_THAT(host_copy(a, 2), ElementsAre(5U, 5U));
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipGraphNodes, ANodeOfAnExecutableGraphKeepsToItsDevice) {
  const Result r = run_ranks(2, [](int rank) {
    if (rank != 0) return;
    EXPECT_EQ(hipDeviceEnablePeerAccess(1, 0), hipSuccess);
    auto* const a = zeroed_array<std::uint32_t>(2);
    EXPECT_EQ(hipSetDevice(1), hipSuccess);
    auto* const there = zeroed_array<std::uint32_t>(2);
    EXPECT_EQ(hipSetDevice(0), hipSuccess);
    std::uint32_t* pinned = nullptr;
    EXPECT_EQ(hipHostMalloc(&pinned, 4), hipSuccess);
    const hipGraph_t graph = new_graph();
    const hipGraphNode_t fill = add_fill(graph, {}, a, 5, 2);
    const hipGraphNode_t copy = add_copy(graph, {fill}, a + 1, a);
    const hipGraphExec_t exec = instantiated(graph);
    const hipMemsetParams elsewhere{there, 4, 1, 0, 1, 1};
    EXPECT_EQ(hipGraphExecMemsetNodeSetParams(exec, fill, &elsewhere), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphExecMemcpyNodeSetParams1D(exec, copy, there, a, 4, hipMemcpyDefault),
              hipErrorInvalidValue);
    EXPECT_EQ(hipGraphExecMemcpyNodeSetParams1D(exec, copy, pinned, a, 4, hipMemcpyDefault),
              hipSuccess);
    replay(exec, nullptr);
    EXPECT_EQ(*pinned, 5U);
  });
  EXPECT_EQ(texts_of(r), "");
}

Result run_with_leaks(const std::function<void()>& f) {
  Config config;
  return run(config, [&](int) { f(); });
}

TEST(HipGraphNodes, WhatIsLeftIsALeak) {
  const Result r = run_with_leaks([] {
    const hipStream_t stream = new_stream();
    std::uint32_t* kept = nullptr;
    const hipGraph_t graph = captured(stream, [&] {
      EXPECT_EQ(hipMallocAsync(&kept, 12, stream), hipSuccess);
      std::uint32_t* freed = nullptr;  // by every launch: no leak
      EXPECT_EQ(hipMallocAsync(&freed, 12, stream), hipSuccess);
      EXPECT_EQ(hipFreeAsync(freed, stream), hipSuccess);
    });
    replay(instantiated(graph), stream);
    EXPECT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
  });
  ASSERT_EQ(r.reports.size(), 5U) << texts_of(r);
  for (const Report& report : r.reports) EXPECT_EQ(report.kind, ReportKind::leak);
  for (const char* text :
       {"rank 0 has not freed an allocation (12 bytes on device 0)",
        "rank 0 has not destroyed its stream 1", "rank 0 has not ended a capture",
        "rank 0 has not destroyed a graph", "rank 0 has not destroyed an executable graph"}) {
    EXPECT_THAT(texts_of(r), HasSubstr(text));
  }
}

TEST(HipGraphNodes, ATidyUseOfGraphsLeaksNothing) {
  const Result r = run_with_leaks([] {
    const hipStream_t stream = new_stream();
    std::uint32_t* scratch = nullptr;
    const hipGraph_t graph = captured(stream, [&] {
      EXPECT_EQ(hipMallocAsync(&scratch, 12, stream), hipSuccess);
      EXPECT_EQ(hipFreeAsync(scratch, stream), hipSuccess);
    });
    const hipGraphExec_t exec = instantiated(graph);
    replay(exec, stream);
    EXPECT_EQ(hipGraphExecDestroy(exec), hipSuccess);
    EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
    hipGraph_t refused = nullptr;
    EXPECT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
    EXPECT_EQ(hipStreamQuery(stream), hipErrorStreamCaptureUnsupported);
    EXPECT_EQ(hipStreamEndCapture(stream, &refused), hipErrorStreamCaptureInvalidated);
    EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
  });
  EXPECT_EQ(texts_of(r), "");
}

}  // namespace
}  // namespace rankle::sim::testing
