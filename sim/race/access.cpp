// Accesses off the fast path: long ranges, cells with more stamps than slots, and cells that hold
// flags.
#include <algorithm>

#include "sim/race/detector.h"

namespace rankle::sim::race {

template <bool kWrite>
void RaceDetector::access_long(Thread& thread, std::uintptr_t address, std::size_t bytes,
                               std::uintptr_t pc) {
  const SiteId site = sites_.intern(pc);
  const Clock clock = clock_now(thread);
  const std::uintptr_t end = address + bytes;
  while (address < end) {
    const unsigned first = address & 7;
    const auto length = static_cast<unsigned>(std::min<std::size_t>(8 - first, end - address));
    access_cell<kWrite>(thread, address - first, ((1U << length) - 1) << first, site, clock);
    address += length;
  }
  if (!found_.empty()) deliver();
}

template void RaceDetector::access_long<false>(Thread&, std::uintptr_t, std::size_t,
                                               std::uintptr_t);
template void RaceDetector::access_long<true>(Thread&, std::uintptr_t, std::size_t, std::uintptr_t);

void RaceDetector::access_extra(const Probe& probe, Cell& cell) {
  const bool is_known = shadow_.has_extra(cell);
  CellExtra& extra = is_known ? shadow_.extra_of(cell) : shadow_.add_extra(cell);
  int free = -1;
  for (int i = 0; i < kSlots - 1; ++i) {
    Stamp& old = cell.slot[i];
    // A cell that has just got its extra because it was full has been checked already, but twice
    // does no harm: what is ordered has been dropped, and conflicts are taken once.
    if (is_live(old)) check_stamp(probe, old, false);
    if (!is_live(old)) free = i;
  }
  check_list(probe, extra.writes, false);
  const bool only_reads = !probe.stamp.is_write();
  if (!only_reads || !extra.reads.is_large()) check_list(probe, extra.reads, false);
  if (!probe.is_atomic || !extra.atomic.is_large()) check_list(probe, extra.atomic, true);
  if (probe.is_atomic) return add_to_list(probe, extra.atomic);
  if (!only_reads) {
    // The value comes from no atomic store any more.
    for (SyncRecord& record : extra.records) record.mask &= ~probe.stamp.mask();
    std::erase_if(extra.records, [](const SyncRecord& record) { return record.mask == 0; });
  }
  if (free >= 0) {
    cell.slot[free] = probe.stamp;
  } else {
    add_to_list(probe, only_reads ? extra.reads : extra.writes);
  }
}

void RaceDetector::check_list(const Probe& probe, StampList& list, bool are_atomic) {
  bool dropped = false;
  for (Stamp& old : list.items) {
    check_stamp(probe, old, are_atomic);
    dropped |= old.who == 0;
  }
  if (!dropped) return;
  std::erase_if(list.items, [](const Stamp& stamp) { return stamp.who == 0; });
  list.forget_index();
}

void RaceDetector::add_to_list(const Probe& probe, StampList& list) {
  if (!list.is_large()) {
    list.items.push_back(probe.stamp);
    return;
  }
  list.add_large(probe.stamp);
  if (list.items.size() >= list.clean_at) clean_list(probe.thread, list);
}

// Drops what the access that has just been added to a large list makes needless: it is the last
// one.
void RaceDetector::clean_list(const Thread& thread, StampList& list) {
  const Stamp latest = list.items.back();
  for (std::size_t i = 0; i + 1 < list.items.size(); ++i) {
    Stamp& old = list.items[i];
    if ((!old.is_write() || latest.is_write()) && is_ordered(thread, old)) {
      old.drop(latest.mask());
      if (old.mask() == 0) old.who = 0;
    }
  }
  std::erase_if(list.items, [](const Stamp& stamp) { return stamp.who == 0; });
  list.forget_index();
  list.clean_at = std::max(2 * kStampsExact, 2 * list.items.size());
}

}  // namespace rankle::sim::race
