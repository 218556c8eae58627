// The nodes of a graph: adding them one by one, and asking for them. Kernels get into a graph by
// capture only, since hipKernelNodeParams hides the types of their parameters.
#include <algorithm>

#include "sim/graph.h"
#include "sim/hip_call.h"

using rankle::sim::finish_call;
using rankle::sim::Graph;
using rankle::sim::graph_of;
using rankle::sim::Graphs;
using rankle::sim::graphs;
using rankle::sim::handle_of;
using rankle::sim::HostRank;
using rankle::sim::misuse;
using rankle::sim::Node;
using rankle::sim::OpKind;

namespace {

hipError_t add(const HostRank& host, hipGraphNode_t* handle, Graph* graph,
               const hipGraphNode_t* dependencies, std::size_t count, Node node) {
  if (handle == nullptr || graph == nullptr || (dependencies == nullptr && count > 0)) {
    return finish_call(hipErrorInvalidValue);
  }
  node.device = host.device;
  for (std::size_t i = 0; i < count; ++i) {
    const Graphs::Place place = graphs().find_node(dependencies[i]);
    const bool twice =
        std::find(node.after.begin(), node.after.end(), place.index) != node.after.end();
    if (place.graph != graph || twice) return finish_call(hipErrorInvalidValue);
    node.after.push_back(place.index);
  }
  graph->nodes.push_back(std::make_unique<Node>(std::move(node)));
  *handle = handle_of(graph->nodes.back().get());
  return hipSuccess;
}

// Gives `all` out as HIP does: as many as there is room for, nullptr in the rest of the room.
// Returns how many there are, or how many there was room for.
std::size_t give(const std::vector<hipGraphNode_t>& all, hipGraphNode_t* room, std::size_t count) {
  if (room == nullptr) return all.size();
  for (std::size_t i = 0; i < count; ++i) room[i] = i < all.size() ? all[i] : nullptr;
  return std::min(count, all.size());
}

}  // namespace

extern "C" {

hipError_t hipGraphAddEmptyNode(hipGraphNode_t* node, hipGraph_t graph,
                                const hipGraphNode_t* dependencies, std::size_t count) {
  RANKLE_ENTER_CALL(host);
  Node made;
  made.op.kind = OpKind::wait;
  made.op.site = RANKLE_CALLER;
  return add(*host, node, graph_of(graph, "hipGraphAddEmptyNode", RANKLE_CALLER), dependencies,
             count, std::move(made));
}

hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* node, hipGraph_t graph,
                                   const hipGraphNode_t* dependencies, std::size_t count, void* to,
                                   const void* from, std::size_t bytes, hipMemcpyKind kind) {
  RANKLE_ENTER_CALL(host);
  if (to == nullptr || from == nullptr || bytes == 0 || kind < hipMemcpyHostToHost ||
      kind > hipMemcpyDefault) {
    return finish_call(hipErrorInvalidValue);
  }
  Node made;
  made.type = hipGraphNodeTypeMemcpy;
  made.op.kind = OpKind::copy;
  made.op.to = to;
  made.op.from = from;
  made.op.bytes = bytes;
  made.op.site = RANKLE_CALLER;
  return add(*host, node, graph_of(graph, "hipGraphAddMemcpyNode1D", RANKLE_CALLER), dependencies,
             count, std::move(made));
}

// One row: pitched memory is outside of the subset.
hipError_t hipGraphAddMemsetNode(hipGraphNode_t* node, hipGraph_t graph,
                                 const hipGraphNode_t* dependencies, std::size_t count,
                                 const hipMemsetParams* parameters) {
  RANKLE_ENTER_CALL(host);
  if (parameters == nullptr) return finish_call(hipErrorInvalidValue);
  const hipMemsetParams& p = *parameters;
  const bool known = p.elementSize == 1 || p.elementSize == 2 || p.elementSize == 4;
  if (!known || p.width == 0 || p.height == 0 || !rankle::sim::Memory::contains(p.dst) ||
      reinterpret_cast<std::uintptr_t>(p.dst) % p.elementSize != 0) {
    return finish_call(hipErrorInvalidValue);
  }
  if (p.height != 1) return finish_call(hipErrorNotSupported);
  Node made;
  made.type = hipGraphNodeTypeMemset;
  made.op.kind = OpKind::fill;
  made.op.to = p.dst;
  made.op.bytes = p.width * p.elementSize;
  made.op.value = p.value;
  made.op.width = p.elementSize;
  made.op.site = RANKLE_CALLER;
  return add(*host, node, graph_of(graph, "hipGraphAddMemsetNode", RANKLE_CALLER), dependencies,
             count, std::move(made));
}

hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t* from,
                                   const hipGraphNode_t* to, std::size_t count) {
  RANKLE_ENTER_CALL(host);
  const Graph* const live = graph_of(graph, "hipGraphAddDependencies", RANKLE_CALLER);
  if (live == nullptr) return finish_call(hipErrorInvalidValue);
  if (count > 0 && (from == nullptr || to == nullptr)) return finish_call(hipErrorInvalidValue);
  for (std::size_t i = 0; i < count; ++i) {
    const Graphs::Place earlier = graphs().find_node(from[i]);
    const Graphs::Place later = graphs().find_node(to[i]);
    if (earlier.graph != live || later.graph != live || earlier.index == later.index) {
      return finish_call(hipErrorInvalidValue);
    }
    std::vector<std::uint32_t>& after = live->nodes[later.index]->after;
    if (std::find(after.begin(), after.end(), earlier.index) != after.end()) {
      return finish_call(hipErrorInvalidValue);
    }
    after.push_back(earlier.index);
  }
  return hipSuccess;
}

hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, std::size_t* count) {
  RANKLE_ENTER_CALL(host);
  const Graph* const live = graph_of(graph, "hipGraphGetNodes", RANKLE_CALLER);
  if (live == nullptr || count == nullptr) return finish_call(hipErrorInvalidValue);
  std::vector<hipGraphNode_t> all;
  all.reserve(live->nodes.size());
  for (const auto& node : live->nodes) all.push_back(handle_of(node.get()));
  *count = give(all, nodes, *count);
  return hipSuccess;
}

hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t* nodes, std::size_t* count) {
  RANKLE_ENTER_CALL(host);
  const Graph* const live = graph_of(graph, "hipGraphGetRootNodes", RANKLE_CALLER);
  if (live == nullptr || count == nullptr) return finish_call(hipErrorInvalidValue);
  std::vector<hipGraphNode_t> all;
  for (const auto& node : live->nodes) {
    if (node->after.empty()) all.push_back(handle_of(node.get()));
  }
  *count = give(all, nodes, *count);
  return hipSuccess;
}

hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t* from, hipGraphNode_t* to,
                            std::size_t* count) {
  RANKLE_ENTER_CALL(host);
  const Graph* const live = graph_of(graph, "hipGraphGetEdges", RANKLE_CALLER);
  const bool one_only = (from == nullptr) != (to == nullptr);
  if (live == nullptr || count == nullptr || one_only) return finish_call(hipErrorInvalidValue);
  std::vector<hipGraphNode_t> begins;
  std::vector<hipGraphNode_t> ends;
  for (const auto& node : live->nodes) {
    for (const std::uint32_t earlier : node->after) {
      begins.push_back(handle_of(live->nodes[earlier].get()));
      ends.push_back(handle_of(node.get()));
    }
  }
  give(begins, from, *count);
  *count = give(ends, to, *count);
  return hipSuccess;
}

hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType* type) {
  RANKLE_ENTER_CALL(host);
  if (type == nullptr) return finish_call(hipErrorInvalidValue);
  const Graphs::Place place = graphs().find_node(node);
  if (place.graph == nullptr) {
    if (node != nullptr) {
      misuse("hipGraphNodeGetType of a node that does not exist or was destroyed", RANKLE_CALLER);
    }
    return finish_call(hipErrorInvalidValue);
  }
  *type = place.graph->nodes[place.index]->type;
  return hipSuccess;
}
}
