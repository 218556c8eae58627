// Cells with many readers: joining a group of reads, and comparing an access with whole groups.
#include <algorithm>
#include <bit>

#include "sim/race/detector.h"

namespace rankle::sim::race {
namespace {

template <typename Use>
void for_each(const ThreadSet& threads, const Use& use) {
  for (std::size_t word = 0; word < threads.words.size(); ++word) {
    for (std::uint64_t left = threads.words[word]; left != 0; left &= left - 1) {
      use(static_cast<std::uint32_t>(word * 64) +
          static_cast<std::uint32_t>(std::countr_zero(left)));
    }
  }
}

}  // namespace

// The common case of a cell with many readers: a thread of a block, one of whose threads has read
// it in the same epoch, at the same site and with the same knowledge. What the knowledge of a block
// says does not change within a phase, and what it does not cover at the start is never covered.
bool RaceDetector::join_settled(const Probe& probe, ReadGroups& reads) {
  if (probe.thread.own.exact) return false;
  ReadGroup* const group = reads.find(probe.stamp);
  if (group == nullptr || group->settled_at != reads.changes) return false;
  const std::uint32_t thread = thread_of(probe.stamp.who);
  if (!group->is_only) {  // the thread's own earlier reads at other sites
    const std::uint32_t block = group->block;
    std::vector<ReadGroup>& groups = reads.all();
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const unsigned common = groups[i].mask() & probe.stamp.mask();
      if (groups[i].block != block || common == 0 || !groups[i].threads.has(thread)) continue;
      reads.drop(i, thread, common);
    }
    reads.need(probe.stamp).threads.add(thread);
    return true;
  }
  group->threads.add(thread);
  return true;
}

void RaceDetector::join_readers(const Probe& probe, const Cell& cell, CellExtra& extra) {
  ReadGroups& reads = extra.lists->reads;
  ReadGroup& group = reads.need(probe.stamp);
  group.threads.add(thread_of(probe.stamp.who));
  group.settled_at = is_settled(probe, cell, extra) ? reads.changes : 0;
}

// Whether all that a plain read is checked against is ordered before the present phase of the
// thread's block, and so before every thread in it.
bool RaceDetector::is_settled(const Probe& probe, const Cell& cell, const CellExtra& extra) const {
  if (probe.thread.own.exact) return false;
  const Block& block = *probe.thread.block;
  const auto is_behind = [&](const Stamp& old) {
    if (!is_live(probe, old) || (old.mask() & probe.stamp.mask()) == 0) return true;
    // Also an atomic load: the thread's own would be forgotten now.
    if (block_of(old.who) == block.id) return phase_of(old.clock) < block.phase;
    return !old.is_write() || is_ordered(probe.thread, old);
  };
  const CellLists& lists = *extra.lists;
  return std::all_of(cell.slot, cell.slot + kSlots - 1, is_behind) &&
         std::all_of(extra.more, extra.more + extra.used, is_behind) &&
         std::all_of(lists.writes.items.begin(), lists.writes.items.end(), is_behind) &&
         std::all_of(lists.atomic.items.begin(), lists.atomic.items.end(), is_behind);
}

// From here on all plain reads of the cell are in groups.
void RaceDetector::group_reads(const Probe& probe, Cell& cell, CellExtra& extra) {
  ReadGroups& reads = extra.need_lists().reads;
  const auto move = [&](std::span<Stamp> stamps) {
    for (Stamp& stamp : stamps) {
      if (!is_live(probe, stamp) || stamp.is_write()) continue;
      reads.need(stamp).threads.add(thread_of(stamp.who));
      stamp = {};
    }
  };
  move({cell.slot, kSlots - 1});
  move({extra.more, extra.used});
  move(extra.lists->few_reads.items);
  extra.lists->few_reads.clear();
  while (extra.used > 0 && !is_live(probe, extra.more[extra.used - 1])) --extra.used;
  extra.groups_reads = true;
}

// Whether each read of the group is ordered before what the thread does now, by the block's phase
// or launch.
bool RaceDetector::is_ordered(const Thread& thread, const ReadGroup& group) const {
  if (group.block == thread.block->id) return phase_of(group.clock) < thread.block->phase;
  const Knowledge& known = *exact_of(thread);
  return known.completed(blocks_[group.block]) ||
         phase_of(group.clock) < known.phase_known(group.block);
}

// The threads of a group that is not ordered as a whole whose reads are ordered all the same.
ThreadSet RaceDetector::ordered_threads(const Thread& thread, const ReadGroup& group) const {
  ThreadSet ordered;
  const auto add = [&](std::uint32_t index) {
    if (group.threads.has(index)) ordered.add(index);
  };
  const bool is_own_block = group.block == thread.block->id;
  if (is_own_block) add(thread_of(thread.who));
  if (is_own_block && !thread.own.exact) return ordered;
  for (const SparseItem& item : exact_of(thread)->known_of(group.block)) {
    if ((group.clock | kWriteBit) <= item.clock) add(thread_of(item.who));
  }
  return ordered;
}

// What check_stamp does, for groups. Any access but a read that joins a group in the same epoch
// comes here, if there are groups.
void RaceDetector::check_readers(const Probe& probe, ReadGroups& reads) {
  const bool writes = probe.stamp.is_write();
  if (reads.empty()) return;
  // Of many groups a read looks at its own block's only.
  std::vector<ReadGroup>& groups = reads.all();
  const bool at_all =
      writes || groups.size() <= options_.stamps_exact || groups.size() >= reads.clean_at;
  if (!at_all && reads.is_only(probe.stamp) && !probe.thread.own.exact) return;
  const std::uint32_t own = probe.thread.block->id;
  bool dropped = false;
  const std::size_t count = groups.size();  // groups that are split off now need no check
  for (std::size_t i = 0; i < count; ++i) {
    if (!at_all && groups[i].block != own) continue;
    const unsigned common = groups[i].mask() & probe.stamp.mask();
    if (common == 0) continue;
    if (is_ordered(probe.thread, groups[i])) {
      if (!probe.is_atomic) groups[i].site_mask &= ~common;
      dropped = true;
    } else {
      dropped |= check_group(probe, reads, i, common);
    }
  }
  if (dropped) reads.erase_empty(own);
  if (at_all) reads.clean_at = std::max(ReadGroups::kCleanMin, 2 * groups.size());
}

// Thread by thread. True if any read was dropped.
bool RaceDetector::check_group(const Probe& probe, ReadGroups& reads, std::size_t index,
                               unsigned common) {
  const ReadGroup group = reads.all()[index];
  const ThreadSet ordered = ordered_threads(probe.thread, group);
  if (probe.stamp.is_write()) {
    for_each(group.threads, [&](std::uint32_t thread) {
      if (!ordered.has(thread)) conflict(probe, group.stamp_of(thread), false);
    });
  }
  if (probe.is_atomic || ordered.empty()) return false;
  for_each(ordered, [&](std::uint32_t thread) { reads.drop(index, thread, common); });
  return true;
}

}  // namespace rankle::sim::race
