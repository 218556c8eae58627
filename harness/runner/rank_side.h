// One target on one rank: its input and output, its communicator, and its calls. A rank has one
// side, or two if a reference target runs beside the one under test, on memory of its own.
#pragma once

#include <hip/hip_runtime.h>

#include <string>
#include <string_view>

#include "generators/case.h"
#include "harness/runner/buffers.h"
#include "harness/target.h"
#include "kernels/communicator/rank_group.h"

namespace rankle {

class RankSide {
 public:
  // `name` of the target; `prefix` goes before the names of its memory in reports ("reference ").
  RankSide(const Target& target, std::string_view name, std::string_view prefix)
      : target_(target), name_(name), prefix_(prefix) {}

  // The buffers of this rank alone.
  bool allocate(HipCalls& hip, const Case& c, int rank);

  // Collective, and fails on all ranks alike in what ranks do together: makes the communicator,
  // large enough for every call of the program, and registers the buffers if a call is to use them
  // directly. A target without a communicator has nothing to connect.
  bool connect(HipCalls& hip, const Case& c, kernels::RankGroup& group);

  // Collective, after connect() on all ranks, whether it failed or not. Then no rank can reach this
  // one's memory any more.
  bool disconnect(HipCalls& hip);

  // Frees the buffers, after disconnect().
  void release() { buffers_.release(); }

  // Poisons what the communicator keeps between calls, except for its signals.
  bool poison_scratch(HipCalls& hip, DType dtype) const;

  // Enqueues one call. `staged`: through the communicator's staging memory.
  hipError_t launch(const Case& c, int rank, hipStream_t stream, bool staged,
                    Launched& launched) const;

  // All null for a target without a communicator.
  CommunicatorMemory memory() const;

  const std::string& name() const { return name_; }
  const RankBuffers& buffers() const { return buffers_; }

 private:
  bool register_buffers(HipCalls& hip) const;
  void label_memory(int rank) const;

  const Target& target_;
  const std::string name_;
  const std::string prefix_;
  RankBuffers buffers_;
  kernels::Communicator* communicator_ = nullptr;
};

}  // namespace rankle
