// Nodes that copy and fill memory: made, asked for and changed. A row of memory each: pitched
// memory is outside of the subset. In an executable graph a node keeps to the memories that it
// works on.
#include "sim/graph_nodes.h"

using rankle::sim::finish_call;
using rankle::sim::graph_of;
using rankle::sim::Memory;
using rankle::sim::Node;
using rankle::sim::NodeCall;
using rankle::sim::NodeChange;
using rankle::sim::OpKind;

namespace {

struct Copy {
  void* to;
  const void* from;
  std::size_t bytes;
  hipMemcpyKind kind;
};

hipError_t set(Node& node, const Copy& copy) {
  if (copy.to == nullptr || copy.from == nullptr || copy.bytes == 0 ||
      copy.kind < hipMemcpyHostToHost || copy.kind > hipMemcpyDefault) {
    return hipErrorInvalidValue;
  }
  node.op.kind = OpKind::copy;
  node.op.to = copy.to;
  node.op.from = copy.from;
  node.op.bytes = copy.bytes;
  return hipSuccess;
}

hipError_t set(Node& node, const hipMemsetParams* parameters) {
  if (parameters == nullptr) return hipErrorInvalidValue;
  const hipMemsetParams& p = *parameters;
  const bool known = p.elementSize == 1 || p.elementSize == 2 || p.elementSize == 4;
  if (!known || p.width == 0 || p.height == 0 || !Memory::contains(p.dst) ||
      reinterpret_cast<std::uintptr_t>(p.dst) % p.elementSize != 0) {
    return hipErrorInvalidValue;
  }
  if (p.height != 1) return hipErrorNotSupported;
  node.op.kind = OpKind::fill;
  node.op.to = p.dst;
  node.op.bytes = p.width * p.elementSize;
  node.op.value = p.value;
  node.op.width = p.elementSize;
  return hipSuccess;
}

// The device whose memory it is; kHostRegion for the host's.
int device_of(const void* pointer) {
  if (!Memory::contains(pointer)) return rankle::sim::kHostRegion;
  const auto address = rankle::sim::owner_address(reinterpret_cast<std::uintptr_t>(pointer));
  return rankle::sim::region_of(address - rankle::sim::kBase);
}

// From a device's memory to the host's or back it may change, as on CUDA.
bool stays_on_device(const void* before, const void* after) {
  const int old = device_of(before);
  const int now = device_of(after);
  return old == now || old == rankle::sim::kHostRegion || now == rankle::sim::kHostRegion;
}

template <typename Parameters>
hipError_t set_in_exec(Node& node, const Parameters& parameters) {
  Node changed = node;
  if (const hipError_t error = set(changed, parameters); error != hipSuccess) return error;
  const bool stays =
      stays_on_device(node.op.to, changed.op.to) &&
      (node.op.kind != OpKind::copy || stays_on_device(node.op.from, changed.op.from));
  if (!stays) return hipErrorInvalidValue;
  node = std::move(changed);
  return hipSuccess;
}

}  // namespace

extern "C" {

hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* node, hipGraph_t graph,
                                   const hipGraphNode_t* dependencies, std::size_t count, void* to,
                                   const void* from, std::size_t bytes, hipMemcpyKind kind) {
  RANKLE_ENTER_CALL(host);
  Node made;
  made.type = hipGraphNodeTypeMemcpy;
  made.op.site = RANKLE_CALLER;
  const hipError_t error = set(made, Copy{to, from, bytes, kind});
  if (error != hipSuccess) return finish_call(error);
  return rankle::sim::add_node(*host, node,
                               graph_of(graph, "hipGraphAddMemcpyNode1D", RANKLE_CALLER),
                               dependencies, count, std::move(made));
}

hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void* to, const void* from,
                                         std::size_t bytes, hipMemcpyKind kind) {
  RANKLE_ENTER_CALL(host);
  const NodeCall call{"hipGraphMemcpyNodeSetParams1D", RANKLE_CALLER};
  const NodeChange change = [&](Node& n) { return set(n, Copy{to, from, bytes, kind}); };
  return rankle::sim::change_node(node, hipGraphNodeTypeMemcpy, call, change);
}

hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node, void* to,
                                             const void* from, std::size_t bytes,
                                             hipMemcpyKind kind) {
  RANKLE_ENTER_CALL(host);
  const NodeCall call{"hipGraphExecMemcpyNodeSetParams1D", RANKLE_CALLER};
  const NodeChange change = [&](Node& n) { return set_in_exec(n, Copy{to, from, bytes, kind}); };
  return rankle::sim::change_copy(exec, node, hipGraphNodeTypeMemcpy, call, change);
}

hipError_t hipGraphAddMemsetNode(hipGraphNode_t* node, hipGraph_t graph,
                                 const hipGraphNode_t* dependencies, std::size_t count,
                                 const hipMemsetParams* parameters) {
  RANKLE_ENTER_CALL(host);
  Node made;
  made.type = hipGraphNodeTypeMemset;
  made.op.site = RANKLE_CALLER;
  if (const hipError_t error = set(made, parameters); error != hipSuccess) {
    return finish_call(error);
  }
  return rankle::sim::add_node(*host, node, graph_of(graph, "hipGraphAddMemsetNode", RANKLE_CALLER),
                               dependencies, count, std::move(made));
}

hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams* parameters) {
  RANKLE_ENTER_CALL(host);
  const Node* const found = rankle::sim::node_of(node, hipGraphNodeTypeMemset,
                                                 {"hipGraphMemsetNodeGetParams", RANKLE_CALLER});
  if (found == nullptr || parameters == nullptr) return finish_call(hipErrorInvalidValue);
  const rankle::sim::Op& op = found->op;
  *parameters = {op.to, op.width, 1, 0, op.value, op.bytes / op.width};
  return hipSuccess;
}

hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hipMemsetParams* parameters) {
  RANKLE_ENTER_CALL(host);
  const NodeCall call{"hipGraphMemsetNodeSetParams", RANKLE_CALLER};
  const NodeChange change = [parameters](Node& n) { return set(n, parameters); };
  return rankle::sim::change_node(node, hipGraphNodeTypeMemset, call, change);
}

hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           const hipMemsetParams* parameters) {
  RANKLE_ENTER_CALL(host);
  const NodeCall call{"hipGraphExecMemsetNodeSetParams", RANKLE_CALLER};
  const NodeChange change = [parameters](Node& n) { return set_in_exec(n, parameters); };
  return rankle::sim::change_copy(exec, node, hipGraphNodeTypeMemset, call, change);
}
}
