// Streams, events and captures for the tests of graphs.
#pragma once

#include <functional>

#include "tests/sim/fixture.h"
#include "tests/sim/hip_kernels.h"

namespace rankle::sim::testing {

using Words = std::uint32_t*;

inline hipStream_t new_stream(unsigned flags = hipStreamNonBlocking) {
  hipStream_t stream = nullptr;
  EXPECT_EQ(hipStreamCreateWithFlags(&stream, flags), hipSuccess);
  return stream;
}

inline hipEvent_t new_event() {
  hipEvent_t event = nullptr;
  EXPECT_EQ(hipEventCreate(&event), hipSuccess);
  return event;
}

inline hipGraph_t new_graph() {
  hipGraph_t graph = nullptr;
  EXPECT_EQ(hipGraphCreate(&graph, 0), hipSuccess);
  return graph;
}

inline hipGraphNode_t add_fill(hipGraph_t graph, const std::vector<hipGraphNode_t>& after,
                               std::uint32_t* to, std::uint32_t value, std::size_t count) {
  const hipMemsetParams parameters{to, 4, 1, 0, value, count};
  hipGraphNode_t node = nullptr;
  EXPECT_EQ(hipGraphAddMemsetNode(&node, graph, after.data(), after.size(), &parameters),
            hipSuccess);
  return node;
}

inline hipGraphNode_t add_copy(hipGraph_t graph, const std::vector<hipGraphNode_t>& after,
                               std::uint32_t* to, const std::uint32_t* from) {
  hipGraphNode_t node = nullptr;
  EXPECT_EQ(hipGraphAddMemcpyNode1D(&node, graph, after.data(), after.size(), to, from, 4,
                                    hipMemcpyDeviceToDevice),
            hipSuccess);
  return node;
}

// `to` comes behind what is in `from` so far.
inline void order(hipStream_t from, hipStream_t to) {
  const hipEvent_t event = new_event();
  EXPECT_EQ(hipEventRecord(event, from), hipSuccess);
  EXPECT_EQ(hipStreamWaitEvent(to, event, 0), hipSuccess);
}

inline hipGraph_t captured(hipStream_t stream, const std::function<void()>& work) {
  EXPECT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
  work();
  hipGraph_t graph = nullptr;
  EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
  EXPECT_NE(graph, nullptr);
  return graph;
}

inline hipGraphExec_t instantiated(hipGraph_t graph) {
  hipGraphExec_t exec = nullptr;
  EXPECT_EQ(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0), hipSuccess);
  EXPECT_NE(exec, nullptr);
  return exec;
}

inline void replay(hipGraphExec_t exec, hipStream_t stream) {
  EXPECT_EQ(hipGraphLaunch(exec, stream), hipSuccess);
  EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
}

inline std::vector<hipGraphNode_t> nodes_of(hipGraph_t graph) {
  std::size_t count = 0;
  EXPECT_EQ(hipGraphGetNodes(graph, nullptr, &count), hipSuccess);
  std::vector<hipGraphNode_t> nodes(count);
  EXPECT_EQ(hipGraphGetNodes(graph, nodes.data(), &count), hipSuccess);
  return nodes;
}

inline std::vector<hipGraphNodeType> types_of(hipGraph_t graph) {
  std::vector<hipGraphNodeType> types;
  for (const hipGraphNode_t node : nodes_of(graph)) {
    types.emplace_back();
    EXPECT_EQ(hipGraphNodeGetType(node, &types.back()), hipSuccess);
  }
  return types;
}

}  // namespace rankle::sim::testing
