// Allocation of device memory, at once or in the order of a stream, and giving it back.
#include <fmt/format.h>

#include "sim/capture.h"
#include "sim/hip_call.h"
#include "sim/windows.h"

using rankle::sim::Allocation;
using rankle::sim::Engine;
using rankle::sim::finish_call;
using rankle::sim::graphs;
using rankle::sim::HostRank;
using rankle::sim::memory;
using rankle::sim::misuse;
using rankle::sim::Op;
using rankle::sim::OpKind;
using rankle::sim::Stream;
using rankle::sim::stream_of;

namespace {

constexpr std::size_t kSignalBytes = 8;

std::uintptr_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

hipError_t allocate(const HostRank& host, void** pointer, std::size_t bytes, int device,
                    unsigned flags, std::uintptr_t pc) {
  *pointer = nullptr;
  if (bytes == 0) return hipSuccess;
  const std::uintptr_t address = memory().allocate(device, bytes);
  if (address == 0) return finish_call(hipErrorOutOfMemory);
  Allocation& a = *memory().find(address);
  a.rank = host.rank;
  a.device = device;
  a.flags = flags;
  a.site = pc;
  *pointer = reinterpret_cast<void*>(address);
  return hipSuccess;
}

// The allocation of device memory that a free may end; otherwise nullptr and an `api-error`.
// A call that is only recorded may name memory that a graph will allocate.
Allocation* to_free(const HostRank& host, void* pointer, const char* call, std::uintptr_t pc,
                    bool recorded = false) {
  const std::uintptr_t address = address_of(pointer);
  Allocation* const a = memory().find(address);
  const auto owned = graphs().memory_at(address);
  std::string why;
  if (rankle::sim::in_window(address)) {
    why = "which is an IPC mapping: hipIpcCloseMemHandle ends it";
  } else if (a != nullptr && a->region == rankle::sim::kHostRegion) {
    why = "which hipHostFree frees";
  } else if (a == nullptr || a->begin != address || a->freed) {
    why = "which is not the start of a live allocation";
  } else if (a->free_queued) {
    why = "which a hipFreeAsync already frees";
  } else if (owned != nullptr && !owned->live && !recorded) {
    why = "which no launch of its graph has allocated";
  } else if (Engine::instance().config().separate_address_spaces && a->rank != host.rank) {
    why = fmt::format("which rank {}'s process has allocated", a->rank);
  }
  if (why.empty()) return a;
  misuse(fmt::format("{} of {}, {}", call, memory().describe(address), why), pc);
  return nullptr;
}

hipError_t record_node(Stream& stream, hipGraphNodeType type, const Op& op,
                       const std::shared_ptr<rankle::sim::GraphMemory>& owned) {
  rankle::sim::Node node;
  node.type = type;
  node.op = op;
  node.memory = owned;
  rankle::sim::record(stream, std::move(node));
  return hipSuccess;
}

}  // namespace

extern "C" {

hipError_t hipMalloc(void** pointer, std::size_t bytes) {
  RANKLE_ENTER_CALL(host);
  if (pointer == nullptr) return finish_call(hipErrorInvalidValue);
  const hipError_t refused = rankle::sim::may_call_unsafe(*host);
  if (refused != hipSuccess) return finish_call(refused);
  return allocate(*host, pointer, bytes, host->device, hipDeviceMallocDefault, RANKLE_CALLER);
}

// Caching and granularity make no difference here: simulated memory is coherent, and what a kernel
// may rely on is for the race detectors to say.
hipError_t hipExtMallocWithFlags(void** pointer, std::size_t bytes, unsigned flags) {
  RANKLE_ENTER_CALL(host);
  if (pointer == nullptr || flags > hipDeviceMallocUncached) {
    return finish_call(hipErrorInvalidValue);
  }
  if (flags == hipMallocSignalMemory && bytes != kSignalBytes) {
    return finish_call(hipErrorInvalidValue);
  }
  const hipError_t refused = rankle::sim::may_call_unsafe(*host);
  if (refused != hipSuccess) return finish_call(refused);
  return allocate(*host, pointer, bytes, host->device, flags, RANKLE_CALLER);
}

hipError_t hipFree(void* pointer) {
  RANKLE_ENTER_CALL(host);
  if (pointer == nullptr) return hipSuccess;
  const hipError_t refused = rankle::sim::may_call_unsafe(*host);
  if (refused != hipSuccess) return finish_call(refused);
  const Allocation* const a = to_free(*host, pointer, "hipFree", RANKLE_CALLER);
  if (a == nullptr) return finish_call(hipErrorInvalidDevicePointer);
  const std::size_t bytes = a->bytes;
  // HIP waits for the device of the memory before it takes it back; not for the others.
  if (!rankle::sim::wait_for_device(a->region, "hipFree")) {
    return finish_call(hipErrorLaunchFailure);
  }
  const std::uintptr_t address = address_of(pointer);
  if (const Op* const op = Engine::instance().pending_transfer(address, bytes); op != nullptr) {
    misuse(fmt::format("hipFree of {}, which an operation of rank {} still uses",
                       memory().describe(address), op->stream->rank),
           RANKLE_CALLER);
  }
  for (const rankle::sim::Mapping& m : rankle::sim::windows().mappings()) {
    if (m.opened == 0 || rankle::sim::owner_address(m.begin) != address) continue;
    misuse(fmt::format("hipFree of {}, which rank {} has open through its IPC handle",
                       memory().describe(address), m.rank),
           RANKLE_CALLER);
    break;
  }
  if (const auto owned = graphs().memory_at(address); owned != nullptr) {
    owned->live = false;
    memory().suspend(address);  // until its graph's next launch
    return hipSuccess;
  }
  rankle::sim::windows().free(address);
  if (!memory().release(address)) return finish_call(hipErrorInvalidDevicePointer);
  return hipSuccess;
}

hipError_t hipMallocAsync(void** pointer, std::size_t bytes, hipStream_t stream) {
  RANKLE_ENTER_CALL(host);
  if (pointer == nullptr) return finish_call(hipErrorInvalidValue);
  Stream* const queue = stream_of(*host, stream, "hipMallocAsync", RANKLE_CALLER);
  if (queue == nullptr) return finish_call(hipErrorContextIsDestroyed);
  const rankle::sim::Recording recording = rankle::sim::recording_of(*queue);
  if (recording.error != hipSuccess) return finish_call(recording.error);
  const hipError_t error =
      allocate(*host, pointer, bytes, queue->device, hipDeviceMallocDefault, RANKLE_CALLER);
  if (error != hipSuccess || *pointer == nullptr) return error;
  memory().suspend(address_of(*pointer));
  Op op;
  op.kind = OpKind::allocate;
  op.to = *pointer;
  op.site = RANKLE_CALLER;
  if (recording.on) {
    const auto memory_of_graph = graphs().own(address_of(*pointer));
    return record_node(*queue, hipGraphNodeTypeMemAlloc, op, memory_of_graph);
  }
  Engine::instance().enqueue(queue, op);
  return hipSuccess;
}

hipError_t hipFreeAsync(void* pointer, hipStream_t stream) {
  RANKLE_ENTER_CALL(host);
  if (pointer == nullptr) return finish_call(hipErrorInvalidValue);
  Stream* const queue = stream_of(*host, stream, "hipFreeAsync", RANKLE_CALLER);
  if (queue == nullptr) return finish_call(hipErrorContextIsDestroyed);
  const rankle::sim::Recording recording = rankle::sim::recording_of(*queue);
  if (recording.error != hipSuccess) return finish_call(recording.error);
  Allocation* const a = to_free(*host, pointer, "hipFreeAsync", RANKLE_CALLER, recording.on);
  if (a == nullptr) return finish_call(hipErrorInvalidValue);
  const auto owned = graphs().memory_at(address_of(pointer));
  Op op;
  op.kind = OpKind::release;
  op.to = pointer;
  op.site = RANKLE_CALLER;
  if (recording.on) return record_node(*queue, hipGraphNodeTypeMemFree, op, owned);
  if (owned != nullptr) {
    owned->live = false;
  } else {
    a->free_queued = true;
  }
  Engine::instance().enqueue(queue, op);
  return hipSuccess;
}
}
