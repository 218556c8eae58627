// What a capture records and what it forbids (capture.h).
#include "sim/capture.h"

#include <algorithm>

#include "sim/engine.h"

namespace rankle::sim {
namespace {

struct State {
  std::vector<std::unique_ptr<Capture>> captures;
  std::uint32_t begun[kDevicesMax] = {};                // by each rank
  hipStreamCaptureMode mode_of_rank[kDevicesMax] = {};  // Global, which is 0
};

State& state() {
  static State the_state;
  return the_state;
}

// Invalidates the captures under way that `concerns` is true for. False if there are none.
template <typename Concerns>
bool invalidate_if(const Concerns& concerns) {
  bool any = false;
  for (const std::unique_ptr<Capture>& capture : state().captures) {
    if (capture->ended || !concerns(*capture)) continue;
    capture->invalidated = true;
    any = true;
  }
  return any;
}

// Work in the default stream comes behind the work of these streams, and they behind it.
bool binds_default_stream(const Capture& capture, int device) {
  return std::any_of(capture.streams.begin(), capture.streams.end(),
                     [device](const Stream* s) { return s->device == device && s->blocking; });
}

bool invalidate_those_that_bind(const Stream& stream) {
  return stream.is_default && invalidate_if([&](const Capture& capture) {
           return binds_default_stream(capture, stream.device);
         });
}

void add_to(std::vector<std::uint32_t>& all, const std::vector<std::uint32_t>& more) {
  for (const std::uint32_t index : more) {
    if (std::find(all.begin(), all.end(), index) == all.end()) all.push_back(index);
  }
}

// Every node without a successor is one that the origin's next operation would come behind.
bool is_joined(const Capture& capture) {
  const auto& nodes = capture.graph->nodes;
  std::vector<bool> has_successor(nodes.size());
  for (const auto& node : nodes) {
    for (const std::uint32_t index : node->after) has_successor[index] = true;
  }
  for (const std::uint32_t index : capture.origin->capture_after) has_successor[index] = true;
  return std::find(has_successor.begin(), has_successor.end(), false) == has_successor.end();
}

}  // namespace

const std::vector<std::unique_ptr<Capture>>& captures() { return state().captures; }

void reset_captures() { state() = State{}; }

hipError_t begin_capture(const HostRank& host, Stream& stream, hipStreamCaptureMode mode,
                         std::uintptr_t pc) {
  if (stream.is_default) return hipErrorStreamCaptureUnsupported;
  if (stream.capture != nullptr) return hipErrorIllegalState;
  auto capture = std::make_unique<Capture>();
  // Ids count from 1 in each rank, so that what one rank does changes no other's.
  capture->id = static_cast<std::uint64_t>(host.rank) << 32 | ++state().begun[host.rank];
  capture->rank = host.rank;
  capture->mode = mode;
  capture->origin = &stream;
  capture->streams = {&stream};
  capture->graph = graphs().create(host.rank, pc);
  capture->graph->in_capture = true;
  capture->site = pc;
  stream.capture = capture.get();
  stream.capture_after.clear();
  state().captures.push_back(std::move(capture));
  return hipSuccess;
}

hipError_t end_capture(const HostRank& host, Stream& stream, Graph** graph) {
  *graph = nullptr;
  Capture* const capture = stream.capture;
  if (capture == nullptr) return hipErrorIllegalState;
  if (capture->origin != &stream) return hipErrorStreamCaptureUnmatched;
  if (capture->mode != hipStreamCaptureModeRelaxed && capture->rank != host.rank) {
    return hipErrorStreamCaptureWrongThread;
  }
  const bool joined = is_joined(*capture);
  capture->ended = true;
  for (Stream* each : capture->streams) each->capture = nullptr;
  capture->graph->in_capture = false;
  if (capture->invalidated || !joined) {
    graphs().destroy(*capture->graph);
    return capture->invalidated ? hipErrorStreamCaptureInvalidated : hipErrorStreamCaptureUnjoined;
  }
  *graph = capture->graph;
  return hipSuccess;
}

Recording recording_of(Stream& stream) {
  if (stream.capture != nullptr) {
    if (stream.capture->invalidated) return {hipErrorStreamCaptureInvalidated, false};
    return {hipSuccess, true};
  }
  if (invalidate_those_that_bind(stream)) return {hipErrorStreamCaptureImplicit, false};
  return {};
}

void record(Stream& stream, Node node) {
  std::vector<std::unique_ptr<Node>>& nodes = stream.capture->graph->nodes;
  node.device = stream.device;
  node.after = stream.capture_after;
  stream.capture_after = {static_cast<std::uint32_t>(nodes.size())};
  nodes.push_back(std::make_unique<Node>(std::move(node)));
}

void record_event(Stream& stream, Event& event) {
  event.capture = stream.capture;
  event.capture_after = stream.capture_after;
  event.record = nullptr;
}

hipError_t wait_in_capture(Stream& stream, const Event& event) {
  Capture* const own = stream.capture;
  Capture* const other = event.capture;
  if (own != nullptr && own->invalidated) return hipErrorStreamCaptureInvalidated;
  if (other == nullptr || other->ended) {
    // The event is of work outside of the capture, or of no work at all.
    if (own == nullptr) return hipErrorCapturedEvent;
    if (other == nullptr && event.record == nullptr) return hipSuccess;
    own->invalidated = true;
    return hipErrorStreamCaptureIsolation;
  }
  if (other->invalidated) return hipErrorStreamCaptureInvalidated;
  if (own != nullptr && own != other) {
    own->invalidated = other->invalidated = true;
    return hipErrorStreamCaptureMerge;
  }
  if (stream.is_default) {
    other->invalidated = true;
    return hipErrorStreamCaptureImplicit;
  }
  if (own == nullptr) {
    stream.capture = other;
    stream.capture_after.clear();
    other->streams.push_back(&stream);
  }
  add_to(stream.capture_after, event.capture_after);
  return hipSuccess;
}

hipError_t may_wait_for(Stream& stream) {
  if (stream.capture != nullptr) {
    stream.capture->invalidated = true;
    return hipErrorStreamCaptureUnsupported;
  }
  return invalidate_those_that_bind(stream) ? hipErrorStreamCaptureImplicit : hipSuccess;
}

hipError_t may_wait_for(const HostRank& host, Event& event) {
  if (event.capture != nullptr) {
    if (!event.capture->ended) event.capture->invalidated = true;
    return hipErrorCapturedEvent;
  }
  return may_call_unsafe(host);
}

hipError_t may_wait_for_device(int device) {
  const bool any = invalidate_if([device](const Capture& capture) {
    return std::any_of(capture.streams.begin(), capture.streams.end(),
                       [device](const Stream* s) { return s->device == device; });
  });
  return any ? hipErrorStreamCaptureUnsupported : hipSuccess;
}

// CUDA forbids them in the default stream while a blocking stream captures; HIP during every
// capture in global mode as well.
hipError_t may_copy_at_once(const HostRank& host, Stream& stream) {
  if (stream.capture != nullptr) return may_wait_for(stream);
  if (!stream.is_default) return hipSuccess;
  const bool any = invalidate_if([&](const Capture& capture) {
    const bool global = capture.rank == host.rank && capture.mode == hipStreamCaptureModeGlobal;
    return global || binds_default_stream(capture, stream.device);
  });
  return any ? hipErrorStreamCaptureImplicit : hipSuccess;
}

// Of the modes only "relaxed" makes a difference here: a rank has one thread, so that what its
// captures forbid in all threads they forbid in this one.
hipError_t may_call_unsafe(const HostRank& host) {
  if (state().mode_of_rank[host.rank] == hipStreamCaptureModeRelaxed) return hipSuccess;
  const bool any = invalidate_if([&](const Capture& capture) {
    return capture.rank == host.rank && capture.mode != hipStreamCaptureModeRelaxed;
  });
  return any ? hipErrorStreamCaptureUnsupported : hipSuccess;
}

bool default_stream_is_bound(int device) {
  return std::any_of(captures().begin(), captures().end(), [device](const auto& capture) {
    return !capture->ended && binds_default_stream(*capture, device);
  });
}

void exchange_capture_mode(const HostRank& host, hipStreamCaptureMode& mode) {
  std::swap(state().mode_of_rank[host.rank], mode);
}

}  // namespace rankle::sim
