// What the calls that add and change single nodes share: finding what a handle means, and the way
// into a graph or into an executable graph's copy of a node.
#pragma once

#include <functional>

#include "sim/graph.h"
#include "sim/hip_call.h"

namespace rankle::sim {

// Where a call on nodes comes from.
struct NodeCall {
  const char* name;
  std::uintptr_t pc;
};

hipError_t add_node(const HostRank& host, hipGraphNode_t* handle, Graph* graph,
                    const hipGraphNode_t* dependencies, std::size_t count, Node node);

// The node of a handle; nullptr if it is of another type. An `api-error` if there is no such node.
Node* node_of(hipGraphNode_t handle, hipGraphNodeType type, const NodeCall& call);

// Changes a node for executable graphs to come, or the copy of it that one executable graph has,
// for launches to come. hipErrorInvalidValue if there is no such node or copy; else the answer of
// `change`, which leaves the node as it was if that is an error.
using NodeChange = std::function<hipError_t(Node& node)>;
hipError_t change_node(hipGraphNode_t handle, hipGraphNodeType type, const NodeCall& call,
                       const NodeChange& change);
hipError_t change_copy(hipGraphExec_t exec, hipGraphNode_t handle, hipGraphNodeType type,
                       const NodeCall& call, const NodeChange& change);

}  // namespace rankle::sim
