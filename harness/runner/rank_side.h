// One target on one rank: its buffers, its communicator, and its calls. A rank has one side, or two
// if a reference target runs beside the one under test, on memory of its own.
#pragma once

#include <hip/hip_runtime.h>

#include <string>
#include <string_view>
#include <vector>

#include "generators/case.h"
#include "harness/runner/buffers.h"
#include "harness/runner/program_plan.h"
#include "harness/target.h"
#include "kernels/communicator/rank_group.h"

namespace rankle {

// One call of a program. All sides make it.
struct SideCall {
  CallShape shape;
  int buffer = 0;
  const GuardedBuffer* copy = nullptr;  // of the input, to be used in its place
  bool staged = false;                  // through the communicator's staging memory
  hipStream_t stream = nullptr;
};

class RankSide {
 public:
  // `name` of the target; `prefix` goes before the names of its memory in reports ("reference ").
  RankSide(const Target& target, std::string_view name, std::string_view prefix)
      : target_(target), name_(name), prefix_(prefix) {}

  // The buffers of this rank alone.
  bool allocate(HipCalls& hip, const Case& c, const ProgramPlan& plan, int rank);

  // Collective, and fails on all ranks alike in what ranks do together: makes the communicator,
  // large enough for every call of the program and no larger, and registers the buffers if the plan
  // says so. A target without a communicator has nothing to connect.
  bool connect(HipCalls& hip, const Case& c, const ProgramPlan& plan, kernels::RankGroup& group);

  // Collective, after connect() on all ranks, whether it failed or not. Then no rank can reach this
  // one's memory any more.
  bool disconnect(HipCalls& hip);

  // Frees the buffers, after disconnect().
  void release();

  // Collective: for direct use by calls, or not any more. No call on it is under way.
  bool register_buffer(HipCalls& hip, int buffer) const;
  bool deregister_buffer(HipCalls& hip, int buffer) const;

  // Frees one buffer and allocates it anew, where it was if the platform can. No rank has it open.
  bool reallocate(HipCalls& hip, const Case& c, int rank, int buffer);

  // Collective, apart from begin_capture.
  bool begin_capture(HipCalls& hip) const;
  bool end_capture(HipCalls& hip, int& capture) const;
  bool release_capture(HipCalls& hip, int capture) const;
  bool seed_epochs(HipCalls& hip, std::uint32_t epoch) const;

  // Later calls go to `stream`; waits for earlier ones.
  bool switch_stream(HipCalls& hip, hipStream_t stream) const;

  // Poisons what the communicator keeps between calls, except for its signals.
  bool poison_scratch(HipCalls& hip, DType dtype) const;

  // Enqueues one call.
  hipError_t launch(const Case& c, int rank, const SideCall& made, Launched& launched) const;
  // Keeps the stream busy, if the target can.
  hipError_t delay(std::int64_t nanoseconds, hipStream_t stream) const;

  bool has_communicator() const { return communicator_ != nullptr; }
  // All null for a target without a communicator.
  CommunicatorMemory memory() const;

  const std::string& name() const { return name_; }
  const std::string& prefix() const { return prefix_; }
  const RankBuffers& buffers(int buffer) const { return buffers_[std::size_t(buffer)]; }

 private:
  bool register_buffers(HipCalls& hip) const;
  void label_memory(int rank) const;

  const Target& target_;
  const std::string name_;
  const std::string prefix_;
  std::vector<RankBuffers> buffers_;
  kernels::Communicator* communicator_ = nullptr;
};

}  // namespace rankle
