// Checks that only copy, in the order of a stream, and are judged later: so that many calls can be
// queued before anybody waits, and each is judged all the same.
#pragma once

#include <hip/hip_runtime.h>

#include <cstddef>
#include <span>
#include <vector>

#include "harness/runner/rank_judge.h"
#include "harness/runner/rank_state.h"

namespace rankle {

class QueuedChecks {
 public:
  QueuedChecks(RankState& state, RankJudge& judge) : state_(state), judge_(judge) {}

  // Copies the pair of place.buffer, which `known` describes.
  bool queue(const CheckPlace& place, const BufferState& known, hipStream_t stream);
  // Copies a graph's own copy of an output, and of the reference's if there is one.
  bool queue_output(const CheckPlace& place, const BufferState& known, const GuardedBuffer& output,
                    const GuardedBuffer* promised, hipStream_t stream);
  // Copies a graph's own copy of an input, which holds `expected`.
  bool queue_copy(const CheckPlace& place, const Contents& expected, const GuardedBuffer& copy,
                  hipStream_t stream);

  // Bounds the memory for images: waits, judges and recycles if there is much of them. Not while
  // this rank captures. False if this rank must leave.
  bool make_room();

  // Once every copy has been made. With `all_ranks`, collective. False if the run was stopped.
  bool judge_all(bool all_ranks);

 private:
  struct Pending {
    CheckPlace place;
    BufferState known;
    std::span<std::byte> output;
    std::span<std::byte> input;
    std::span<std::byte> promised;
  };
  struct PendingCopy {
    CheckPlace place;
    Contents expected;
    std::span<std::byte> bytes;
  };

  bool take(const GuardedBuffer& from, std::span<std::byte>& image, hipStream_t stream);

  RankState& state_;
  RankJudge& judge_;
  std::vector<Pending> pending_;
  std::vector<PendingCopy> pending_copies_;
};

}  // namespace rankle
