// Allocation, copies and fills. Host memory that was not allocated through HIP is pageable: a copy
// that touches it returns when it is done, "async" or not.
#include "sim/hip_call.h"

using rankle::sim::Engine;
using rankle::sim::finish_call;
using rankle::sim::HostRank;
using rankle::sim::Memory;
using rankle::sim::memory;
using rankle::sim::Op;
using rankle::sim::OpKind;
using rankle::sim::Stream;

namespace {

#define RANKLE_PC reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

Stream* queue_of(const HostRank& host, hipStream_t stream) {
  return stream == nullptr ? Engine::instance().default_stream(host.device)
                           : reinterpret_cast<Stream*>(stream);
}

hipError_t wait_for(const Op* op, const char* what) {
  const bool done = Engine::instance().wait_host(what, [op] { return op->done; });
  return finish_call(done ? hipSuccess : hipErrorLaunchFailure);
}

bool kind_fits(const void* to, const void* from, hipMemcpyKind kind) {
  const bool to_device = Memory::contains(to);
  const bool from_device = Memory::contains(from);
  switch (kind) {
    case hipMemcpyHostToHost:
      return !to_device && !from_device;
    case hipMemcpyHostToDevice:
      return to_device && !from_device;
    case hipMemcpyDeviceToHost:
      return !to_device && from_device;
    case hipMemcpyDeviceToDevice:
      return to_device && from_device;
    case hipMemcpyDefault:
      return true;
  }
  return false;
}

hipError_t copy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind, Stream* stream,
                bool wait, std::uintptr_t pc, const char* name) {
  if (bytes == 0) return hipSuccess;
  if (to == nullptr || from == nullptr) return finish_call(hipErrorInvalidValue);
  if (!kind_fits(to, from, kind)) return finish_call(hipErrorInvalidValue);
  Op op;
  op.kind = OpKind::copy;
  op.to = to;
  op.from = from;
  op.bytes = bytes;
  op.site = pc;
  const Op* const queued = Engine::instance().enqueue(stream, op);
  const bool pageable = !Memory::contains(to) || !Memory::contains(from);
  return wait || pageable ? wait_for(queued, name) : hipSuccess;
}

hipError_t fill(void* to, int value, std::size_t bytes, Stream* stream, bool wait,
                std::uintptr_t pc) {
  if (bytes == 0) return hipSuccess;
  if (!Memory::contains(to)) return finish_call(hipErrorInvalidValue);
  Op op;
  op.kind = OpKind::fill;
  op.to = to;
  op.value = value;
  op.bytes = bytes;
  op.site = pc;
  const Op* const queued = Engine::instance().enqueue(stream, op);
  return wait ? wait_for(queued, "hipMemset") : hipSuccess;
}

}  // namespace

extern "C" {

hipError_t hipMalloc(void** pointer, std::size_t bytes) {
  RANKLE_ENTER_CALL(host);
  if (pointer == nullptr) return finish_call(hipErrorInvalidValue);
  *pointer = nullptr;
  if (bytes == 0) return hipSuccess;
  const std::uintptr_t address = memory().allocate(host->device, bytes);
  if (address == 0) return finish_call(hipErrorOutOfMemory);
  *pointer = reinterpret_cast<void*>(address);
  return hipSuccess;
}

hipError_t hipFree(void* pointer) {
  RANKLE_ENTER_CALL(host);
  if (pointer == nullptr) return hipSuccess;
  // HIP waits for the device before it takes memory back.
  const hipError_t waited = hipDeviceSynchronize();
  if (waited != hipSuccess) return waited;
  if (!memory().release(reinterpret_cast<std::uintptr_t>(pointer))) {
    Engine::instance().report(rankle::sim::ReportKind::api_error,
                              "hipFree of " +
                                  memory().describe(reinterpret_cast<std::uintptr_t>(pointer)) +
                                  ", which is not the start of a live allocation",
                              {rankle::sim::here(RANKLE_PC)});
    return finish_call(hipErrorInvalidDevicePointer);
  }
  return hipSuccess;
}

hipError_t hipMemcpy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind) {
  RANKLE_ENTER_CALL(host);
  return copy(to, from, bytes, kind, queue_of(*host, nullptr), true, RANKLE_PC, "hipMemcpy");
}

hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind,
                          hipStream_t stream) {
  RANKLE_ENTER_CALL(host);
  return copy(to, from, bytes, kind, queue_of(*host, stream), false, RANKLE_PC, "hipMemcpyAsync");
}

hipError_t hipMemset(void* to, int value, std::size_t bytes) {
  RANKLE_ENTER_CALL(host);
  return fill(to, value, bytes, queue_of(*host, nullptr), true, RANKLE_PC);
}

hipError_t hipMemsetAsync(void* to, int value, std::size_t bytes, hipStream_t stream) {
  RANKLE_ENTER_CALL(host);
  return fill(to, value, bytes, queue_of(*host, stream), false, RANKLE_PC);
}
}
