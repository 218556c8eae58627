// A rank group of fibers: one table, and a barrier on either side of reading it.
#include "harness/runner/rank_group.h"

#include <algorithm>
#include <cassert>

#include "harness/runner/device_hooks.h"

namespace rankle {

bool FiberRankGroup::barrier() { return device_hooks::host_barrier(); }

bool FiberRankGroup::all_gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  assert(all.size() == mine.size() * std::size_t(world()));
  // The first rank to come sizes the table; all ask for the same.
  board_.bytes_.resize(all.size());
  std::copy(mine.begin(), mine.end(), board_.bytes_.begin() + std::ptrdiff_t(mine.size()) * rank_);
  if (!barrier()) return false;
  std::copy(board_.bytes_.begin(), board_.bytes_.end(), all.begin());
  return barrier();  // nobody resizes the table while another still reads
}

bool FiberRankGroup::broadcast(int root, std::span<std::byte> data) {
  if (rank_ == root) board_.bytes_.assign(data.begin(), data.end());
  if (!barrier()) return false;
  if (rank_ != root) std::copy(board_.bytes_.begin(), board_.bytes_.end(), data.begin());
  return barrier();
}

}  // namespace rankle
