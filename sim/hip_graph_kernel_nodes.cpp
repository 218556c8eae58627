// Nodes that launch a kernel, made and changed through HIP's untyped parameters. Errors are those
// of the HIP runtime and its tests: a wrong parameter is an invalid value, a function that is no
// kernel an invalid device function, a shape that no device takes an invalid configuration.
#include <string>

#include "sim/graph_nodes.h"
#include "sim/kernel_types.h"
#include "sim_device/launch.h"

using rankle::sim::finish_call;
using rankle::sim::FrozenKernel;
using rankle::sim::Launch;
using rankle::sim::misuse;
using rankle::sim::Node;
using rankle::sim::NodeCall;
using rankle::sim::NodeChange;
using rankle::sim::OpKind;

namespace {

hipError_t check(const hipKernelNodeParams* parameters, const NodeCall& call) {
  if (parameters == nullptr || parameters->func == nullptr) return hipErrorInvalidValue;
  const hipKernelNodeParams& p = *parameters;
  if ((p.kernelParams == nullptr) == (p.extra == nullptr)) return hipErrorInvalidValue;
  if (p.extra != nullptr) {
    misuse(std::string(call.name) +
               " with the arguments in `extra`, which the simulator does not "
               "take: pass `kernelParams`",
           call.pc);
    return hipErrorNotSupported;
  }
  if (rankle::sim::type_of_kernel(p.func) == nullptr) {
    misuse(std::string(call.name) +
               " of a kernel whose parameters the simulator has not seen yet: "
               "launch it or ask for its occupancy by its name before",
           call.pc);
    return hipErrorInvalidDeviceFunction;
  }
  const bool fits = rankle::sim::is_launchable(p.gridDim, p.blockDim, p.sharedMemBytes);
  return fits ? hipSuccess : hipErrorInvalidConfiguration;
}

// The device stays that of the node.
hipError_t set(Node& node, int rank, const hipKernelNodeParams* parameters, const NodeCall& call) {
  if (const hipError_t error = check(parameters, call); error != hipSuccess) return error;
  const rankle_sim_kernel_type& type = *rankle::sim::type_of_kernel(parameters->func);
  Launch made;
  made.rank = rank;
  made.device = node.device;
  made.grid = parameters->gridDim;
  made.block = parameters->blockDim;
  made.blocks_total = made.grid.x * made.grid.y * made.grid.z;
  made.dynamic_shared_bytes = parameters->sharedMemBytes;
  made.kernel = parameters->func;
  made.invoke = type.invoke;
  made.destroy = type.destroy;
  made.storage = type.copy(made.kernel, parameters->kernelParams);
  node.kernel = std::make_shared<const FrozenKernel>(std::move(made));
  node.op.kind = OpKind::kernel;
  node.op.site = call.pc;
  return hipSuccess;
}

}  // namespace

extern "C" {

hipError_t hipGraphAddKernelNode(hipGraphNode_t* node, hipGraph_t graph,
                                 const hipGraphNode_t* dependencies, std::size_t count,
                                 const hipKernelNodeParams* parameters) {
  RANKLE_ENTER_CALL(host);
  const NodeCall call{"hipGraphAddKernelNode", RANKLE_CALLER};
  Node made;
  made.type = hipGraphNodeTypeKernel;
  made.device = host->device;
  const hipError_t error = set(made, host->rank, parameters, call);
  if (error != hipSuccess) return finish_call(error);
  return rankle::sim::add_node(*host, node, rankle::sim::graph_of(graph, call.name, call.pc),
                               dependencies, count, std::move(made));
}

// The pointers are to the node's own copies, good until the node is changed or gone.
hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams* parameters) {
  RANKLE_ENTER_CALL(host);
  const Node* const found = rankle::sim::node_of(node, hipGraphNodeTypeKernel,
                                                 {"hipGraphKernelNodeGetParams", RANKLE_CALLER});
  if (found == nullptr || parameters == nullptr) return finish_call(hipErrorInvalidValue);
  const Launch& launch = found->kernel->launch;
  *parameters = {};
  parameters->blockDim = launch.block;
  parameters->func = const_cast<void*>(launch.kernel);
  parameters->gridDim = launch.grid;
  parameters->kernelParams = const_cast<void**>(found->kernel->arguments.data());
  parameters->sharedMemBytes = static_cast<unsigned>(launch.dynamic_shared_bytes);
  return hipSuccess;
}

hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams* parameters) {
  RANKLE_ENTER_CALL(host);
  const NodeCall call{"hipGraphKernelNodeSetParams", RANKLE_CALLER};
  const NodeChange change = [&](Node& n) { return set(n, host->rank, parameters, call); };
  return rankle::sim::change_node(node, hipGraphNodeTypeKernel, call, change);
}

hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           const hipKernelNodeParams* parameters) {
  RANKLE_ENTER_CALL(host);
  const NodeCall call{"hipGraphExecKernelNodeSetParams", RANKLE_CALLER};
  const NodeChange change = [&](Node& n) { return set(n, host->rank, parameters, call); };
  return rankle::sim::change_copy(exec, node, hipGraphNodeTypeKernel, call, change);
}
}
