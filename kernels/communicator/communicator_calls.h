// What the communicator does for one call, all of it local to the rank. Included by communicator.h.
#pragma once

#include <hip/hip_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernels/communicator/communicator.h"

namespace rankle::kernels {

namespace detail {

inline bool is_capturing(hipStream_t stream) {
  hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
  return hipStreamIsCapturing(stream, &status) == hipSuccess &&
         status == hipStreamCaptureStatusActive;
}

inline bool is_at_pack(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % kPackBytes == 0;
}

}  // namespace detail

inline const Communicator::Known* Communicator::find(const void* begin, std::int64_t bytes) const {
  const auto known = std::find_if(registered_.begin(), registered_.end(), [&](const Known& k) {
    return k.begin == begin && bytes <= static_cast<std::int64_t>(k.shared.bytes);
  });
  return known == registered_.end() ? nullptr : &*known;
}

// Addresses that only this rank knows have no say here: what a kernel gets instead of them, if they
// are not at a pack, is staging memory, which is.
inline Route Communicator::route(const CallRequest& request) const {
  const Known* input = find(request.input, request.bytes);
  const Known* output = find(request.output, request.bytes);
  Route route;
  route.path = choose_path({.capturing = detail::is_capturing(request.stream),
                            .registered = input != nullptr,
                            .wants_copy = request.wants_copy});
  if (route.path == Path::registered) {
    route.alignment = input->shared.alignment;
    if (output != nullptr) route.alignment = std::min(route.alignment, output->shared.alignment);
  }
  route.peers_know_output =
      route.path == Path::captured || (route.path == Path::registered && output != nullptr);
  return route;
}

inline hipError_t Communicator::bind(const CallRequest& request, Path path) {
  if (path == Path::captured && !in_capture_) return hipErrorInvalidValue;
  std::optional<hipStream_t>& bound = path == Path::captured ? captured_stream_ : stream_;
  if (bound && *bound != request.stream) return hipErrorInvalidValue;
  bound = request.stream;
  return hipSuccess;
}

inline hipError_t Communicator::switch_stream(hipStream_t stream) {
  const hipError_t error = stream_ ? hipStreamSynchronize(*stream_) : hipSuccess;
  if (error == hipSuccess) stream_ = stream;
  return error;
}

inline hipError_t Communicator::enter(const CallRequest& request, const Route& route,
                                      CallBuffers& buffers) {
  const bool is_registered = route.path == Path::registered;
  const bool stages_input =
      !is_registered && (!detail::is_at_pack(request.input) ||
                         (route.path == Path::staged && request.peers_read_input));
  const bool is_known_output = is_registered && route.peers_know_output;
  const bool stages_result = !is_known_output && !detail::is_at_pack(request.output);
  // The staged path asks in any case, so that no rank's alignment decides whether it is refused.
  const bool needs_staging = route.path == Path::staged || stages_input || stages_result;
  if (needs_staging && !fits_staging(capacity_, request.bytes)) return hipErrorInvalidValue;
  if (const hipError_t error = bind(request, route.path); error != hipSuccess) return error;

  buffers.input = stages_input ? workspace_.staged_input().begin : request.input;
  buffers.output = stages_result ? workspace_.staged_result() : request.output;
  hipError_t error = hipSuccess;
  switch (route.path) {
    case Path::staged:
      buffers.inputs = table_.entry(staging_slot_);
      break;
    case Path::registered:
      buffers.inputs = table_.entry(find(request.input, request.bytes)->slot);
      if (is_known_output)
        buffers.outputs = table_.entry(find(request.output, request.bytes)->slot);
      break;
    case Path::captured:
      if (request.peers_read_input) error = record(buffers.input, request.bytes, buffers.inputs);
      if (error == hipSuccess && request.peers_write_output) {
        error = record(buffers.output, request.bytes, buffers.outputs);
      }
      break;
  }
  if (error != hipSuccess || !stages_input) return error;
  return hipMemcpyAsync(workspace_.staged_input().begin, request.input,
                        static_cast<std::size_t>(request.bytes), hipMemcpyDeviceToDevice,
                        request.stream);
}

inline hipError_t Communicator::leave(const CallRequest& request, const CallBuffers& buffers) {
  if (buffers.output == request.output) return hipSuccess;
  return hipMemcpyAsync(request.output, buffers.output, static_cast<std::size_t>(request.bytes),
                        hipMemcpyDeviceToDevice, request.stream);
}

// The entry is filled in end_capture; until then the kernel that was given it may not run. Buffers
// of earlier calls are not looked for: addresses repeat on one rank where they differ on another,
// and every rank has to record as many buffers as the others.
inline hipError_t Communicator::record(const void* begin, std::int64_t bytes,
                                       const PeerPointers*& entry) {
  const int slot = table_.take();
  if (slot < 0) return hipErrorOutOfMemory;
  pending_.push_back({{const_cast<void*>(begin), static_cast<std::size_t>(bytes)}, slot});
  entry = table_.entry(slot);
  return hipSuccess;
}

}  // namespace rankle::kernels
