// A rank group of one process: one table, and a barrier on either side of reading it.
#include "harness/runner/rank_group.h"

#include <algorithm>
#include <cassert>

#include "harness/runner/device_hooks.h"

namespace rankle {

bool LocalRankGroup::barrier() { return device_hooks::host_barrier(); }

bool LocalRankGroup::all_gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  assert(all.size() == mine.size() * std::size_t(world()));
  std::byte* table = nullptr;
  {
    // The first rank to come sizes the table; all ask for the same.
    const std::lock_guard lock(board_.mutex_);
    board_.bytes_.resize(all.size());
    table = board_.bytes_.data();
  }
  std::copy(mine.begin(), mine.end(), table + mine.size() * std::size_t(rank_));
  if (!barrier()) return false;
  std::copy(table, table + all.size(), all.begin());
  return barrier();  // nobody resizes the table while another still reads
}

bool LocalRankGroup::broadcast(int root, std::span<std::byte> data) {
  if (rank_ == root) board_.bytes_.assign(data.begin(), data.end());
  if (!barrier()) return false;
  if (rank_ != root) std::copy(board_.bytes_.begin(), board_.bytes_.end(), data.begin());
  return barrier();
}

}  // namespace rankle
