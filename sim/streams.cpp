// Streams: queues of operations in order. The default stream and blocking streams of one device
// wait for each other as HIP's legacy default stream demands; operations know what they come after.
#include <algorithm>
#include <cstring>

#include "sim/engine.h"
#include "sim/host_function.h"
#include "sim/transfer.h"

namespace rankle::sim {
namespace {

// Virtual time: what it takes to start anything, and to move a byte at 64 GB/s.
constexpr std::uint64_t kNanosecondsPerOp = 1000;
constexpr std::uint64_t kBytesPerNanosecond = 64;
// Answers "not ready" that a host may get while nothing at all happens; then it waits for ever.
constexpr int kFruitlessPollsMax = 1000;

}  // namespace

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

// A stream of an executable graph: no handle leads to it, and nothing is in its order but edges.
Stream* Engine::make_branch(Stream* reused, int rank, int device, std::uint32_t index) {
  constexpr std::uint32_t kBranch = std::uint32_t{1} << 31;  // a range apart from other streams
  if (reused == nullptr) {
    streams_.push_back(std::make_unique<Stream>());
    reused = streams_.back().get();
  }
  reused->kind = EntityKind::stream;
  reused->rank = rank;
  reused->device = device;
  reused->index = kBranch | index;
  reused->blocking = false;
  reused->destroyed = true;
  reused->id = stream_entity(rank, reused->index);
  reused->race_chain = 0;  // what ran in it for another graph orders nothing here
  return reused;
}

// Handles are compared and never followed before they are known: a stale one may point anywhere.
Stream* Engine::find_stream(const HostRank& rank, hipStream_t handle) {
  if (handle == nullptr) return default_streams_[rank.device];
  for (const std::unique_ptr<Stream>& stream : streams_) {
    if (reinterpret_cast<hipStream_t>(stream.get()) != handle) continue;
    return stream->destroyed ? nullptr : stream.get();
  }
  return nullptr;
}

Event* Engine::create_event(const HostRank& rank, unsigned flags) {
  events_.push_back(std::make_unique<Event>());
  Event& event = *events_.back();
  event.rank = rank.rank;
  event.device = rank.device;
  event.timed = (flags & hipEventDisableTiming) == 0;
  return &event;
}

Event* Engine::find_event(hipEvent_t handle) {
  for (const std::unique_ptr<Event>& event : events_) {
    if (reinterpret_cast<hipEvent_t>(event.get()) != handle) continue;
    return event->destroyed ? nullptr : event.get();
  }
  return nullptr;
}

Op* Engine::enqueue(Stream* stream, Op op) {
  op.stream = stream;
  op.race.behind = op.after;
  if (host_ != nullptr) op.step = host_->step;
  for (const std::unique_ptr<Stream>& other : streams_) {
    if (other.get() == stream || other->device != stream->device) continue;
    if (other->last == nullptr) continue;
    const bool ordered =
        (stream->is_default && other->blocking) || (other->is_default && stream->blocking);
    if (!ordered) continue;
    op.race.behind.push_back(other->last);
    if (!other->last->done) op.after.push_back(other->last);
  }
  race_enqueue(op);
  ops_.push_back(std::move(op));
  Op* const queued = &ops_.back();
  stream->queue.push_back(queued);
  stream->last = queued;
  stream_may_run(stream);
  return queued;
}

bool Engine::device_idle(int device) const {
  return std::all_of(streams_.begin(), streams_.end(), [device](const auto& stream) {
    return stream->device != device || stream->queue.empty();
  });
}

const Op* Engine::pending_transfer(std::uintptr_t begin, std::size_t bytes) const {
  const auto touches = [=](const void* pointer, std::size_t length) {
    const std::uintptr_t at = owner_address(reinterpret_cast<std::uintptr_t>(pointer));
    return at < begin + bytes && begin < at + length;
  };
  for (const std::unique_ptr<Stream>& stream : streams_) {
    for (const Op* op : stream->queue) {
      const bool moves = op->kind == OpKind::copy || op->kind == OpKind::fill;
      if (moves && (touches(op->to, op->bytes) || touches(op->from, op->bytes))) return op;
    }
  }
  return nullptr;
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
  race_op_begin(op);
  switch (op.kind) {
    case OpKind::kernel:
      return start_launch(*op.launch);
    case OpKind::copy:
      transfer_copy(op);
      break;
    case OpKind::fill:
      transfer_fill(op);
      break;
    case OpKind::allocate:
      transfer_allocate(op);
      break;
    case OpKind::release:
      transfer_release(op);
      break;
    case OpKind::function:
      run_host_function(op);
      break;
    case OpKind::record:
    case OpKind::wait:
    case OpKind::fork:
    case OpKind::join:
      break;  // their place in the order is all there is
  }
  if (!stopped_) end_op(op);
}

void Engine::end_op(Op& op) {
  op.done = true;
  race_op_end(op);
  ++progress_;
  const bool moves = op.kind == OpKind::copy || op.kind == OpKind::fill;
  const bool takes_time = moves || op.kind == OpKind::kernel || op.kind == OpKind::function;
  if (takes_time) time_skipped_ += kNanosecondsPerOp;
  if (moves) time_skipped_ += op.bytes / kBytesPerNanosecond;
  op.ended_at = virtual_time();
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

void Engine::poll_host(const char* what) {
  if (stopped_) return;
  HostRank& host = *host_;
  host.polls = true;
  host.awaits = [] { return true; };  // whatever ends next
  host.waits_in = what;
  runnable_.remove(&host);
  yield();
  host.polls = false;
  host.awaits = nullptr;
  host.waits_in = "";
}

// Nothing can run: hosts that poll get their answer, once for each change of anything, and as a
// last resort a bounded number of times more, since they may give up asking.
bool Engine::wake_polling_hosts(bool last_resort) {
  const bool any =
      std::any_of(hosts_.begin(), hosts_.end(), [](const auto& h) { return h->polls; });
  if (!any) return false;
  const std::uint64_t moment = progress_ + virtual_time();
  if (moment != moment_of_poll_) {
    fruitless_polls_ = 0;
  } else if (!last_resort || ++fruitless_polls_ > kFruitlessPollsMax) {
    return false;
  }
  moment_of_poll_ = moment;
  for (const std::unique_ptr<HostRank>& host : hosts_) {
    if (host->polls) runnable_.add(host.get());
  }
  return true;
}

}  // namespace rankle::sim
