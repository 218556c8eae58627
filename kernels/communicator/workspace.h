// What a rank provides for all calls: signals, scratch, and staging memory for the inputs and
// results that peers cannot reach where they are. Each is an allocation of its own, so that an
// access beyond the end of one does not hit the next.
#pragma once

#include <hip/hip_runtime.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/communicator/buffer_exchange.h"
#include "kernels/communicator/capacity.h"
#include "kernels/communicator/first_error.h"
#include "kernels/signal.h"

namespace rankle::kernels {

class Workspace {
 public:
  // Signals are zeroed before anybody is told of them: a peer that has come early would otherwise
  // see its first arrival wiped. Scratch and staging hold whatever they hold.
  hipError_t allocate(const Capacity& capacity) {
    hipError_t error = allocate(sizeof(Signals), own_signals_);
    if (error == hipSuccess) error = allocate(capacity.scratch_bytes, own_scratch_);
    // The result comes first, so that a copy which is too long for the input leaves the allocation.
    result_bytes_ = round_up(static_cast<std::size_t>(capacity.staging_bytes));
    const std::size_t input_bytes = static_cast<std::size_t>(capacity.staging_bytes);
    if (error == hipSuccess) error = allocate(result_bytes_ + input_bytes, own_staging_);
    if (error == hipSuccess) error = hipMemset(own_signals_.begin, 0, own_signals_.bytes);
    if (error == hipSuccess) error = hipDeviceSynchronize();
    return error;
  }

  // Collective.
  hipError_t share(BufferExchange& exchange) {
    std::vector<BufferRange> own{own_signals_};
    if (own_scratch_.bytes > 0) own.push_back(own_scratch_);
    if (own_staging_.bytes > 0) own.push_back(staged_input());
    std::vector<SharedBuffer> shared;
    if (const hipError_t error = exchange.share(own, shared); error != hipSuccess) return error;
    auto next = shared.begin();
    signals_ = *next++;
    if (own_scratch_.bytes > 0) scratch_ = *next++;
    if (own_staging_.bytes > 0) staged_inputs_ = *next++;
    return hipSuccess;
  }

  // Closes what share() has opened.
  hipError_t give_up(BufferExchange& exchange) {
    FirstError result;
    for (SharedBuffer* buffer : {&signals_, &scratch_, &staged_inputs_}) {
      result.note(exchange.give_up(*buffer));
      *buffer = {};
    }
    return result.result();
  }

  // No rank may have it open any more.
  hipError_t release() {
    FirstError result;
    for (BufferRange* range : {&own_signals_, &own_scratch_, &own_staging_}) {
      if (range->begin != nullptr) result.note(hipFree(range->begin));
      *range = {};
    }
    return result.result();
  }

  // Of this rank.
  const BufferRange& own_signals() const { return own_signals_; }
  const BufferRange& own_scratch() const { return own_scratch_; }
  const BufferRange& own_staging() const { return own_staging_; }
  BufferRange staged_input() const {
    if (own_staging_.bytes == 0) return {};
    return {static_cast<std::byte*>(own_staging_.begin) + result_bytes_,
            own_staging_.bytes - result_bytes_};
  }
  void* staged_result() const { return own_staging_.begin; }

  // Of all ranks; null pointers where the capacity is 0.
  const PeerPointers& signals() const { return signals_.pointers; }
  const PeerPointers& scratch() const { return scratch_.pointers; }
  const PeerPointers& staged_inputs() const { return staged_inputs_.pointers; }

 private:
  static std::size_t round_up(std::size_t bytes) {
    constexpr std::size_t kTo = BufferExchange::kAlignmentMax;
    return (bytes + kTo - 1) / kTo * kTo;
  }

  // Fine-grained: peers write and poll it while kernels of this rank run.
  static hipError_t allocate(std::size_t bytes, BufferRange& range) {
    if (bytes == 0) return hipSuccess;
    const hipError_t error = hipExtMallocWithFlags(&range.begin, bytes, hipDeviceMallocFinegrained);
    if (error == hipSuccess) range.bytes = bytes;
    return error;
  }

  BufferRange own_signals_;
  BufferRange own_scratch_;
  BufferRange own_staging_;
  std::size_t result_bytes_ = 0;
  SharedBuffer signals_;
  SharedBuffer scratch_;
  SharedBuffer staged_inputs_;
};

}  // namespace rankle::kernels
