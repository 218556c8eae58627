// What a rank does for one target.
#include "harness/runner/rank_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/runner/device_hooks.h"

namespace rankle {
namespace {

bool is_call(const Step& step) { return step.kind == StepKind::call; }

// Room for what the program asks for, and no more: what does not fit is out of bounds then.
kernels::Capacity capacity_for(const Case& c, const Target& target) {
  kernels::Capacity capacity;
  capacity.scratch_bytes = target.scratch_bytes(c.world, c.bytes());
  const bool stages = std::any_of(c.program.begin(), c.program.end(),
                                  [](const Step& step) { return is_call(step) && step.staged; });
  if (stages) capacity.staging_bytes = c.bytes();
  return capacity;
}

bool has_direct_call(const Case& c) {
  return std::any_of(c.program.begin(), c.program.end(),
                     [](const Step& step) { return is_call(step) && !step.staged; });
}

}  // namespace

bool RankSide::allocate(HipCalls& hip, const Case& c, int rank) {
  return buffers_.allocate(hip, c, rank, prefix_);
}

bool RankSide::connect(HipCalls& hip, const Case& c, kernels::RankGroup& group) {
  if (target_.communicator == nullptr) return true;
  if (!hip.ok(target_.communicator->create(group, capacity_for(c, target_), communicator_),
              "creating the communicator")) {
    return false;
  }
  label_memory(group.rank());
  if (has_direct_call(c) && !register_buffers(hip)) return false;
  return poison_scratch(hip, c.dtype);
}

bool RankSide::disconnect(HipCalls& hip) {
  if (communicator_ == nullptr) return true;
  kernels::Communicator* leaving = std::exchange(communicator_, nullptr);
  return hip.ok(target_.communicator->destroy(leaving), "destroying the communicator");
}

bool RankSide::register_buffers(HipCalls& hip) const {
  std::vector<kernels::BufferRange> ranges;
  for (const GuardedBuffer* buffer : buffers_.all()) {
    ranges.push_back({buffer->data(), buffer->bytes()});
  }
  return hip.ok(target_.communicator->register_buffers(*communicator_, ranges),
                "registering the buffers");
}

CommunicatorMemory RankSide::memory() const {
  return communicator_ == nullptr ? CommunicatorMemory{}
                                  : target_.communicator->memory(*communicator_);
}

void RankSide::label_memory(int rank) const {
  const auto label = [&](const kernels::BufferRange& range, std::string_view what) {
    if (range.bytes == 0) return;
    device_hooks::label(range.begin, fmt::format("{}{} of rank {}", prefix_, what, rank));
  };
  const auto [signals, scratch, staging, table] = memory();
  label(signals, "signals");
  label(scratch, "scratch");
  label(staging, "staging memory");
  label(table, "table of peer pointers");
}

bool RankSide::poison_scratch(HipCalls& hip, DType dtype) const {
  const CommunicatorMemory kept = memory();
  return poison(hip, kept.scratch, dtype, Poison::scratch) &&
         poison(hip, kept.staging, dtype, Poison::scratch);
}

hipError_t RankSide::launch(const Case& c, int rank, hipStream_t stream, bool staged,
                            Launched& launched) const {
  Call call;
  call.rank = rank;
  call.world = c.world;
  call.dtype = c.dtype;
  call.accum = c.accum;
  call.input = buffers_.input().data();
  call.output = buffers_.output().data();
  call.count = c.count();
  call.blocks = c.geometry.blocks;
  call.threads = c.geometry.threads;
  call.wave = c.geometry.wave;
  call.communicator = communicator_;
  call.staged = staged;
  call.stream = stream;
  return target_.launch(call, launched);
}

}  // namespace rankle
