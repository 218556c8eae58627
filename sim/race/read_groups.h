// Plain reads of one cell by many threads: a counter or a table of pointers that every thread of
// every block looks at. Reads of one block with the same clock, site and bytes are one record with
// a bit for each thread, so that one more reader is one more bit and a write is compared with whole
// blocks first.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/race/epoch.h"
#include "sim/race/stamp.h"

namespace rankle::sim::race {

// Some threads of one block.
struct ThreadSet {
  std::array<std::uint64_t, kThreadsPerBlockMax / 64> words{};

  void add(std::uint32_t thread) { words[thread / 64] |= std::uint64_t{1} << (thread % 64); }
  void remove(std::uint32_t thread) { words[thread / 64] &= ~(std::uint64_t{1} << (thread % 64)); }
  bool has(std::uint32_t thread) const { return (words[thread / 64] >> (thread % 64) & 1) != 0; }
  bool empty() const {
    std::uint64_t any = 0;
    for (const std::uint64_t word : words) any |= word;
    return any == 0;
  }
};

struct ReadGroup {
  std::uint32_t block = 0;
  std::uint32_t site_mask = 0;  // as in a Stamp
  Clock clock = 0;
  // ReadGroups::changes at the last check that came out the same for every thread of the block that
  // knows what the block knows; 0: none.
  std::uint64_t settled_at = 0;
  bool is_only = true;  // of its block
  ThreadSet threads;

  unsigned mask() const { return mask_of(site_mask); }
  Stamp stamp_of(std::uint32_t thread) const { return {who_of(block, thread), site_mask, clock}; }
};

class ReadGroups {
 public:
  static constexpr std::size_t kCleanMin = 32;

  bool empty() const { return groups_.empty(); }
  std::vector<ReadGroup>& all() { return groups_; }

  // The group that such a read belongs to; nullptr if there is none.
  ReadGroup* find(const Stamp& read);
  // The same; made if there is none. Other references to groups are invalid then.
  ReadGroup& need(const Stamp& read);
  // The block's latest group of that site starts over if it is of an earlier phase: a barrier
  // orders all of its reads before this one.
  void renew(const Stamp& read);
  // Whether the read's group is known to be the only one of its block.
  bool is_only(const Stamp& read);
  // Forgets the bytes of one thread's read; bytes that are left move to another group.
  void drop(std::size_t index, std::uint32_t thread, unsigned bytes);
  // Erases groups without bytes and those without threads, but of the latter not the groups of
  // `block`: its threads may each read at one site and then at the next, and the next thread comes
  // back to the first site's group.
  void erase_empty(std::uint32_t block);
  void clear() { groups_.clear(); }

  std::uint64_t changes = 1;         // to what reads of the cell are checked against
  std::size_t clean_at = kCleanMin;  // number of groups at which to look at all for what can go

 private:
  static constexpr std::size_t kHints = 128;

  std::uint8_t& hint_of(const Stamp& read) {
    return hints_[(block_of(read.who) * 5 + read.site()) % kHints];
  }

  std::vector<ReadGroup> groups_;
  std::array<std::uint8_t, kHints> hints_{};  // where the group of a block and site was last
};

}  // namespace rankle::sim::race
