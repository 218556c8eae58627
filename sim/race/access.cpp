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
    const unsigned first = address & (kCellBytes - 1);
    const std::size_t length = std::min<std::size_t>(kCellBytes - first, end - address);
    access_cell<kWrite>(thread, address - first, byte_mask(first, length), site, clock);
    address += length;
  }
  if (!found_.empty()) deliver();
}

template void RaceDetector::access_long<false>(Thread&, std::uintptr_t, std::size_t,
                                               std::uintptr_t);
template void RaceDetector::access_long<true>(Thread&, std::uintptr_t, std::size_t, std::uintptr_t);

void RaceDetector::access_extra(const Probe& probe, Cell& cell) {
  CellExtra& extra =
      shadow_.has_extra(cell) ? shadow_.extra_of(cell) : shadow_.add_extra(cell, probe.oldest);
  if (extra.owner != probe.oldest) {  // shared memory that was another block's
    extra.clear();
    extra.owner = probe.oldest;
  }
  const bool only_reads = !probe.stamp.is_write();
  const bool joins = extra.groups_reads && only_reads && !probe.is_atomic;
  if (joins) {
    if (join_settled(probe, extra.lists->reads)) return;
    extra.lists->reads.renew(probe.stamp);
  } else if (extra.uses_lists) {
    ++extra.lists->reads.changes;
  }
  // A cell that has just got its extra because it was full has been checked already, but twice does
  // no harm: what is ordered has been dropped.
  Stamp* const free = check_stamps(probe, {cell.slot, kSlots - 1});
  Stamp* free_more = check_stamps(probe, {extra.more, extra.used});
  while (extra.used > 0 && !is_live(probe, extra.more[extra.used - 1])) --extra.used;
  if (extra.uses_lists || probe.is_atomic) {
    check_lists(probe, extra.need_lists());
    if (probe.is_atomic) return add_to_list(probe, extra.lists->atomic);
  }
  if (joins) return join_readers(probe, cell, extra);
  if (!only_reads && !extra.uses_lists && extra.used == 0 && is_empty(probe, cell)) {
    shadow_.remove_extra(cell);  // new data, whose readers may be fewer
    cell.slot[0] = probe.stamp;
    return;
  }
  if (free != nullptr) {
    *free = probe.stamp;
    return;
  }
  if (only_reads && overlapping_reads(probe, cell, extra) >= options_.reads_before_groups) {
    group_reads(probe, cell, extra);
    return join_readers(probe, cell, extra);
  }
  if (free_more == nullptr && extra.used < CellExtra::kMore) free_more = &extra.more[extra.used];
  if (free_more != nullptr) {
    const auto used = static_cast<std::uint16_t>(free_more - extra.more + 1);
    extra.used = std::max(extra.used, used);
    *free_more = probe.stamp;
  } else if (only_reads) {
    extra.need_lists().few_reads.items.push_back(probe.stamp);
  } else {
    add_to_list(probe, extra.need_lists().writes);
  }
}

// Whether the cell's own slots are empty.
bool RaceDetector::is_empty(const Probe& probe, const Cell& cell) {
  return std::none_of(cell.slot, cell.slot + kSlots - 1,
                      [&](const Stamp& stamp) { return is_live(probe, stamp); });
}

// How many reads outside of groups share bytes with this one.
std::size_t RaceDetector::overlapping_reads(const Probe& probe, const Cell& cell,
                                            const CellExtra& extra) {
  const auto overlaps = [&](const Stamp& old) {
    return is_live(probe, old) && !old.is_write() && (old.mask() & probe.stamp.mask()) != 0;
  };
  auto count = std::count_if(cell.slot, cell.slot + kSlots - 1, overlaps) +
               std::count_if(extra.more, extra.more + extra.used, overlaps);
  if (extra.uses_lists) {
    const std::vector<Stamp>& few = extra.lists->few_reads.items;
    count += std::count_if(few.begin(), few.end(), overlaps);
  }
  return static_cast<std::size_t>(count);
}

// Returns one that is free afterwards, if any.
Stamp* RaceDetector::check_stamps(const Probe& probe, std::span<Stamp> stamps) {
  Stamp* free = nullptr;
  for (Stamp& stamp : stamps) {
    if (is_live(probe, stamp)) check_stamp(probe, stamp, false);
    if (free == nullptr && !is_live(probe, stamp)) free = &stamp;
  }
  return free;
}

void RaceDetector::check_lists(const Probe& probe, CellLists& lists) {
  const bool only_reads = !probe.stamp.is_write();
  check_list(probe, lists.writes, false);
  if (!only_reads || !probe.is_atomic) {
    check_list(probe, lists.few_reads, false);
    check_readers(probe, lists.reads);
  }
  if (!probe.is_atomic || !is_large(lists.atomic)) check_list(probe, lists.atomic, true);
  if (only_reads || probe.is_atomic || lists.records.empty()) return;
  // The value comes from no atomic store any more.
  for (SyncRecord& record : lists.records) record.mask &= ~probe.stamp.mask();
  std::erase_if(lists.records, [](const SyncRecord& record) { return record.mask == 0; });
}

void RaceDetector::check_list(const Probe& probe, StampList& list, bool are_atomic) {
  if (list.items.empty()) return;
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
  if (!is_large(list)) {
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
    if ((!old.is_write() || latest.is_write()) && is_ordered(thread, old)) old.drop(latest.mask());
  }
  std::erase_if(list.items, [](const Stamp& stamp) { return stamp.who == 0; });
  list.forget_index();
  list.clean_at = std::max<std::size_t>(128, 2 * list.items.size());
}

}  // namespace rankle::sim::race
