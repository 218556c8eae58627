// What a rank does for one target.
#include "harness/runner/rank_side.h"

#include <fmt/format.h>

#include <utility>

#include "harness/runner/device_hooks.h"

namespace rankle {

bool RankSide::allocate(HipCalls& hip, const Case& c, const ProgramPlan& plan, int rank) {
  buffers_ = std::vector<RankBuffers>(std::size_t(plan.buffers));
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (!buffers_[i].allocate(hip, c, rank, int(i), prefix_)) return false;
  }
  return true;
}

bool RankSide::connect(HipCalls& hip, const Case& c, const ProgramPlan& plan,
                       kernels::RankGroup& group) {
  if (target_.communicator == nullptr) return true;
  if (!hip.ok(target_.communicator->create(group, plan.capacity(c, target_), communicator_),
              "creating the communicator")) {
    return false;
  }
  label_memory(group.rank());
  if (plan.registers && !register_buffers(hip)) return false;
  return poison_scratch(hip, c.dtype);
}

bool RankSide::disconnect(HipCalls& hip) {
  if (communicator_ == nullptr) return true;
  kernels::Communicator* leaving = std::exchange(communicator_, nullptr);
  return hip.ok(target_.communicator->destroy(leaving), "destroying the communicator");
}

void RankSide::release() {
  for (RankBuffers& pair : buffers_) pair.release();
}

bool RankSide::register_buffers(HipCalls& hip) const {
  std::vector<kernels::BufferRange> ranges;
  for (const RankBuffers& pair : buffers_) {
    for (const GuardedBuffer* buffer : pair.all()) {
      ranges.push_back({buffer->data(), buffer->bytes()});
    }
  }
  return hip.ok(target_.communicator->register_buffers(*communicator_, ranges),
                "registering the buffers");
}

bool RankSide::register_buffer(HipCalls& hip, int buffer) const {
  if (communicator_ == nullptr) return true;
  std::vector<kernels::BufferRange> ranges;
  for (const GuardedBuffer* each : buffers(buffer).all()) {
    ranges.push_back({each->data(), each->bytes()});
  }
  return hip.ok(target_.communicator->register_buffers(*communicator_, ranges),
                fmt::format("registering buffer {}", buffer));
}

bool RankSide::deregister_buffer(HipCalls& hip, int buffer) const {
  if (communicator_ == nullptr) return true;
  bool done = true;
  for (const GuardedBuffer* each : buffers(buffer).all()) {
    done &= hip.ok(target_.communicator->deregister_buffer(*communicator_, each->data()),
                   fmt::format("deregistering buffer {}", buffer));
  }
  return done;
}

bool RankSide::reallocate(HipCalls& hip, const Case& c, int rank, int buffer) {
  RankBuffers& pair = buffers_[std::size_t(buffer)];
  pair.release();
  return pair.allocate(hip, c, rank, buffer, prefix_);
}

bool RankSide::begin_capture(HipCalls& hip) const {
  return communicator_ == nullptr ||
         hip.ok(target_.communicator->begin_capture(*communicator_), "beginning a capture");
}

bool RankSide::end_capture(HipCalls& hip, int& capture) const {
  return communicator_ == nullptr ||
         hip.ok(target_.communicator->end_capture(*communicator_, capture), "ending a capture");
}

bool RankSide::release_capture(HipCalls& hip, int capture) const {
  return communicator_ == nullptr ||
         hip.ok(target_.communicator->release_capture(*communicator_, capture),
                "releasing a capture");
}

bool RankSide::seed_epochs(HipCalls& hip, std::uint32_t epoch) const {
  return communicator_ == nullptr ||
         hip.ok(target_.communicator->seed_epochs(*communicator_, epoch), "seeding the epochs");
}

bool RankSide::switch_stream(HipCalls& hip, hipStream_t stream) const {
  return communicator_ == nullptr ||
         hip.ok(target_.communicator->switch_stream(*communicator_, stream), "switching streams");
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
  device_hooks::watch(signals.begin, signals.bytes);
  label(scratch, "scratch");
  label(staging, "staging memory");
  label(table, "table of peer pointers");
}

bool RankSide::poison_scratch(HipCalls& hip, DType dtype) const {
  const CommunicatorMemory kept = memory();
  return poison(hip, kept.scratch, dtype, Poison::scratch) &&
         poison(hip, kept.staging, dtype, Poison::scratch);
}

hipError_t RankSide::launch(const Case& c, int rank, const SideCall& made,
                            Launched& launched) const {
  const RankBuffers& pair = buffers(made.buffer);
  Call call;
  call.rank = rank;
  call.world = c.world;
  call.dtype = made.shape.dtype;
  call.accum = made.shape.accum;
  call.input = made.copy != nullptr ? made.copy->data() : pair.input().data();
  call.output = pair.output().data();
  call.count = made.shape.count;
  call.blocks = made.shape.blocks;
  call.threads = made.shape.threads;
  call.wave = c.geometry.wave;
  call.communicator = communicator_;
  call.staged = made.staged;
  call.stream = made.stream;
  return target_.launch(call, launched);
}

hipError_t RankSide::delay(std::int64_t nanoseconds, hipStream_t stream) const {
  return target_.delay == nullptr ? hipSuccess : target_.delay(nanoseconds, stream);
}

}  // namespace rankle
