// Accesses off the fast path: long ranges, cells with more stamps than slots, and cells that hold
// flags.
#include <algorithm>
#include <bit>

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
  CellExtra& extra = shadow_.has_extra(cell) ? shadow_.extra_of(cell) : shadow_.add_extra(cell);
  if (extra.uses_lists && !probe.is_atomic && !probe.stamp.is_write() &&
      is_large(extra.lists->reads)) {
    return join_crowd(probe, cell, extra);
  }
  // A cell that has just got its extra because it was full has been checked already, but twice does
  // no harm: what is ordered has been dropped.
  Stamp* free = nullptr;
  const auto check_some = [&](Stamp* stamps, int n) {
    for (int i = 0; i < n; ++i) {
      if (is_live(stamps[i])) check_stamp(probe, stamps[i], false);
      if (!is_live(stamps[i])) free = &stamps[i];
    }
  };
  check_some(extra.more, CellExtra::kMore);
  check_some(cell.slot, kSlots - 1);
  if (extra.uses_lists || probe.is_atomic) {
    check_lists(probe, extra.need_lists());
    if (probe.is_atomic) return add_to_list(probe, extra.lists->atomic);
  }
  if (free != nullptr) {
    *free = probe.stamp;
  } else {
    CellLists& lists = extra.need_lists();
    add_to_list(probe, probe.stamp.is_write() ? lists.writes : lists.reads);
  }
}

// One more reader among many. Reads that it makes needless stay until a write looks at them.
void RaceDetector::join_crowd(const Probe& probe, Cell& cell, CellExtra& extra) {
  const auto check_writes = [&](Stamp* stamps, int n) {
    for (int i = 0; i < n; ++i) {
      if (stamps[i].is_write() && is_live(stamps[i])) check_stamp(probe, stamps[i], false);
    }
  };
  check_writes(extra.more, CellExtra::kMore);
  check_writes(cell.slot, kSlots - 1);
  CellLists& lists = *extra.lists;
  check_list(probe, lists.writes, false);
  if (!is_large(lists.atomic)) check_list(probe, lists.atomic, true);
  lists.crowd.add(probe.stamp.who, probe.stamp.site_mask, probe.stamp.clock,
                  probe.thread.block->phase);
}

// Whether all of a group is ordered before a thread by a launch's end or a whole phase.
bool RaceDetector::is_ordered(const Thread& thread, const ReadGroup& group) const {
  const std::uint32_t phase = phase_of(group.clock);
  if (group.block == thread.block->id) return phase < thread.block->phase;
  const Knowledge& known = *exact_of(thread);
  return known.completed(blocks_[group.block]) || phase < known.phase_known(group.block);
}

// A write among many readers: those that are ordered before it are forgotten, the others race.
void RaceDetector::check_crowd(const Probe& probe, Crowd& crowd) {
  if (crowd.empty()) return;
  const std::size_t count = crowd.groups().size();
  for (std::size_t i = 0; i < count; ++i) {
    ReadGroup ordered = crowd.groups()[i];
    const unsigned common = ordered.mask() & probe.stamp.mask();
    if (common == 0) continue;
    const ReadGroup racing =
        is_ordered(probe.thread, ordered) ? ReadGroup{} : split_racing(probe, ordered);
    if (probe.is_atomic) continue;  // it forgets atomic accesses only
    // Bytes that the write leaves alone keep their readers.
    ordered.site_mask &= ~common;
    crowd.groups()[i] = racing;
    if (!ordered.is_empty()) crowd.groups().push_back(ordered);
  }
  crowd.drop_empty();
}

// Takes the readers that race out of a group, and reports them.
ReadGroup RaceDetector::split_racing(const Probe& probe, ReadGroup& group) {
  ReadGroup racing{group.block, group.site_mask, group.clock, {}};
  for (std::size_t word = 0; word < group.threads.size(); ++word) {
    for (std::uint64_t left = group.threads[word]; left != 0; left &= left - 1) {
      const auto thread = static_cast<std::uint32_t>(word * 64) +
                          static_cast<std::uint32_t>(std::countr_zero(left));
      const Stamp read{who_of(group.block, thread), group.site_mask, group.clock};
      if (is_ordered(probe.thread, read)) continue;
      racing.threads[word] |= left & (0 - left);
      conflict(probe, read, false);
    }
    group.threads[word] &= ~racing.threads[word];
  }
  return racing;
}

void RaceDetector::check_lists(const Probe& probe, CellLists& lists) {
  const bool only_reads = !probe.stamp.is_write();
  check_list(probe, lists.writes, false);
  if (!only_reads || !is_large(lists.reads)) check_list(probe, lists.reads, false);
  if (!only_reads) check_crowd(probe, lists.crowd);
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
    if ((!old.is_write() || latest.is_write()) && is_ordered(thread, old)) {
      old.drop(latest.mask());
      if (old.mask() == 0) old.who = 0;
    }
  }
  std::erase_if(list.items, [](const Stamp& stamp) { return stamp.who == 0; });
  list.forget_index();
  list.clean_at = std::max<std::size_t>(128, 2 * list.items.size());
}

}  // namespace rankle::sim::race
