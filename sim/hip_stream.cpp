// Streams, as the host sees them.
#include <algorithm>

#include "sim/capture.h"
#include "sim/hip_call.h"

using rankle::sim::Engine;
using rankle::sim::finish_call;
using rankle::sim::misuse;
using rankle::sim::Stream;
using rankle::sim::stream_of;

namespace {

// Lower is more urgent. The simulator keeps priorities and does not act on them: that a stream is
// urgent promises no order.
constexpr int kLeastPriority = 1;
constexpr int kGreatestPriority = -1;

hipError_t create(hipStream_t* stream, unsigned flags, int priority, std::uintptr_t pc) {
  RANKLE_ENTER_CALL(host);
  if (stream == nullptr || flags > hipStreamNonBlocking) return finish_call(hipErrorInvalidValue);
  Stream* const made = Engine::instance().create_stream(*host, flags);
  made->priority = std::clamp(priority, kGreatestPriority, kLeastPriority);
  made->site = pc;
  *stream = reinterpret_cast<hipStream_t>(made);
  return hipSuccess;
}

bool wait_until_empty(const Stream* queue, const char* call) {
  const bool done = Engine::instance().wait_host(call, [queue] { return queue->queue.empty(); });
  Engine::instance().host_saw(queue->last);
  return done;
}

}  // namespace

namespace rankle::sim {

Stream* stream_of(const HostRank& host, hipStream_t handle, const char* call, std::uintptr_t pc) {
  Stream* const stream = Engine::instance().find_stream(host, handle);
  if (stream == nullptr) {
    misuse(std::string(call) + " on a stream that does not exist or was destroyed", pc);
  }
  return stream;
}

}  // namespace rankle::sim

extern "C" {

hipError_t hipStreamCreate(hipStream_t* stream) {
  return create(stream, hipStreamDefault, 0, RANKLE_CALLER);
}

hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  return create(stream, flags, 0, RANKLE_CALLER);
}

hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int priority) {
  return create(stream, flags, priority, RANKLE_CALLER);
}

hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  RANKLE_ENTER_CALL(host);
  if (least != nullptr) *least = kLeastPriority;
  if (greatest != nullptr) *greatest = kGreatestPriority;
  return hipSuccess;
}

hipError_t hipStreamDestroy(hipStream_t stream) {
  RANKLE_ENTER_CALL(host);
  if (stream == nullptr) return finish_call(hipErrorInvalidHandle);
  Stream* const queue = stream_of(*host, stream, "hipStreamDestroy", RANKLE_CALLER);
  if (queue == nullptr) return finish_call(hipErrorInvalidHandle);
  if (queue->capture != nullptr) return finish_call(rankle::sim::may_wait_for(*queue));
  if (!queue->queue.empty()) {
    misuse("hipStreamDestroy of a stream with " + std::to_string(queue->queue.size()) +
               " operations that have not ended: HIP may drop them",
           RANKLE_CALLER);
  }
  const bool done = wait_until_empty(queue, "hipStreamDestroy");
  queue->destroyed = true;
  return finish_call(done ? hipSuccess : hipErrorLaunchFailure);
}

hipError_t hipStreamSynchronize(hipStream_t stream) {
  RANKLE_ENTER_CALL(host);
  Stream* const queue = stream_of(*host, stream, "hipStreamSynchronize", RANKLE_CALLER);
  if (queue == nullptr) return finish_call(hipErrorInvalidHandle);
  const hipError_t refused = rankle::sim::may_wait_for(*queue);
  if (refused != hipSuccess) return finish_call(refused);
  const bool done = wait_until_empty(queue, "hipStreamSynchronize");
  return finish_call(done ? hipSuccess : hipErrorLaunchFailure);
}

hipError_t hipStreamQuery(hipStream_t stream) {
  RANKLE_ENTER_CALL(host);
  Stream* const queue = stream_of(*host, stream, "hipStreamQuery", RANKLE_CALLER);
  if (queue == nullptr) return finish_call(hipErrorInvalidHandle);
  const hipError_t refused = rankle::sim::may_wait_for(*queue);
  if (refused != hipSuccess) return finish_call(refused);
  if (queue->queue.empty()) {
    Engine::instance().host_saw(queue->last);
    return hipSuccess;
  }
  Engine::instance().poll_host("hipStreamQuery");
  return finish_call(Engine::instance().is_stopped() ? hipErrorLaunchFailure : hipErrorNotReady);
}

hipError_t hipStreamGetFlags(hipStream_t stream, unsigned* flags) {
  RANKLE_ENTER_CALL(host);
  if (flags == nullptr) return finish_call(hipErrorInvalidValue);
  const Stream* const queue = stream_of(*host, stream, "hipStreamGetFlags", RANKLE_CALLER);
  if (queue == nullptr) return finish_call(hipErrorInvalidHandle);
  *flags = queue->blocking ? hipStreamDefault : hipStreamNonBlocking;
  return hipSuccess;
}

hipError_t hipStreamGetPriority(hipStream_t stream, int* priority) {
  RANKLE_ENTER_CALL(host);
  if (priority == nullptr) return finish_call(hipErrorInvalidValue);
  const Stream* const queue = stream_of(*host, stream, "hipStreamGetPriority", RANKLE_CALLER);
  if (queue == nullptr) return finish_call(hipErrorInvalidHandle);
  *priority = queue->priority;
  return hipSuccess;
}

hipError_t hipStreamGetDevice(hipStream_t stream, int* device) {
  RANKLE_ENTER_CALL(host);
  if (device == nullptr) return finish_call(hipErrorInvalidValue);
  const Stream* const queue = stream_of(*host, stream, "hipStreamGetDevice", RANKLE_CALLER);
  if (queue == nullptr) return finish_call(hipErrorInvalidHandle);
  *device = queue->device;
  return hipSuccess;
}
}
