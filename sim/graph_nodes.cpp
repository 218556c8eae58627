// Finding and changing single nodes (graph_nodes.h).
#include "sim/graph_nodes.h"

#include <algorithm>
#include <string>

namespace rankle::sim {

hipError_t add_node(const HostRank& host, hipGraphNode_t* handle, Graph* graph,
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

Node* node_of(hipGraphNode_t handle, hipGraphNodeType type, const NodeCall& call) {
  const Graphs::Place place = graphs().find_node(handle);
  if (place.graph == nullptr) {
    if (handle != nullptr) {
      misuse(std::string(call.name) + " of a node that does not exist or was destroyed", call.pc);
    }
    return nullptr;
  }
  Node* const node = place.graph->nodes[place.index].get();
  return node->type == type ? node : nullptr;
}

hipError_t change_node(hipGraphNode_t handle, hipGraphNodeType type, const NodeCall& call,
                       const NodeChange& change) {
  Node* const node = node_of(handle, type, call);
  return finish_call(node == nullptr ? hipErrorInvalidValue : change(*node));
}

hipError_t change_copy(hipGraphExec_t exec, hipGraphNode_t handle, hipGraphNodeType type,
                       const NodeCall& call, const NodeChange& change) {
  GraphExec* const live = exec_of(exec, call.name, call.pc);
  const Node* const node = node_of(handle, type, call);
  if (live == nullptr || node == nullptr) return finish_call(hipErrorInvalidValue);
  Node* const copy = Graphs::copy_of(*live, *node);
  if (copy == nullptr) return finish_call(hipErrorInvalidValue);
  const std::shared_ptr<const FrozenKernel> before = copy->kernel;
  const hipError_t error = change(*copy);
  if (error == hipSuccess) graphs().retire(*live, before);
  return finish_call(error);
}

}  // namespace rankle::sim
