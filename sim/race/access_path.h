// The inlined path of a plain access; included by sim/race/detector.h only. What most accesses meet
// is a cell with few stamps, each of the same thread, of an earlier phase of its block, or of a
// completed launch.
#pragma once

#include "sim/race/detector.h"

namespace rankle::sim::race {

__attribute__((always_inline)) inline bool RaceDetector::is_ordered(const Thread& thread,
                                                                    const Stamp& old) const {
  if (old.who == thread.who) return true;
  const std::uint32_t block = block_of(old.who);
  if (block == thread.block->id) {
    if (phase_of(old.clock) < thread.block->phase) return true;
    return thread.own.exact && (old.clock | kWriteBit) <= thread.own.exact->clock_known(old.who);
  }
  return exact_of(thread)->knows(blocks_[block], old.who, old.clock);
}

// `probe()` makes the probe for a conflict; a copy of one, if need be, since conflicts are rare.
template <typename MakeProbe>
__attribute__((always_inline)) inline void RaceDetector::check_stamp(const Thread& thread,
                                                                     unsigned mask, bool writes,
                                                                     bool is_atomic, Stamp& old,
                                                                     bool is_old_atomic,
                                                                     const MakeProbe& probe) {
  const unsigned common = old.mask() & mask;
  if (common == 0) return;
  if (!is_ordered(thread, old)) {
    const bool may_meet = is_old_atomic && is_atomic;
    if (__builtin_expect((writes || old.is_write()) && !may_meet, 0)) {
      conflict(probe(), old, is_old_atomic);
    }
  } else if ((writes || !old.is_write()) && (is_old_atomic || !is_atomic)) {
    old.drop(common);
  }
}

inline void RaceDetector::check_stamp(const Probe& probe, Stamp& old, bool is_old_atomic) {
  check_stamp(probe.thread, probe.stamp.mask(), probe.stamp.is_write(), probe.is_atomic, old,
              is_old_atomic, [&] { return probe; });
}

template <bool kWrite>
__attribute__((always_inline)) inline void RaceDetector::access_cell(Thread& thread,
                                                                     std::uintptr_t cell_address,
                                                                     unsigned mask, SiteId site,
                                                                     Clock clock) {
  Cell& cell = Shadow::cell_of(cell_address);
  const std::uint32_t oldest = oldest_at(thread, cell_address);
  const std::uint32_t site_mask = site_mask_of(site, mask);
  const Clock stamp_clock = clock | (kWrite ? kWriteBit : 0);
  // Made where it is needed only: in memory, it would cost every access its stores.
  const auto probe = [&]() __attribute__((always_inline)) {
    return Probe{thread, {thread.who, site_mask, stamp_clock}, cell_address, oldest, false};
  };
  if (__builtin_expect(cell.slot[kSlots - 1].who == kExtraMark, 0)) {
    if (shadow_.has_extra(cell)) return access_extra(probe(), cell);
    cell.slot[kSlots - 1] = {};  // of an earlier run
  }
  int free = -1;
  int used = 0;
  for (int i = 0; i < kSlots; ++i) {
    Stamp& old = cell.slot[i];
    if (block_of(old.who) >= oldest) {
      ++used;
      check_stamp(thread, mask, kWrite, false, old, false, probe);
    }
    if (block_of(old.who) < oldest) free = i;
  }
  if (__builtin_expect(free < 0, 0)) return access_extra(probe(), cell);
  if (used == 0) shadow_.touch(cell_address);
  // Field by field: one wide store would have to wait for the narrow ones that it is made of.
  Stamp& mine = cell.slot[free];
  mine.who = thread.who;
  mine.site_mask = site_mask;
  mine.clock = stamp_clock;
}

template <bool kWrite>
__attribute__((always_inline)) inline void RaceDetector::access(Thread& thread,
                                                                std::uintptr_t address,
                                                                std::size_t bytes,
                                                                std::uintptr_t pc) {
  if (address - kBase >= kShadowedSpan) return;
  const unsigned first = address & (kCellBytes - 1);
  if (__builtin_expect(first + bytes > kCellBytes, 0)) {
    return access_long<kWrite>(thread, address, bytes, pc);
  }
  const SiteId site = sites_.intern(pc);
  // Threads run one after another, each through its loop: the hardware foresees little of that.
  const std::uintptr_t step = sites_.step_to(pc, address);
  __builtin_prefetch(&Shadow::cell_of(address + 8 * step), 1);
  __builtin_prefetch(reinterpret_cast<const void*>(address + 8 * step));  // the data as well
  if (Shadow::cell_of(address).slot[kSlots - 1].who == kExtraMark) {
    shadow_.prefetch_extra(address + 2 * step);
  }
  access_cell<kWrite>(thread, address - first, byte_mask(first, bytes), site, clock_now(thread));
  if (__builtin_expect(!found_.empty(), 0)) deliver();
}

}  // namespace rankle::sim::race
