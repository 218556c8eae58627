// Copies and fills. Pinned memory lets an asynchronous copy return at once; a copy that touches
// pageable host memory returns when it is done, "async" or not.
#include "sim/capture.h"
#include "sim/hip_call.h"
#include "sim/host_memory.h"

using rankle::sim::Engine;
using rankle::sim::finish_call;
using rankle::sim::HostRank;
using rankle::sim::is_device;
using rankle::sim::Memory;
using rankle::sim::Op;
using rankle::sim::OpKind;
using rankle::sim::Stream;
using rankle::sim::stream_of;

namespace {

enum class Waits { yes, no };

bool is_host_pinned(const void* pointer) {
  return Memory::contains(pointer) &&
         rankle::sim::region_of(reinterpret_cast<std::uintptr_t>(pointer) - rankle::sim::kBase) ==
             rankle::sim::kHostRegion;
}

// Devices address pinned memory like their own, so it fits either side of any direction.
bool kind_fits(const void* to, const void* from, hipMemcpyKind kind) {
  const auto is_device_side = [](const void* p) { return Memory::contains(p); };
  const auto is_host_side = [](const void* p) { return !Memory::contains(p) || is_host_pinned(p); };
  switch (kind) {
    case hipMemcpyHostToHost:
      return is_host_side(to) && is_host_side(from);
    case hipMemcpyHostToDevice:
      return is_device_side(to) && is_host_side(from);
    case hipMemcpyDeviceToHost:
      return is_host_side(to) && is_device_side(from);
    case hipMemcpyDeviceToDevice:
      return is_device_side(to) && is_device_side(from);
    case hipMemcpyDefault:
      return true;
  }
  return false;
}

// A capture keeps a copy from or to pageable memory as well: it moves what is there at each launch.
hipError_t record_run_or_queue(const HostRank& host, Stream* stream, const Op& op, Waits waits,
                               const char* call) {
  if (waits == Waits::yes) {
    const hipError_t refused = rankle::sim::may_copy_at_once(host, *stream);
    if (refused != hipSuccess) return finish_call(refused);
  }
  const rankle::sim::Recording recording = rankle::sim::recording_of(*stream);
  if (recording.error != hipSuccess) return finish_call(recording.error);
  if (recording.on) {
    rankle::sim::Node node;
    node.type = op.kind == OpKind::fill ? hipGraphNodeTypeMemset : hipGraphNodeTypeMemcpy;
    node.op = op;
    rankle::sim::record(*stream, std::move(node));
    return hipSuccess;
  }
  const bool pageable = rankle::sim::is_pageable(op.to) || rankle::sim::is_pageable(op.from);
  if (op.kind == OpKind::copy && pageable) waits = Waits::yes;
  const Op* const queued = Engine::instance().enqueue(stream, op);
  if (waits == Waits::no) return hipSuccess;
  const bool done = Engine::instance().wait_host(call, [queued] { return queued->done; });
  Engine::instance().host_saw(queued);
  return finish_call(done ? hipSuccess : hipErrorLaunchFailure);
}

hipError_t copy(const HostRank& host, void* to, const void* from, std::size_t bytes,
                hipStream_t stream, Waits waits, const char* call, std::uintptr_t pc) {
  Stream* const queue = stream_of(host, stream, call, pc);
  if (queue == nullptr) return finish_call(hipErrorContextIsDestroyed);
  if (bytes == 0) return hipSuccess;
  if (to == nullptr || from == nullptr) return finish_call(hipErrorInvalidValue);
  Op op;
  op.kind = OpKind::copy;
  op.to = to;
  op.from = from;
  op.bytes = bytes;
  op.site = pc;
  return record_run_or_queue(host, queue, op, waits, call);
}

hipError_t copy_of_kind(const HostRank& host, void* to, const void* from, std::size_t bytes,
                        hipMemcpyKind kind, hipStream_t stream, Waits waits, const char* call,
                        std::uintptr_t pc) {
  const bool both = bytes > 0 && to != nullptr && from != nullptr;
  if (both && !kind_fits(to, from, kind)) return finish_call(hipErrorInvalidValue);
  return copy(host, to, from, bytes, stream, waits, call, pc);
}

hipError_t copy_between(const HostRank& host, void* to, int to_device, const void* from,
                        int from_device, std::size_t bytes, hipStream_t stream, Waits waits,
                        const char* call, std::uintptr_t pc) {
  if (!is_device(to_device) || !is_device(from_device)) return finish_call(hipErrorInvalidDevice);
  return copy_of_kind(host, to, from, bytes, hipMemcpyDeviceToDevice, stream, waits, call, pc);
}

// `count` times the low `width` bytes of `value`.
hipError_t fill(const HostRank& host, void* to, std::uint32_t value, std::uint32_t width,
                std::size_t count, hipStream_t stream, Waits waits, const char* call,
                std::uintptr_t pc) {
  Stream* const queue = stream_of(host, stream, call, pc);
  if (queue == nullptr) return finish_call(hipErrorContextIsDestroyed);
  if (count == 0) return hipSuccess;
  if (!Memory::contains(to)) return finish_call(hipErrorInvalidValue);
  if (reinterpret_cast<std::uintptr_t>(to) % width != 0) return finish_call(hipErrorInvalidValue);
  Op op;
  op.kind = OpKind::fill;
  op.to = to;
  op.value = value;
  op.width = width;
  op.bytes = count * width;
  op.site = pc;
  return record_run_or_queue(host, queue, op, waits, call);
}

}  // namespace

extern "C" {

hipError_t hipMemcpy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind) {
  RANKLE_ENTER_CALL(host);
  return copy_of_kind(*host, to, from, bytes, kind, nullptr, Waits::yes, "hipMemcpy",
                      RANKLE_CALLER);
}

hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind,
                          hipStream_t stream) {
  RANKLE_ENTER_CALL(host);
  return copy_of_kind(*host, to, from, bytes, kind, stream, Waits::no, "hipMemcpyAsync",
                      RANKLE_CALLER);
}

hipError_t hipMemcpyWithStream(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind,
                               hipStream_t stream) {
  RANKLE_ENTER_CALL(host);
  return copy_of_kind(*host, to, from, bytes, kind, stream, Waits::yes, "hipMemcpyWithStream",
                      RANKLE_CALLER);
}

hipError_t hipMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                         std::size_t bytes) {
  RANKLE_ENTER_CALL(host);
  return copy_between(*host, to, to_device, from, from_device, bytes, nullptr, Waits::yes,
                      "hipMemcpyPeer", RANKLE_CALLER);
}

hipError_t hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                              std::size_t bytes, hipStream_t stream) {
  RANKLE_ENTER_CALL(host);
  return copy_between(*host, to, to_device, from, from_device, bytes, stream, Waits::no,
                      "hipMemcpyPeerAsync", RANKLE_CALLER);
}

hipError_t hipMemset(void* to, int value, std::size_t bytes) {
  RANKLE_ENTER_CALL(host);
  return fill(*host, to, static_cast<std::uint32_t>(value), 1, bytes, nullptr, Waits::yes,
              "hipMemset", RANKLE_CALLER);
}

hipError_t hipMemsetAsync(void* to, int value, std::size_t bytes, hipStream_t stream) {
  RANKLE_ENTER_CALL(host);
  return fill(*host, to, static_cast<std::uint32_t>(value), 1, bytes, stream, Waits::no,
              "hipMemsetAsync", RANKLE_CALLER);
}

#define RANKLE_FILLS(BITS, TYPE)                                                                  \
  hipError_t hipMemsetD##BITS(hipDeviceptr_t to, TYPE value, std::size_t count) {                 \
    RANKLE_ENTER_CALL(host);                                                                      \
    return fill(*host, to, static_cast<std::uint32_t>(value), BITS / 8, count, nullptr,           \
                Waits::yes, "hipMemsetD" #BITS, RANKLE_CALLER);                                   \
  }                                                                                               \
  hipError_t hipMemsetD##BITS##Async(hipDeviceptr_t to, TYPE value, std::size_t count,            \
                                     hipStream_t stream) {                                        \
    RANKLE_ENTER_CALL(host);                                                                      \
    return fill(*host, to, static_cast<std::uint32_t>(value), BITS / 8, count, stream, Waits::no, \
                "hipMemsetD" #BITS "Async", RANKLE_CALLER);                                       \
  }

RANKLE_FILLS(8, unsigned char)
RANKLE_FILLS(16, unsigned short)
RANKLE_FILLS(32, int)

// Symbols are globals of the plugin: host memory to the simulator, without records of their own.
hipError_t rankle_sim_copy_symbol(void* symbol, std::size_t symbol_bytes, void* host_memory,
                                  std::size_t bytes, std::size_t offset, bool to_symbol, bool wait,
                                  hipStream_t stream) {
  RANKLE_ENTER_CALL(host);
  if (offset > symbol_bytes || bytes > symbol_bytes - offset) {
    return finish_call(hipErrorInvalidValue);
  }
  void* const place = static_cast<char*>(symbol) + offset;
  return copy(*host, to_symbol ? place : host_memory, to_symbol ? host_memory : place, bytes,
              stream, wait ? Waits::yes : Waits::no, "a copy of a symbol", RANKLE_CALLER);
}
}
