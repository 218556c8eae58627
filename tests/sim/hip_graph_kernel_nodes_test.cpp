// Kernels as nodes that are made and changed through HIP's untyped parameters.
#include "tests/sim/graph_fixture.h"

namespace rankle::sim::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// to[i] = from[i] + value
struct Sum {
  const std::uint32_t* from = nullptr;
  std::uint32_t value = 0;
  std::uint32_t* to = nullptr;
  void* arguments[3] = {&from, &value, &to};

  hipKernelNodeParams parameters(unsigned count) {
    return {dim3(count), nullptr, add_kernel(), dim3(1), arguments, 0};
  }
};

void meet_add() { EXPECT_GT(occupancy_of_add(64, 0), 0); }

TEST(HipGraphKernelNodes, ANodeHasItsOwnCopyOfTheArguments) {
  const Result r = run_one([] {
    meet_add();
    auto* const a = zeroed_array<std::uint32_t>(4);
    const hipGraph_t graph = new_graph();
    Sum sum{a, 5, a + 2};
    hipKernelNodeParams parameters = sum.parameters(2);
    hipGraphNode_t first = nullptr;
    EXPECT_EQ(hipGraphAddKernelNode(&first, graph, nullptr, 0, &parameters), hipSuccess);
    sum.value = 100;
    sum.from = a + 2;
    hipGraphNode_t second = nullptr;
    EXPECT_EQ(hipGraphAddKernelNode(&second, graph, &first, 1, &parameters), hipSuccess);
    sum.value = 7;
    EXPECT_THAT(types_of(graph), ElementsAre(hipGraphNodeTypeKernel, hipGraphNodeTypeKernel));
    const hipGraphExec_t exec = instantiated(graph);
    replay(exec, nullptr);
    EXPECT_THAT(host_copy(a, 4), ElementsAre(0U, 0U, 105U, 105U));
    replay(exec, nullptr);
    EXPECT_THAT(host_copy(a, 4), ElementsAre(0U, 0U, 105U, 105U));
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipGraphKernelNodes, AKernelIsKnownOnceItsOccupancyWasAskedFor) {
  const Result r = run_one([] {
    auto* a = zeroed_array<std::uint32_t>(1);
    void* arguments[] = {&a};
    const hipKernelNodeParams parameters{dim3(1), nullptr,   increment_kernel(),
                                         dim3(1), arguments, 0};
    const hipGraph_t graph = new_graph();
    hipGraphNode_t node = nullptr;
    EXPECT_GT(occupancy_of_increment(), 0);
    EXPECT_EQ(hipGraphAddKernelNode(&node, graph, nullptr, 0, &parameters), hipSuccess);
    const hipGraphExec_t exec = instantiated(graph);
    for (int i = 0; i < 3; ++i) replay(exec, nullptr);
    EXPECT_THAT(host_copy(a, 1), ElementsAre(3U));
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipGraphKernelNodes, OneThatNoTypedCallHasHadIsRefusedAndTold) {
  const Result r = run_one([] {
    auto* a = zeroed_array<std::uint32_t>(1);
    void* arguments[] = {&a};
    const hipKernelNodeParams parameters{dim3(1), nullptr, unmet_kernel(), dim3(1), arguments, 0};
    const hipGraph_t graph = new_graph();
    hipGraphNode_t node = nullptr;
    EXPECT_EQ(hipGraphAddKernelNode(&node, graph, nullptr, 0, &parameters),
              hipErrorInvalidDeviceFunction);
    EXPECT_TRUE(nodes_of(graph).empty());
  });
  ASSERT_THAT(kinds_of(r), ElementsAre(ReportKind::api_error));
  EXPECT_THAT(r.reports[0].message,
              HasSubstr("hipGraphAddKernelNode of a kernel whose parameters"));
}

// What an earlier run has met is forgotten: a case says the same alone and behind others.
TEST(HipGraphKernelNodes, EachRunMeetsItsKernelsAnew) {
  run_one(meet_add);
  const Result r = run_one([] {
    Sum sum;
    const hipKernelNodeParams parameters = sum.parameters(1);
    hipGraphNode_t node = nullptr;
    EXPECT_EQ(hipGraphAddKernelNode(&node, new_graph(), nullptr, 0, &parameters),
              hipErrorInvalidDeviceFunction);
  });
  EXPECT_THAT(kinds_of(r), ElementsAre(ReportKind::api_error));
}

TEST(HipGraphKernelNodes, AChangeInTheGraphIsForExecutableGraphsToCome) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    auto* const a = zeroed_array<std::uint32_t>(2);
    const hipGraph_t graph = captured(stream, [&] { launch_add(a, 1, a + 1, 1, stream); });
    const hipGraphNode_t node = nodes_of(graph)[0];
    const hipGraphExec_t before = instantiated(graph);
    Sum sum{a, 9, a + 1};
    const hipKernelNodeParams parameters = sum.parameters(1);
    EXPECT_EQ(hipGraphKernelNodeSetParams(node, &parameters), hipSuccess);
    replay(before, stream);
    EXPECT_THAT(host_copy(a, 2), ElementsAre(0U, 1U));
    replay(instantiated(graph), stream);
    EXPECT_THAT(host_copy(a, 2), ElementsAre(0U, 9U));
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipGraphKernelNodes, AChangeInAnExecutableGraphIsForLaunchesToCome) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    auto* const flag = zeroed_array<std::uint32_t>(1);
    auto* const a = zeroed_array<std::uint32_t>(4);
    const hipGraph_t graph = captured(stream, [&] {
      launch_wait(flag, 1, stream);
      launch_add(a, 1, a + 1, 1, stream);
    });
    const hipGraphNode_t node = nodes_of(graph)[1];
    const hipGraphExec_t exec = instantiated(graph);
    EXPECT_EQ(hipGraphLaunch(exec, stream), hipSuccess);
    Sum sum{a, 20, a + 2};
    const hipKernelNodeParams parameters = sum.parameters(2);  // another shape as well
    EXPECT_EQ(hipGraphExecKernelNodeSetParams(exec, node, &parameters), hipSuccess);
    launch_signal(flag, 1, new_stream());
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_THAT(host_copy(a, 4), ElementsAre(0U, 1U, 0U, 0U));  // as it was launched
    replay(exec, stream);
    EXPECT_THAT(host_copy(a, 4), ElementsAre(0U, 1U, 20U, 21U));
    replay(instantiated(graph), stream);  // the graph is as it was
    EXPECT_THAT(host_copy(a, 4), ElementsAre(0U, 1U, 20U, 21U));
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipGraphKernelNodes, AnUpdateOfTheWholeKeepsItsNodesKnown) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    auto* const a = zeroed_array<std::uint32_t>(2);
    const hipGraph_t graph = captured(stream, [&] { launch_add(a, 1, a + 1, 1, stream); });
    const hipGraph_t other = captured(stream, [&] { launch_add(a, 2, a + 1, 1, stream); });
    const hipGraphExec_t exec = instantiated(graph);
    hipGraphNode_t failed = nullptr;
    hipGraphExecUpdateResult result = hipGraphExecUpdateError;
    EXPECT_EQ(hipGraphExecUpdate(exec, other, &failed, &result), hipSuccess);
    replay(exec, stream);
    EXPECT_THAT(host_copy(a, 2), ElementsAre(0U, 2U));
    Sum sum{a, 3, a + 1};
    const hipKernelNodeParams parameters = sum.parameters(1);
    EXPECT_EQ(hipGraphExecKernelNodeSetParams(exec, nodes_of(graph)[0], &parameters), hipSuccess);
    EXPECT_EQ(hipGraphExecKernelNodeSetParams(exec, nodes_of(other)[0], &parameters),
              hipErrorInvalidValue);
    replay(exec, stream);
    EXPECT_THAT(host_copy(a, 2), ElementsAre(0U, 3U));
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipGraphKernelNodes, WhatANodeLaunchesCanBeAskedForAndGivenBack) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    auto* const a = zeroed_array<std::uint32_t>(4);
    const hipGraph_t graph = captured(stream, [&] { launch_add(a, 4, a + 2, 1, stream); });
    const hipGraphNode_t node = nodes_of(graph)[0];
    hipKernelNodeParams got{};
    EXPECT_EQ(hipGraphKernelNodeGetParams(node, &got), hipSuccess);
    EXPECT_EQ(got.func, add_kernel());
    EXPECT_EQ(got.blockDim.x, 1U);
    ASSERT_NE(got.kernelParams, nullptr);
    EXPECT_EQ(*static_cast<std::uint32_t*>(got.kernelParams[1]), 4U);
    EXPECT_EQ(*static_cast<std::uint32_t**>(got.kernelParams[2]), a + 2);
    std::uint32_t value = 6;
    got.kernelParams[1] = &value;
    got.blockDim = dim3(2);
    EXPECT_EQ(hipGraphKernelNodeSetParams(node, &got), hipSuccess);
    replay(instantiated(graph), stream);
    EXPECT_THAT(host_copy(a, 4), ElementsAre(0U, 0U, 6U, 6U));
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipGraphKernelNodes, CallsCheckWhatTheyAreGiven) {
  const Result r = run_one([] {
    meet_add();
    auto* const a = zeroed_array<std::uint32_t>(2);
    const hipGraph_t graph = new_graph();
    const hipGraphNode_t fill = add_fill(graph, {}, a, 1, 1);
    Sum sum{a, 1, a + 1};
    const hipKernelNodeParams good = sum.parameters(1);
    hipGraphNode_t node = nullptr;
    hipKernelNodeParams got{};
    const auto added = [&](const hipKernelNodeParams& parameters) {
      hipGraphNode_t made = nullptr;
      return hipGraphAddKernelNode(&made, graph, nullptr, 0, &parameters);
    };
    hipKernelNodeParams bad = good;
    bad.func = nullptr;
    EXPECT_EQ(added(bad), hipErrorInvalidValue);
    bad = good;
    bad.kernelParams = nullptr;
    EXPECT_EQ(added(bad), hipErrorInvalidValue);
    bad = good;
    bad.gridDim = dim3(0);
    EXPECT_EQ(added(bad), hipErrorInvalidConfiguration);
    bad = good;
    bad.blockDim = dim3(2048);
    EXPECT_EQ(added(bad), hipErrorInvalidConfiguration);
    EXPECT_EQ(hipGraphAddKernelNode(&node, graph, nullptr, 0, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphAddKernelNode(&node, nullptr, nullptr, 0, &good), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphAddKernelNode(nullptr, graph, nullptr, 0, &good), hipErrorInvalidValue);
    const hipGraphExec_t exec = instantiated(graph);
    EXPECT_EQ(hipGraphAddKernelNode(&node, graph, nullptr, 0, &good), hipSuccess);
    EXPECT_EQ(hipGraphExecKernelNodeSetParams(exec, node, &good), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphExecKernelNodeSetParams(nullptr, node, &good), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphExecKernelNodeSetParams(exec, nullptr, &good), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphExecKernelNodeSetParams(exec, fill, &good), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphKernelNodeSetParams(fill, &good), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphKernelNodeGetParams(fill, &got), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphKernelNodeGetParams(node, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(nodes_of(graph).size(), 2U);
  });
  EXPECT_EQ(texts_of(r), "");
}

}  // namespace
}  // namespace rankle::sim::testing
