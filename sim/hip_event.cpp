// Events: places in a stream's order. Recording again moves an event; who waits keeps waiting for
// the record that was the latest when the wait was asked for.
#include "sim/capture.h"
#include "sim/hip_call.h"

using rankle::sim::Engine;
using rankle::sim::Event;
using rankle::sim::finish_call;
using rankle::sim::misuse;
using rankle::sim::Op;
using rankle::sim::OpKind;
using rankle::sim::Stream;
using rankle::sim::stream_of;

namespace {

constexpr unsigned kEventFlags = hipEventBlockingSync | hipEventDisableTiming |
                                 hipEventInterprocess | hipEventDisableSystemFence |
                                 hipEventReleaseToDevice | hipEventReleaseToSystem;
constexpr double kNanosecondsPerMillisecond = 1e6;

// The live event of a handle; for another handle than nullptr that names none, an `api-error`.
Event* event_of(hipEvent_t handle, const char* call, std::uintptr_t pc) {
  Event* const event = Engine::instance().find_event(handle);
  if (event == nullptr && handle != nullptr) {
    misuse(std::string(call) + " of an event that does not exist or was destroyed", pc);
  }
  return event;
}

hipError_t create(hipEvent_t* event, unsigned flags, std::uintptr_t pc) {
  RANKLE_ENTER_CALL(host);
  if (event == nullptr || (flags & ~kEventFlags) != 0) return finish_call(hipErrorInvalidValue);
  if ((flags & hipEventInterprocess) != 0) {
    if ((flags & hipEventDisableTiming) == 0) return finish_call(hipErrorInvalidValue);
    misuse("hipEventInterprocess is not in the subset of HIP that the simulator provides", pc);
    return finish_call(hipErrorNotSupported);
  }
  Event* const made = Engine::instance().create_event(*host, flags);
  made->site = pc;
  *event = reinterpret_cast<hipEvent_t>(made);
  return hipSuccess;
}

}  // namespace

extern "C" {

hipError_t hipEventCreate(hipEvent_t* event) {
  return create(event, hipEventDefault, RANKLE_CALLER);
}

hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  return create(event, flags, RANKLE_CALLER);
}

hipError_t hipEventDestroy(hipEvent_t event) {
  RANKLE_ENTER_CALL(host);
  Event* const live = event_of(event, "hipEventDestroy", RANKLE_CALLER);
  if (live == nullptr) return finish_call(hipErrorInvalidHandle);
  live->destroyed = true;
  return hipSuccess;
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  RANKLE_ENTER_CALL(host);
  Event* const live = event_of(event, "hipEventRecord", RANKLE_CALLER);
  if (live == nullptr) return finish_call(hipErrorInvalidHandle);
  Stream* const queue = stream_of(*host, stream, "hipEventRecord", RANKLE_CALLER);
  if (queue == nullptr) return finish_call(hipErrorContextIsDestroyed);
  if (queue->device != live->device) return finish_call(hipErrorInvalidHandle);
  const rankle::sim::Recording recording = rankle::sim::recording_of(*queue);
  if (recording.error != hipSuccess) return finish_call(recording.error);
  if (recording.on) {
    rankle::sim::record_event(*queue, *live);
    return hipSuccess;
  }
  live->capture = nullptr;
  Op op;
  op.kind = OpKind::record;
  op.site = RANKLE_CALLER;
  live->record = Engine::instance().enqueue(queue, op);
  return hipSuccess;
}

hipError_t hipEventSynchronize(hipEvent_t event) {
  RANKLE_ENTER_CALL(host);
  Event* const live = event_of(event, "hipEventSynchronize", RANKLE_CALLER);
  if (live == nullptr) return finish_call(hipErrorInvalidHandle);
  const hipError_t refused = rankle::sim::may_wait_for(*host, *live);
  if (refused != hipSuccess) return finish_call(refused);
  const Op* const record = live->record;
  if (record == nullptr) return hipSuccess;
  const bool done =
      Engine::instance().wait_host("hipEventSynchronize", [record] { return record->done; });
  Engine::instance().host_saw(record);
  return finish_call(done ? hipSuccess : hipErrorLaunchFailure);
}

hipError_t hipEventQuery(hipEvent_t event) {
  RANKLE_ENTER_CALL(host);
  Event* const live = event_of(event, "hipEventQuery", RANKLE_CALLER);
  if (live == nullptr) return finish_call(hipErrorInvalidHandle);
  const hipError_t refused = rankle::sim::may_wait_for(*host, *live);
  if (refused != hipSuccess) return finish_call(refused);
  const Op* const record = live->record;
  if (record == nullptr || record->done) {
    Engine::instance().host_saw(record);
    return hipSuccess;
  }
  Engine::instance().poll_host("hipEventQuery");
  return finish_call(Engine::instance().is_stopped() ? hipErrorLaunchFailure : hipErrorNotReady);
}

hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop) {
  RANKLE_ENTER_CALL(host);
  if (milliseconds == nullptr) return finish_call(hipErrorInvalidValue);
  const Event* const from = event_of(start, "hipEventElapsedTime", RANKLE_CALLER);
  const Event* const to = event_of(stop, "hipEventElapsedTime", RANKLE_CALLER);
  if (from == nullptr || to == nullptr) return finish_call(hipErrorInvalidHandle);
  if (!from->timed || !to->timed) return finish_call(hipErrorInvalidHandle);
  if (from->record == nullptr || to->record == nullptr) return finish_call(hipErrorInvalidHandle);
  if (from->device != to->device) return finish_call(hipErrorInvalidHandle);
  if (!from->record->done || !to->record->done) return finish_call(hipErrorNotReady);
  const auto begin = static_cast<double>(from->record->ended_at);
  const auto end = static_cast<double>(to->record->ended_at);
  *milliseconds = static_cast<float>((end - begin) / kNanosecondsPerMillisecond);
  return hipSuccess;
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
  RANKLE_ENTER_CALL(host);
  if (flags != 0) return finish_call(hipErrorInvalidValue);
  const Event* const live = event_of(event, "hipStreamWaitEvent", RANKLE_CALLER);
  if (live == nullptr) return finish_call(hipErrorInvalidHandle);
  Stream* const queue = stream_of(*host, stream, "hipStreamWaitEvent", RANKLE_CALLER);
  if (queue == nullptr) return finish_call(hipErrorContextIsDestroyed);
  if (live->capture != nullptr || queue->capture != nullptr) {
    return finish_call(rankle::sim::wait_in_capture(*queue, *live));
  }
  const rankle::sim::Recording recording = rankle::sim::recording_of(*queue);
  if (recording.error != hipSuccess) return finish_call(recording.error);
  if (live->record == nullptr) return hipSuccess;
  Op op;
  op.kind = OpKind::wait;
  op.site = RANKLE_CALLER;
  op.after.push_back(live->record);
  Engine::instance().enqueue(queue, op);
  return hipSuccess;
}
}
