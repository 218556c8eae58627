// Functions of the host in streams and in graphs.
#include "sim/capture.h"
#include "sim/graph_nodes.h"

using rankle::sim::Engine;
using rankle::sim::finish_call;
using rankle::sim::Node;
using rankle::sim::NodeCall;
using rankle::sim::NodeChange;
using rankle::sim::OpKind;

namespace {

hipError_t set(Node& node, const hipHostNodeParams* parameters) {
  if (parameters == nullptr || parameters->fn == nullptr) return hipErrorInvalidValue;
  node.op.kind = OpKind::function;
  node.op.function = parameters->fn;
  node.op.argument = parameters->userData;
  return hipSuccess;
}

}  // namespace

extern "C" {

hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* user_data) {
  RANKLE_ENTER_CALL(host);
  if (function == nullptr) return finish_call(hipErrorInvalidValue);
  auto* const queue = rankle::sim::stream_of(*host, stream, "hipLaunchHostFunc", RANKLE_CALLER);
  if (queue == nullptr) return finish_call(hipErrorContextIsDestroyed);
  const rankle::sim::Recording recording = rankle::sim::recording_of(*queue);
  if (recording.error != hipSuccess) return finish_call(recording.error);
  Node node;
  node.type = hipGraphNodeTypeHost;
  node.op.site = RANKLE_CALLER;
  const hipHostNodeParams parameters{function, user_data};
  static_cast<void>(set(node, &parameters));
  if (recording.on) {
    rankle::sim::record(*queue, std::move(node));
  } else {
    Engine::instance().enqueue(queue, node.op);
  }
  return hipSuccess;
}

hipError_t hipGraphAddHostNode(hipGraphNode_t* node, hipGraph_t graph,
                               const hipGraphNode_t* dependencies, std::size_t count,
                               const hipHostNodeParams* parameters) {
  RANKLE_ENTER_CALL(host);
  Node made;
  made.type = hipGraphNodeTypeHost;
  made.op.site = RANKLE_CALLER;
  if (const hipError_t error = set(made, parameters); error != hipSuccess) {
    return finish_call(error);
  }
  return rankle::sim::add_node(*host, node,
                               rankle::sim::graph_of(graph, "hipGraphAddHostNode", RANKLE_CALLER),
                               dependencies, count, std::move(made));
}

hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams* parameters) {
  RANKLE_ENTER_CALL(host);
  const Node* const found = rankle::sim::node_of(node, hipGraphNodeTypeHost,
                                                 {"hipGraphHostNodeGetParams", RANKLE_CALLER});
  if (found == nullptr || parameters == nullptr) return finish_call(hipErrorInvalidValue);
  *parameters = {found->op.function, found->op.argument};
  return hipSuccess;
}

hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams* parameters) {
  RANKLE_ENTER_CALL(host);
  const NodeCall call{"hipGraphHostNodeSetParams", RANKLE_CALLER};
  const NodeChange change = [parameters](Node& n) { return set(n, parameters); };
  return rankle::sim::change_node(node, hipGraphNodeTypeHost, call, change);
}

hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                         const hipHostNodeParams* parameters) {
  RANKLE_ENTER_CALL(host);
  const NodeCall call{"hipGraphExecHostNodeSetParams", RANKLE_CALLER};
  const NodeChange change = [parameters](Node& n) { return set(n, parameters); };
  return rankle::sim::change_copy(exec, node, hipGraphNodeTypeHost, call, change);
}
}
