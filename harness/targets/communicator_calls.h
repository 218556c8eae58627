// The table of the communicator's calls, for a Target that works through one (harness/target.h).
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>
#include <memory>
#include <span>

#include "harness/target.h"
#include "kernels/communicator/communicator.h"

namespace rankle {

namespace detail {

using kernels::Communicator;

inline hipError_t create(kernels::RankGroup& group, const kernels::Capacity& capacity,
                         Communicator*& made) {
  std::unique_ptr<Communicator> communicator;
  const hipError_t error = Communicator::create(group, capacity, communicator);
  made = communicator.release();
  return error;
}

inline hipError_t destroy(Communicator* communicator) {
  const hipError_t error = communicator->destroy();
  delete communicator;
  return error;
}

inline CommunicatorMemory memory_of(const Communicator& communicator) {
  const kernels::Workspace& workspace = communicator.workspace();
  return {workspace.own_signals(), workspace.own_scratch(), workspace.own_staging(),
          communicator.table().memory()};
}

}  // namespace detail

inline constexpr CommunicatorCalls kCommunicatorCalls{
    .create = detail::create,
    .destroy = detail::destroy,
    .register_buffers = [](auto& c, auto own) { return c.register_buffers(own); },
    .deregister_buffer = [](auto& c, const void* begin) { return c.deregister_buffer(begin); },
    .begin_capture = [](auto& c) { return c.begin_capture(); },
    .end_capture = [](auto& c, int& capture) { return c.end_capture(capture); },
    .release_capture = [](auto& c, int capture) { return c.release_capture(capture); },
    .switch_stream = [](auto& c, hipStream_t stream) { return c.switch_stream(stream); },
    .seed_epochs = [](auto& c, std::uint32_t epoch) { return c.seed_epochs(epoch); },
    .memory = detail::memory_of};

}  // namespace rankle
