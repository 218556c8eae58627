// One remembered access: who, when, where in the code, and which bytes of a cell of shadow memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/race/epoch.h"

namespace rankle::sim::race {

// A cell stands for so many bytes of simulated memory: the widest access that a kernel makes.
inline constexpr int kCellShift = 4;
inline constexpr std::size_t kCellBytes = std::size_t{1} << kCellShift;

// Site and bytes of a cell in one word.
constexpr std::uint32_t site_mask_of(SiteId site, unsigned mask) { return site << 16 | mask; }
constexpr unsigned mask_of(std::uint32_t site_mask) { return site_mask & 0xffff; }
// Bytes [first, first + count) of a cell.
constexpr unsigned byte_mask(unsigned first, std::size_t count) {
  return ((1U << count) - 1) << first;
}

struct Stamp {
  Who who = 0;  // 0: empty
  std::uint32_t site_mask = 0;
  Clock clock = 0;  // lowest bit: a write

  unsigned mask() const { return mask_of(site_mask); }
  SiteId site() const { return site_mask >> 16; }
  bool is_write() const { return (clock & kWriteBit) != 0; }
  void drop(unsigned bytes) {
    site_mask &= ~bytes;
    if (mask() == 0) who = 0;
  }
};
static_assert(sizeof(Stamp) == 16);

}  // namespace rankle::sim::race
