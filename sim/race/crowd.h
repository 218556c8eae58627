// Reads of one cell by many threads: a table of pointers that every thread of a grid looks at.
// Reads with the same block, clock, bytes and site are one group with a bit for each thread, so
// that one more reader costs a bit, and a write looks at whole groups first.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/race/epoch.h"

namespace rankle::sim::race {

struct ReadGroup {
  std::uint32_t block = 0;
  std::uint32_t site_mask = 0;  // as in a Stamp
  Clock clock = 0;
  std::array<std::uint64_t, kThreadsPerBlockMax / 64> threads{};

  unsigned mask() const { return site_mask & 0xff; }
  bool is_empty() const {
    std::uint64_t any = 0;
    for (const std::uint64_t word : threads) any |= word;
    return any == 0 || mask() == 0;
  }
};

class Crowd {
 public:
  bool empty() const { return groups_.empty(); }
  std::vector<ReadGroup>& groups() { return groups_; }

  // Adds a read of a thread. `phase` is the present one of its block: an earlier read of the same
  // block, bytes and site lies behind a barrier then, and makes room.
  void add(Who who, std::uint32_t site_mask, Clock clock, std::uint32_t phase) {
    const std::uint32_t block = block_of(who);
    std::uint16_t& hint = hints_[block % kHints];
    ReadGroup* group = hint < groups_.size() ? &groups_[hint] : nullptr;
    if (group == nullptr || !fits(*group, block, site_mask, clock, phase)) {
      group = find(block, site_mask, clock, phase);
      hint = static_cast<std::uint16_t>(group - groups_.data());
    }
    if (group->clock != clock) {
      group->clock = clock;
      group->threads = {};
    }
    const std::uint32_t thread = thread_of(who);
    group->threads[thread / 64] |= std::uint64_t{1} << (thread % 64);
  }

  // After groups were emptied.
  void drop_empty() {
    std::erase_if(groups_, [](const ReadGroup& group) { return group.is_empty(); });
  }
  void clear() { groups_.clear(); }

 private:
  static constexpr std::size_t kHints = 64;

  static bool fits(const ReadGroup& group, std::uint32_t block, std::uint32_t site_mask,
                   Clock clock, std::uint32_t phase) {
    return group.block == block && group.site_mask == site_mask &&
           (group.clock == clock || phase_of(group.clock) < phase);
  }

  ReadGroup* find(std::uint32_t block, std::uint32_t site_mask, Clock clock, std::uint32_t phase) {
    for (ReadGroup& group : groups_) {
      if (fits(group, block, site_mask, clock, phase)) return &group;
    }
    groups_.push_back({block, site_mask, clock, {}});
    return &groups_.back();
  }

  std::vector<ReadGroup> groups_;
  std::array<std::uint16_t, kHints> hints_{};  // where a block's group was last
};

}  // namespace rankle::sim::race
