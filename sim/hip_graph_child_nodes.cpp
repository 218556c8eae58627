// Nodes that stand for a graph. The node has a copy of it from the moment that it is added.
#include "sim/graph_nodes.h"

using rankle::sim::finish_call;
using rankle::sim::Graph;
using rankle::sim::graphs;
using rankle::sim::handle_of;
using rankle::sim::Node;

extern "C" {

hipError_t hipGraphAddChildGraphNode(hipGraphNode_t* node, hipGraph_t graph,
                                     const hipGraphNode_t* dependencies, std::size_t count,
                                     hipGraph_t child) {
  RANKLE_ENTER_CALL(host);
  const char* const call = "hipGraphAddChildGraphNode";
  const Graph* const inner = rankle::sim::graph_of(child, call, RANKLE_CALLER);
  Graph* const outer = rankle::sim::graph_of(graph, call, RANKLE_CALLER);
  if (inner == nullptr || outer == nullptr) return finish_call(hipErrorInvalidValue);
  Node made;
  made.type = hipGraphNodeTypeGraph;
  made.op.site = RANKLE_CALLER;
  made.child = graphs().copy_as_child(*inner);
  if (made.child == nullptr) return finish_call(hipErrorNotSupported);  // as on CUDA
  Graph& copy = *made.child;
  const hipError_t error =
      rankle::sim::add_node(*host, node, outer, dependencies, count, std::move(made));
  if (error != hipSuccess) graphs().destroy(copy);
  return error;
}

// What is changed in it is changed in the node; it goes with the node.
hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t* graph) {
  RANKLE_ENTER_CALL(host);
  const Node* const found = rankle::sim::node_of(node, hipGraphNodeTypeGraph,
                                                 {"hipGraphChildGraphNodeGetGraph", RANKLE_CALLER});
  if (found == nullptr || graph == nullptr) return finish_call(hipErrorInvalidValue);
  *graph = handle_of(found->child);
  return hipSuccess;
}
}
