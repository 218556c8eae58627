// Stream capture: a stream that captures records what is put into it as nodes of a graph, and runs
// nothing. Rules and error codes are those of HIP's graph documentation, and CUDA's where that is
// silent; what breaks a rule invalidates the captures that it concerns.
#pragma once

#include <cstdint>
#include <vector>

#include "hip/hip_runtime_api.h"
#include "sim/graph.h"
#include "sim/stream.h"

namespace rankle::sim {

struct Capture {
  std::uint64_t id = 0;
  int rank = 0;  // whose host began it
  hipStreamCaptureMode mode = hipStreamCaptureModeGlobal;
  Stream* origin = nullptr;
  std::vector<Stream*> streams;  // the origin, and those that waited for an event of the capture
  Graph* graph = nullptr;
  std::uintptr_t site = 0;
  bool invalidated = false;
  bool ended = false;
  std::vector<hipGraphNode_t> shown;  // what hipStreamGetCaptureInfo_v2 last gave out
};

hipError_t begin_capture(const HostRank& host, Stream& stream, hipStreamCaptureMode mode,
                         std::uintptr_t pc);
hipError_t end_capture(const HostRank& host, Stream& stream, Graph** graph);

// For a call that puts work into a stream: whether the work is recorded, or why it is refused.
struct Recording {
  hipError_t error = hipSuccess;
  bool on = false;
};
Recording recording_of(Stream& stream);
// Appends a node to the stream's capture; the device and what it comes after are filled in.
void record(Stream& stream, Node node);

// Events of a stream that captures.
void record_event(Stream& stream, Event& event);
// hipStreamWaitEvent on an event that was recorded in a capture, or of a stream that captures.
hipError_t wait_in_capture(Stream& stream, const Event& event);

// The following give hipSuccess if the call is allowed; otherwise the captures that forbid it are
// invalidated.
hipError_t may_wait_for(Stream& stream);  // hipStreamSynchronize and its like
hipError_t may_wait_for(const HostRank& host, Event& event);
hipError_t may_wait_for_device(int device);
hipError_t may_copy_at_once(const HostRank& host, Stream& stream);  // hipMemcpy and its like
// Calls that might synchronise or that order work behind the program's back, as hipMalloc.
hipError_t may_call_unsafe(const HostRank& host);

// Whether a stream that the default stream waits for captures.
bool default_stream_is_bound(int device);
// Swaps the calling rank's mode and the given one.
void exchange_capture_mode(const HostRank& host, hipStreamCaptureMode& mode);

const std::vector<std::unique_ptr<Capture>>& captures();
void reset_captures();

}  // namespace rankle::sim
