// Copies into pinned memory, and the judging of them.
#include "harness/runner/queued_checks.h"

#include <utility>

namespace rankle {
namespace {

constexpr std::size_t kImageBytesMax = std::size_t{64} << 20;

}  // namespace

bool QueuedChecks::make_room() {
  if (state_.images.taken() < kImageBytesMax) return true;
  if (!state_.wait() || !judge_all(false)) return false;
  state_.images.recycle();
  return true;
}

bool QueuedChecks::take(const GuardedBuffer& from, std::span<std::byte>& image,
                        hipStream_t stream) {
  return state_.images.take(state_.hip, from.bytes(), image) &&
         from.queue_read(state_.hip, image, stream);
}

bool QueuedChecks::queue(const CheckPlace& place, const BufferState& known, hipStream_t stream) {
  Pending pending{place, known, {}, {}, {}};
  const RankBuffers& own = state_.sides.front()->buffers(place.buffer);
  if (!take(own.output(), pending.output, stream)) return false;
  if (!state_.c.in_place && !take(own.input(), pending.input, stream)) return false;
  if (state_.sides.size() > 1) {
    const RankBuffers& reference = state_.sides.back()->buffers(place.buffer);
    if (!take(reference.output(), pending.promised, stream)) return false;
  }
  pending_.push_back(pending);
  return true;
}

bool QueuedChecks::queue_output(const CheckPlace& place, const BufferState& known,
                                const GuardedBuffer& output, const GuardedBuffer* promised,
                                hipStream_t stream) {
  Pending pending{place, known, {}, {}, {}};
  if (!take(output, pending.output, stream)) return false;
  if (promised != nullptr && !take(*promised, pending.promised, stream)) return false;
  pending_.push_back(pending);
  return true;
}

bool QueuedChecks::queue_copy(const CheckPlace& place, const Contents& expected,
                              const GuardedBuffer& copy, hipStream_t stream) {
  PendingCopy pending{place, expected, {}};
  if (!take(copy, pending.bytes, stream)) return false;
  pending_copies_.push_back(pending);
  return true;
}

bool QueuedChecks::judge_all(bool all_ranks) {
  for (const PendingCopy& pending : std::exchange(pending_copies_, {})) {
    judge_.judge_input(pending.place, pending.expected, "copied input", pending.bytes);
  }
  for (const Pending& pending : std::exchange(pending_, {})) {
    const CheckCopies copies{pending.output, pending.input, pending.promised};
    if (!judge_.judge(pending.place, pending.known, copies, all_ranks)) return false;
  }
  return true;
}

}  // namespace rankle
