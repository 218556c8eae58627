// What the parts of one rank's program share: its sides, streams and host memory, and what its
// buffers are known to hold.
#pragma once

#include <hip/hip_runtime.h>

#include <span>
#include <utility>
#include <vector>

#include "generators/case.h"
#include "harness/runner/buffer_state.h"
#include "harness/runner/host_images.h"
#include "harness/runner/program_plan.h"
#include "harness/runner/rank_group.h"
#include "harness/runner/rank_side.h"

namespace rankle {

enum class Half { input, output };

class RankState {
 public:
  RankState(const Case& c, const ProgramPlan& plan, RankBoard& board, int rank)
      : c(c), plan(plan), rank(rank), group(board, rank) {}

  // Of this rank alone. release() after everything else has gone.
  bool create_streams();
  void release();

  // Where a step's work goes.
  hipStream_t stream_of(const Step& step) const {
    return step.aside && branch != nullptr ? branch : stream;
  }
  // Waits for all that is queued.
  bool wait();

  // Writes the input or output of `buffer` on every side.
  bool write(const Contents& contents, Half half, int buffer);
  // The same in the order of `to`. The copies read from `images`.
  bool queue_write(const Contents& contents, Half half, int buffer, HostImages& images,
                   hipStream_t to);
  // The pattern as an image that lasts as long as the run. Not for the first time in a capture.
  bool poison_image(const Contents& poison, std::span<const std::byte>& image);

  const GuardedBuffer& buffer_of(const RankSide& side, Half half, int buffer) const {
    const RankBuffers& pair = side.buffers(buffer);
    return half == Half::input ? pair.input() : pair.output();
  }
  BufferState& state(int buffer) { return states[std::size_t(buffer)]; }

  const Case& c;
  const ProgramPlan& plan;
  const int rank;
  LocalRankGroup group;
  HipCalls hip;
  std::vector<RankSide*> sides;  // the one under test, then the reference
  std::vector<hipStream_t> streams;
  hipStream_t stream = nullptr;  // the one that is in use
  hipStream_t branch = nullptr;  // null: no step forks
  hipStream_t idle = nullptr;    // for delays of the host
  hipStream_t data = nullptr;    // for what the device fills and compares; null where it does not
  hipEvent_t forked = nullptr;
  hipEvent_t joined = nullptr;
  std::vector<BufferState> states;  // by buffer
  std::vector<int> rounds;          // filled so far
  int checks = 0;                   // made so far
  int step_index = -1;              // of the one under way, or that failed
  HostImages images;                // recycled when nothing is queued and all is judged

 private:
  // On the device.
  bool queue_fill(const Contents& contents, Half half, int buffer, hipStream_t to);

  std::vector<std::byte> scratch_;
  HostImages poison_memory_;
  std::vector<std::pair<Contents, std::span<std::byte>>> poison_images_;
};

}  // namespace rankle
