// The collective half of the communicator: making and ending one, and making buffers known to all
// ranks. Included by communicator.h.
#pragma once

#include <hip/hip_runtime.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernels/communicator/communicator.h"
#include "kernels/communicator/first_error.h"

namespace rankle::kernels {

// set_up() succeeds or fails on all ranks alike, so that the ranks meet in destroy() as well.
inline hipError_t Communicator::create(RankGroup& group, const Capacity& capacity,
                                       std::unique_ptr<Communicator>& made) {
  made.reset(new Communicator(group, capacity));
  const hipError_t error = made->set_up();
  if (error == hipSuccess) return hipSuccess;
  static_cast<void>(made->destroy());
  made.reset();
  return error;
}

inline hipError_t Communicator::set_up() {
  std::array<Capacity, kWorldMax> capacities{};
  const auto all = std::span(capacities).first(static_cast<std::size_t>(world()));
  if (!group_.all_gather_value(capacity_, all)) return hipErrorLaunchFailure;
  for (const Capacity& other : all) {
    if (other != capacity_) return hipErrorInvalidValue;
  }
  hipError_t error = workspace_.allocate(capacity_);
  if (error == hipSuccess) error = table_.allocate(capacity_.slots);
  error = exchange_.agree(error);
  if (error == hipSuccess) error = workspace_.share(exchange_);
  if (error != hipSuccess || capacity_.staging_bytes == 0) return error;
  staging_slot_ = table_.take();
  if (staging_slot_ < 0) return hipErrorOutOfMemory;
  return exchange_.agree(table_.fill(staging_slot_, workspace_.staged_inputs()));
}

// The barrier stands between the closing and the freeing: a rank that has closed everything has
// finished with its peers' memory, and only its owner may still use it.
inline hipError_t Communicator::destroy() {
  FirstError result;
  result.note(hipDeviceSynchronize());
  result.note(give_up(registered_));
  for (const Capture& capture : captures_) result.note(give_up(capture.buffers));
  result.note(workspace_.give_up(exchange_));
  if (!group_.barrier()) result.note(hipErrorLaunchFailure);
  result.note(workspace_.release());
  result.note(table_.release());
  return result.result();
}

inline hipError_t Communicator::place(const std::vector<BufferRange>& own,
                                      const std::vector<int>& slots, std::vector<Known>& placed) {
  for (std::size_t i = 0; i < own.size(); ++i) placed.push_back({own[i].begin, slots[i], {}});
  std::vector<SharedBuffer> shared;
  hipError_t error = exchange_.share(own, shared);
  if (error == hipSuccess) {
    FirstError filled;
    for (std::size_t i = 0; i < own.size(); ++i) {
      placed[i].shared = shared[i];
      filled.note(slots[i] < 0 ? hipErrorOutOfMemory : table_.fill(slots[i], shared[i].pointers));
    }
    error = exchange_.agree(filled.result());
  }
  if (error != hipSuccess) static_cast<void>(give_up(placed));
  return error;
}

inline hipError_t Communicator::give_up(const std::vector<Known>& known) {
  FirstError result;
  for (const Known& buffer : known) {
    result.note(exchange_.give_up(buffer.shared));
    if (buffer.slot >= 0) table_.give_back(buffer.slot);
  }
  return result.result();
}

inline hipError_t Communicator::register_buffers(std::span<const BufferRange> own) {
  std::vector<int> slots(own.size());
  for (int& slot : slots) slot = table_.take();
  std::vector<Known> placed;
  const hipError_t error = place({own.begin(), own.end()}, slots, placed);
  if (error != hipSuccess) return error;
  registered_.insert(registered_.end(), placed.begin(), placed.end());
  return hipSuccess;
}

// Agrees twice: that every rank knows the buffer, and that every rank has closed it.
inline hipError_t Communicator::deregister_buffer(const void* begin) {
  const auto known = std::find_if(registered_.begin(), registered_.end(),
                                  [&](const Known& k) { return k.begin == begin; });
  const bool is_known = known != registered_.end();
  const hipError_t error = exchange_.agree(is_known ? hipSuccess : hipErrorInvalidValue);
  if (error != hipSuccess) return error;
  const std::vector<Known> leaving{*known};
  registered_.erase(known);
  return exchange_.agree(give_up(leaving));
}

inline hipError_t Communicator::begin_capture() {
  if (in_capture_) return hipErrorInvalidValue;
  in_capture_ = true;
  captured_stream_.reset();
  return hipSuccess;
}

inline hipError_t Communicator::end_capture(int& capture) {
  in_capture_ = false;
  std::vector<BufferRange> ranges(pending_.size());
  std::vector<int> slots(pending_.size());
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    ranges[i] = pending_[i].range;
    slots[i] = pending_[i].slot;
  }
  pending_.clear();
  std::vector<Known> placed;
  const hipError_t error = place(ranges, slots, placed);
  if (error != hipSuccess) return error;
  capture = captures_made_++;
  captures_.push_back({capture, std::move(placed)});
  return hipSuccess;
}

inline hipError_t Communicator::release_capture(int capture) {
  const auto known = std::find_if(captures_.begin(), captures_.end(),
                                  [&](const Capture& c) { return c.id == capture; });
  const bool is_known = known != captures_.end();
  const hipError_t error = exchange_.agree(is_known ? hipSuccess : hipErrorInvalidValue);
  if (error != hipSuccess) return error;
  const std::vector<Known> leaving = std::move(known->buffers);
  captures_.erase(known);
  return exchange_.agree(give_up(leaving));
}

// Kernels of this rank write into peers' signals as well, so all must have ended everywhere before
// the first store, and all stores be done before the next call.
inline hipError_t Communicator::seed_epochs(std::uint32_t epoch) {
  if (const auto error = exchange_.agree(hipDeviceSynchronize()); error != hipSuccess) return error;
  const std::vector<std::uint32_t> words(sizeof(Signals) / sizeof epoch, epoch);
  return exchange_.agree(hipMemcpy(workspace_.own_signals().begin, words.data(), sizeof(Signals),
                                   hipMemcpyHostToDevice));
}

}  // namespace rankle::kernels
