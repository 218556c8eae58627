// Captures and graphs, as the host sees them: the calls that record, make, launch and end them.
#include <string>

#include "sim/capture.h"
#include "sim/graph.h"
#include "sim/hip_call.h"

using rankle::sim::Capture;
using rankle::sim::exec_of;
using rankle::sim::finish_call;
using rankle::sim::Graph;
using rankle::sim::graph_of;
using rankle::sim::GraphExec;
using rankle::sim::graphs;
using rankle::sim::handle_of;
using rankle::sim::misuse;
using rankle::sim::Node;
using rankle::sim::Stream;
using rankle::sim::stream_of;

namespace {

constexpr unsigned long long kInstantiateFlags = hipGraphInstantiateFlagAutoFreeOnLaunch |
                                                 hipGraphInstantiateFlagUpload |
                                                 hipGraphInstantiateFlagUseNodePriority;

hipStreamCaptureStatus status_of(const Capture* capture) {
  if (capture == nullptr) return hipStreamCaptureStatusNone;
  return capture->invalidated ? hipStreamCaptureStatusInvalidated : hipStreamCaptureStatusActive;
}

// Asking does no harm, but what the default stream's state is has no answer while a stream captures
// that it would wait for.
hipError_t look_up(const rankle::sim::HostRank& host, hipStream_t stream, const char* call,
                   std::uintptr_t pc, Stream** found) {
  *found = stream_of(host, stream, call, pc);
  if (*found == nullptr) return hipErrorInvalidHandle;
  const bool bound = (*found)->is_default && rankle::sim::default_stream_is_bound((*found)->device);
  return bound ? hipErrorStreamCaptureImplicit : hipSuccess;
}

hipError_t instantiate(hipGraphExec_t* exec, hipGraph_t graph, unsigned long long flags,
                       const char* call, std::uintptr_t pc) {
  RANKLE_ENTER_CALL(host);
  if (exec == nullptr) return finish_call(hipErrorInvalidValue);
  *exec = nullptr;
  if ((flags & ~kInstantiateFlags) != 0) return finish_call(hipErrorInvalidValue);
  const Graph* const live = graph_of(graph, call, pc);
  if (live == nullptr) return finish_call(hipErrorInvalidValue);
  GraphExec* const made = graphs().instantiate(*live, host->rank, pc);
  if (made == nullptr) return finish_call(hipErrorInvalidValue);
  made->frees_at_launch = (flags & hipGraphInstantiateFlagAutoFreeOnLaunch) != 0;
  *exec = handle_of(made);
  return hipSuccess;
}

}  // namespace

namespace rankle::sim {

Graph* graph_of(hipGraph_t handle, const char* call, std::uintptr_t pc) {
  Graph* const graph = graphs().find(handle);
  if (graph == nullptr && handle != nullptr) {
    misuse(std::string(call) + " of a graph that does not exist or was destroyed", pc);
  }
  return graph;
}

GraphExec* exec_of(hipGraphExec_t handle, const char* call, std::uintptr_t pc) {
  GraphExec* const exec = graphs().find_exec(handle);
  if (exec == nullptr && handle != nullptr) {
    misuse(std::string(call) + " of an executable graph that does not exist or was destroyed", pc);
  }
  return exec;
}

}  // namespace rankle::sim

extern "C" {

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  RANKLE_ENTER_CALL(host);
  Stream* const queue = stream_of(*host, stream, "hipStreamBeginCapture", RANKLE_CALLER);
  if (queue == nullptr) return finish_call(hipErrorInvalidHandle);
  if (mode < hipStreamCaptureModeGlobal || mode > hipStreamCaptureModeRelaxed) {
    return finish_call(hipErrorInvalidValue);
  }
  return finish_call(rankle::sim::begin_capture(*host, *queue, mode, RANKLE_CALLER));
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph) {
  RANKLE_ENTER_CALL(host);
  if (graph == nullptr || stream == nullptr) return finish_call(hipErrorInvalidValue);
  *graph = nullptr;
  Stream* const queue = stream_of(*host, stream, "hipStreamEndCapture", RANKLE_CALLER);
  if (queue == nullptr) return finish_call(hipErrorInvalidHandle);
  Graph* made = nullptr;
  const hipError_t error = rankle::sim::end_capture(*host, *queue, &made);
  *graph = handle_of(made);
  return finish_call(error);
}

hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status) {
  RANKLE_ENTER_CALL(host);
  if (status == nullptr) return finish_call(hipErrorInvalidValue);
  Stream* queue = nullptr;
  const hipError_t error = look_up(*host, stream, "hipStreamIsCapturing", RANKLE_CALLER, &queue);
  if (error == hipSuccess) *status = status_of(queue->capture);
  return finish_call(error);
}

hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus* status,
                                      unsigned long long* id, hipGraph_t* graph,
                                      const hipGraphNode_t** dependencies, std::size_t* count) {
  RANKLE_ENTER_CALL(host);
  if (status == nullptr) return finish_call(hipErrorInvalidValue);
  Stream* queue = nullptr;
  const hipError_t error = look_up(*host, stream, "hipStreamGetCaptureInfo", RANKLE_CALLER, &queue);
  if (error != hipSuccess) return finish_call(error);
  *status = status_of(queue->capture);
  if (*status != hipStreamCaptureStatusActive) return hipSuccess;
  Capture& capture = *queue->capture;
  if (id != nullptr) *id = capture.id;
  if (graph != nullptr) *graph = handle_of(capture.graph);
  if (count != nullptr) *count = queue->capture_after.size();
  if (dependencies == nullptr) return hipSuccess;
  capture.shown.clear();
  for (const std::uint32_t index : queue->capture_after) {
    capture.shown.push_back(handle_of(capture.graph->nodes[index].get()));
  }
  *dependencies = capture.shown.data();
  return hipSuccess;
}

hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus* status,
                                   unsigned long long* id) {
  return hipStreamGetCaptureInfo_v2(stream, status, id, nullptr, nullptr, nullptr);
}

hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  RANKLE_ENTER_CALL(host);
  if (mode == nullptr || *mode < hipStreamCaptureModeGlobal ||
      *mode > hipStreamCaptureModeRelaxed) {
    return finish_call(hipErrorInvalidValue);
  }
  rankle::sim::exchange_capture_mode(*host, *mode);
  return hipSuccess;
}

hipError_t hipGraphCreate(hipGraph_t* graph, unsigned flags) {
  RANKLE_ENTER_CALL(host);
  if (graph == nullptr || flags != 0) return finish_call(hipErrorInvalidValue);
  *graph = handle_of(graphs().create(host->rank, RANKLE_CALLER));
  return hipSuccess;
}

hipError_t hipGraphDestroy(hipGraph_t graph) {
  RANKLE_ENTER_CALL(host);
  Graph* const live = graph_of(graph, "hipGraphDestroy", RANKLE_CALLER);
  if (live == nullptr) return finish_call(hipErrorInvalidValue);
  if (live->is_child) {
    misuse("hipGraphDestroy of a graph that belongs to a node of another", RANKLE_CALLER);
    return finish_call(hipErrorInvalidValue);
  }
  graphs().destroy(*live);
  return hipSuccess;
}

hipError_t hipGraphInstantiate(hipGraphExec_t* exec, hipGraph_t graph, hipGraphNode_t* error_node,
                               char* log, std::size_t log_bytes) {
  if (error_node != nullptr) *error_node = nullptr;
  if (log != nullptr && log_bytes > 0) log[0] = '\0';
  return instantiate(exec, graph, 0, "hipGraphInstantiate", RANKLE_CALLER);
}

hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* exec, hipGraph_t graph,
                                        unsigned long long flags) {
  return instantiate(exec, graph, flags, "hipGraphInstantiateWithFlags", RANKLE_CALLER);
}

// A stream that captures refuses the launch, as on CUDA 13 (measured on an H200: error 900, and the
// capture is invalid). A graph gets into another by hipGraphAddChildGraphNode.
hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream) {
  RANKLE_ENTER_CALL(host);
  GraphExec* const live = exec_of(exec, "hipGraphLaunch", RANKLE_CALLER);
  if (live == nullptr) return finish_call(hipErrorInvalidValue);
  Stream* const queue = stream_of(*host, stream, "hipGraphLaunch", RANKLE_CALLER);
  if (queue == nullptr) return finish_call(hipErrorContextIsDestroyed);
  const hipError_t refused = rankle::sim::may_wait_for(*queue);
  if (refused != hipSuccess) return finish_call(refused);
  return finish_call(rankle::sim::launch_graph(*live, *host, *queue, RANKLE_CALLER));
}

// What a launch needs is on the simulated device at once.
hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream) {
  RANKLE_ENTER_CALL(host);
  if (exec_of(exec, "hipGraphUpload", RANKLE_CALLER) == nullptr) {
    return finish_call(hipErrorInvalidValue);
  }
  const Stream* const queue = stream_of(*host, stream, "hipGraphUpload", RANKLE_CALLER);
  return queue == nullptr ? finish_call(hipErrorContextIsDestroyed) : hipSuccess;
}

hipError_t hipGraphExecUpdate(hipGraphExec_t exec, hipGraph_t graph, hipGraphNode_t* error_node,
                              hipGraphExecUpdateResult* result) {
  RANKLE_ENTER_CALL(host);
  if (error_node == nullptr || result == nullptr) return finish_call(hipErrorInvalidValue);
  *error_node = nullptr;
  *result = hipGraphExecUpdateError;
  GraphExec* const live = exec_of(exec, "hipGraphExecUpdate", RANKLE_CALLER);
  const Graph* const source = graph_of(graph, "hipGraphExecUpdate", RANKLE_CALLER);
  if (live == nullptr || source == nullptr) return finish_call(hipErrorInvalidValue);
  const Node* failed = nullptr;
  *result = graphs().update(*live, *source, &failed);
  *error_node = handle_of(failed);
  return finish_call(*result == hipGraphExecUpdateSuccess ? hipSuccess
                                                          : hipErrorGraphExecUpdateFailure);
}

hipError_t hipGraphExecDestroy(hipGraphExec_t exec) {
  RANKLE_ENTER_CALL(host);
  GraphExec* const live = exec_of(exec, "hipGraphExecDestroy", RANKLE_CALLER);
  if (live == nullptr) return finish_call(hipErrorInvalidValue);
  if (live->in_flight()) {
    misuse("hipGraphExecDestroy of an executable graph with a launch that has not ended",
           RANKLE_CALLER);
  }
  graphs().destroy(*live);
  return hipSuccess;
}
}
