// Streams: queues of operations in order. The default stream and blocking streams of one device
// wait for each other as HIP's legacy default stream demands; operations know what they come after.
#include <algorithm>
#include <cstring>

#include "sim/engine.h"
#include "sim/transfer.h"

namespace rankle::sim {

Stream* Engine::default_stream(int device) { return default_streams_[device]; }

Stream* Engine::create_stream(HostRank& rank, unsigned flags) {
  auto stream = std::make_unique<Stream>();
  stream->kind = EntityKind::stream;
  stream->rank = rank.rank;
  stream->device = rank.device;
  stream->index = ++rank.streams;
  stream->blocking = (flags & hipStreamNonBlocking) == 0;
  stream->id = stream_entity(rank.rank, stream->index);
  streams_.push_back(std::move(stream));
  return streams_.back().get();
}

Op* Engine::enqueue(Stream* stream, Op op) {
  op.stream = stream;
  for (const std::unique_ptr<Stream>& other : streams_) {
    if (other.get() == stream || other->device != stream->device) continue;
    if (other->last == nullptr || other->last->done) continue;
    const bool ordered =
        (stream->is_default && other->blocking) || (other->is_default && stream->blocking);
    if (ordered) op.after.push_back(other->last);
  }
  ops_.push_back(std::move(op));
  Op* const queued = &ops_.back();
  stream->queue.push_back(queued);
  stream->last = queued;
  stream_may_run(stream);
  return queued;
}

bool Engine::stream_idle(const Stream* stream) const { return stream->queue.empty(); }

bool Engine::device_idle(int device) const {
  return std::all_of(streams_.begin(), streams_.end(), [device](const auto& stream) {
    return stream->device != device || stream->queue.empty();
  });
}

void Engine::stream_may_run(Stream* stream) {
  if (stream->queue.empty()) return;
  const Op& head = *stream->queue.front();
  if (head.started) return;
  const bool ready =
      std::all_of(head.after.begin(), head.after.end(), [](const Op* op) { return op->done; });
  if (ready) runnable_.add(stream);
}

void Engine::run_stream(Stream& stream) {
  runnable_.remove(&stream);
  Op& op = *stream.queue.front();
  op.started = true;
  switch (op.kind) {
    case OpKind::kernel:
      return start_launch(*op.launch);
    case OpKind::copy:
      transfer_copy(op);
      break;
    case OpKind::fill:
      transfer_fill(op);
      break;
  }
  if (!stopped_) end_op(op);
}

void Engine::end_op(Op& op) {
  op.done = true;
  ++progress_;
  if (op.launch != nullptr && op.launch->storage != nullptr) {
    op.launch->destroy(op.launch->storage);
    op.launch->storage = nullptr;
  }
  Stream* const stream = op.stream;
  stream->queue.pop_front();
  for (const std::unique_ptr<Stream>& other : streams_) {
    if (other.get() != stream && !other->queue.empty()) stream_may_run(other.get());
  }
  stream_may_run(stream);
  wake_hosts();
}

}  // namespace rankle::sim
