// Which writes a load misses, and putting older values into memory for one instruction.
#include "sim/weak_memory.h"

#include <algorithm>
#include <cstring>

#include "sim/hot.h"
#include "sim/layout.h"
#include "sim/race_feed.h"

namespace rankle::sim {
namespace {

constexpr std::size_t kWritesKept = 4;  // of a cell
constexpr std::size_t kReadersKept = 16;
constexpr int kMissesMax = 64;  // of one write: a thread that waits for it gets to see it

constexpr std::uintptr_t cell_of(std::uintptr_t address) {
  return address & ~(race::kCellBytes - 1);
}

}  // namespace

WeakMemory g_weak;

void WeakMemory::begin_run(std::uint64_t seed) {
  random_ = Random(Random::mixed(seed ^ 0x7765616b));
  cells_.clear();
}

// Forgets what an earlier block left in its shared memory.
void WeakMemory::keep_own_block(const race::Thread& thread, std::uintptr_t cell,
                                std::vector<Write>& writes) {
  if (cell < race::kSharedBase) return;
  std::erase_if(
      writes, [&](const Write& write) { return race::block_of(write.by.who) != thread.block->id; });
}

void WeakMemory::before_write(const race::Thread& thread, std::uintptr_t address,
                              std::size_t bytes) {
  const std::uintptr_t cell = cell_of(address);
  const std::size_t first = address - cell;
  if (first + bytes > race::kCellBytes) return forget(address, bytes);
  std::vector<Write>& writes = cells_[cell];
  keep_own_block(thread, cell, writes);
  if (writes.size() == kWritesKept) writes.erase(writes.begin());
  Write& write = writes.emplace_back();
  write.by = {thread.who,
              race::site_mask_of(0, race::byte_mask(static_cast<unsigned>(first), bytes)),
              race::clock_now(thread) | race::kWriteBit};
  std::memcpy(write.before.data() + first, reinterpret_cast<const void*>(address), bytes);
}

bool WeakMemory::must_see(const race::Thread& thread, const Write& write) {
  if (write.missed >= kMissesMax || write.seen_by.size() >= kReadersKept) return true;
  if (g_races->happens_before(write.by, thread)) return true;
  return std::any_of(write.seen_by.begin(), write.seen_by.end(), [&](const race::Stamp& reader) {
    return g_races->happens_before(reader, thread);
  });
}

void WeakMemory::note_seen(const race::Thread& thread, Write& write) {
  if (must_see(thread, write)) return;
  write.seen_by.push_back({thread.who, write.by.site_mask, race::clock_now(thread)});
}

bool WeakMemory::choose(const race::Thread& thread, std::uintptr_t address, std::size_t bytes,
                        bool is_atomic, Bytes& value) {
  const std::uintptr_t cell = cell_of(address);
  const std::size_t first = address - cell;
  if (first + bytes > race::kCellBytes) return false;
  const auto found = cells_.find(cell);
  if (found == cells_.end()) return false;
  std::vector<Write>& writes = found->second;
  keep_own_block(thread, cell, writes);
  const unsigned mask = race::byte_mask(static_cast<unsigned>(first), bytes);
  std::vector<Write*> missed;
  Write* seen = nullptr;
  for (auto write = writes.rbegin(); write != writes.rend(); ++write) {
    if ((write->by.mask() & mask) == 0) continue;
    if (must_see(thread, *write) || random_.below(2) == 0) {
      seen = &*write;
      break;
    }
    missed.push_back(&*write);
  }
  // An atomic load that is given the value of `seen` would synchronise with it, of which the race
  // detector hears nothing: so that write must be known already. Before all writes that are known
  // of there may have been others, if some were dropped.
  const bool knows_it =
      seen == nullptr ? writes.size() < kWritesKept : g_races->happens_before(seen->by, thread);
  const bool may_miss = !is_atomic || knows_it;
  if (missed.empty() || !may_miss) {
    for (Write& write : writes) {
      if ((write.by.mask() & mask) != 0) note_seen(thread, write);
    }
    return false;
  }
  if (seen != nullptr) note_seen(thread, *seen);
  std::memcpy(value.data(), reinterpret_cast<const void*>(address), bytes);
  for (Write* write : missed) {
    ++write->missed;
    for (std::size_t i = 0; i < bytes; ++i) {
      if ((write->by.mask() >> (first + i) & 1) != 0) value[i] = write->before[first + i];
    }
  }
  return true;
}

bool WeakMemory::before_load(const race::Thread& thread, std::uintptr_t address, std::size_t bytes,
                             bool is_atomic) {
  Bytes older;
  if (!choose(thread, address, bytes, is_atomic, older)) return false;
  void* const place = reinterpret_cast<void*>(address);
  std::memcpy(latest_.data(), place, bytes);
  std::memcpy(place, older.data(), bytes);
  placed_at_ = address;
  placed_bytes_ = bytes;
  g_hot.has_older_value = true;
  return true;
}

void WeakMemory::restore() {
  std::memcpy(reinterpret_cast<void*>(placed_at_), latest_.data(), placed_bytes_);
  g_hot.has_older_value = false;
}

std::optional<std::uint64_t> WeakMemory::older_value(const race::Thread& thread,
                                                     std::uintptr_t address, std::size_t bytes) {
  Bytes older;
  if (!choose(thread, address, bytes, true, older)) return std::nullopt;
  std::uint64_t value = 0;
  std::memcpy(&value, older.data(), bytes);
  return value;
}

void WeakMemory::forget(std::uintptr_t address, std::size_t bytes) {
  if (cells_.empty()) return;
  for (std::uintptr_t cell = cell_of(address); cell < address + bytes; cell += race::kCellBytes) {
    cells_.erase(cell);
  }
}

}  // namespace rankle::sim
