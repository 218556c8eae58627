// The nodes of a graph, whatever they do: their order, and asking for them.
#include <algorithm>

#include "sim/graph_nodes.h"

using rankle::sim::finish_call;
using rankle::sim::Graph;
using rankle::sim::graph_of;
using rankle::sim::Graphs;
using rankle::sim::graphs;
using rankle::sim::handle_of;
using rankle::sim::misuse;
using rankle::sim::Node;
using rankle::sim::OpKind;

namespace {

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
  return rankle::sim::add_node(*host, node, graph_of(graph, "hipGraphAddEmptyNode", RANKLE_CALLER),
                               dependencies, count, std::move(made));
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
