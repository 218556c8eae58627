// The table of peer pointers on this rank's device, and which of its entries are taken. Kernels
// hold addresses of entries, captured ones for ever, so an entry never moves; and an entry is
// written on its own, because kernels may be reading its neighbours.
#pragma once

#include <hip/hip_runtime.h>

#include <cstddef>
#include <vector>

#include "kernels/communicator/buffer_range.h"
#include "kernels/communicator/peer_pointers.h"

namespace rankle::kernels {

class SlotTable {
 public:
  hipError_t allocate(int slots) {
    taken_.assign(static_cast<std::size_t>(slots), false);
    return hipMalloc(&entries_, static_cast<std::size_t>(slots) * sizeof(PeerPointers));
  }

  hipError_t release() {
    const hipError_t error = entries_ == nullptr ? hipSuccess : hipFree(entries_);
    entries_ = nullptr;
    return error;
  }

  // The first free slot; -1 if there is none.
  int take() {
    for (std::size_t slot = 0; slot < taken_.size(); ++slot) {
      if (taken_[slot]) continue;
      taken_[slot] = true;
      return static_cast<int>(slot);
    }
    return -1;
  }

  void give_back(int slot) { taken_[static_cast<std::size_t>(slot)] = false; }

  // Fills an entry that no kernel reads yet.
  hipError_t fill(int slot, const PeerPointers& pointers) {
    return hipMemcpy(entries_ + slot, &pointers, sizeof pointers, hipMemcpyHostToDevice);
  }

  BufferRange memory() const { return {entries_, taken_.size() * sizeof(PeerPointers)}; }
  const PeerPointers* entry(int slot) const { return entries_ + slot; }

 private:
  PeerPointers* entries_ = nullptr;
  std::vector<bool> taken_;
};

}  // namespace rankle::kernels
