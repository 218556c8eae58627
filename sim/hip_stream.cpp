// Streams, as the host sees them.
#include "sim/hip_call.h"

using rankle::sim::Engine;
using rankle::sim::finish_call;
using rankle::sim::Stream;

namespace {

Stream* queue_of(const rankle::sim::HostRank& host, hipStream_t stream) {
  return stream == nullptr ? Engine::instance().default_stream(host.device)
                           : reinterpret_cast<Stream*>(stream);
}

}  // namespace

extern "C" {

hipError_t hipStreamCreate(hipStream_t* stream) {
  return hipStreamCreateWithFlags(stream, hipStreamDefault);
}

hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  RANKLE_ENTER_CALL(host);
  if (stream == nullptr || flags > hipStreamNonBlocking) return finish_call(hipErrorInvalidValue);
  *stream = reinterpret_cast<hipStream_t>(Engine::instance().create_stream(*host, flags));
  return hipSuccess;
}

hipError_t hipStreamDestroy(hipStream_t stream) {
  RANKLE_ENTER_CALL(host);
  auto* const queue = reinterpret_cast<Stream*>(stream);
  if (queue == nullptr || queue->destroyed) return finish_call(hipErrorInvalidResourceHandle);
  const hipError_t waited = hipStreamSynchronize(stream);
  queue->destroyed = true;
  return waited;
}

hipError_t hipStreamSynchronize(hipStream_t stream) {
  RANKLE_ENTER_CALL(host);
  const Stream* const queue = queue_of(*host, stream);
  if (queue->destroyed) return finish_call(hipErrorInvalidResourceHandle);
  const bool done = Engine::instance().wait_host("hipStreamSynchronize",
                                                 [queue] { return queue->queue.empty(); });
  return finish_call(done ? hipSuccess : hipErrorLaunchFailure);
}

hipError_t hipStreamQuery(hipStream_t stream) {
  RANKLE_ENTER_CALL(host);
  const Stream* const queue = queue_of(*host, stream);
  if (queue->destroyed) return finish_call(hipErrorInvalidResourceHandle);
  return queue->queue.empty() ? hipSuccess : hipErrorNotReady;
}
}
