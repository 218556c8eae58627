// Shadow memory: 64 bytes for each 16 bytes of simulated memory, found by arithmetic, in a mapping
// of its own. A cell holds up to four stamps of plain accesses; a cell that needs more, or that is
// accessed atomically, has a CellExtra, named by its last slot.
//
// Nothing is cleared between runs: block ids and run numbers run on, which makes stamps of earlier
// runs recognisable. Nor is shared memory between the blocks that have it in turn: only stamps of
// the present block count there. Freed ranges are cleared, by touched page.
//
// In huge pages, because threads step through memory by whole grids: with small pages nearly each
// access would miss the TLB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "sim/layout.h"
#include "sim/race/epoch.h"
#include "sim/race/read_groups.h"
#include "sim/race/stamp.h"
#include "sim/race/sync_record.h"

namespace rankle::sim::race {

// What has shadow: the memory of devices, pinned host memory and shared memory of blocks.
inline constexpr std::uintptr_t kShadowedSpan = std::uintptr_t{kSharedRegion + 1} << kRegionShift;

inline constexpr std::uintptr_t kSharedBase =
    kBase + (std::uintptr_t{kSharedRegion} << kRegionShift);

inline constexpr int kSlots = 4;
inline constexpr Who kExtraMark = ~Who{0};  // in the last slot: `clock` is the CellExtra's address

struct alignas(64) Cell {
  Stamp slot[kSlots];
};

// A list of stamps that may grow to one for each thread of a block.
class StampList {
 public:
  std::vector<Stamp> items;

  // Adds a stamp to a long list: in place of the thread's latest one if that has the same bytes
  // and kind. `index` of the latest stamp of each thread is kept by open addressing.
  void add_large(const Stamp& stamp);
  void clear() {
    items.clear();
    index_.clear();
  }
  // After items were removed.
  void forget_index() { index_.clear(); }
  std::size_t clean_at = 128;  // size at which to look for what can be dropped

 private:
  void rebuild();
  std::vector<std::uint32_t> index_;  // position + 1; 0: free
};

// Flags, and stamps without end.
struct CellLists {
  StampList few_reads;  // of bytes that few threads read each: a pack that threads take to pieces
  ReadGroups reads;
  StampList writes;
  StampList atomic;                 // loads, stores and read-modify-writes
  std::vector<SyncRecord> records;  // flags of this cell: disjoint byte masks

  void clear() {
    few_reads.clear();
    reads.clear();
    writes.clear();
    atomic.clear();
    records.clear();
  }
};

// What does not fit into a cell: first some more stamps beside each other (data that is read by
// every rank, or written in pieces), then lists.
struct alignas(64) CellExtra {
  static constexpr int kMore = 15;

  std::unique_ptr<CellLists> lists;  // kept when the extra is used again
  std::uint32_t owner = 0;           // block whose shared memory this is; else the run's first
  std::uint16_t used = 0;            // of `more`; behind them all are empty
  bool uses_lists = false;
  bool groups_reads = false;  // all plain reads are in lists->reads
  Stamp more[kMore];

  CellLists& need_lists() {
    if (lists == nullptr) lists = std::make_unique<CellLists>();
    uses_lists = true;
    return *lists;
  }
  void clear() {
    for (int i = 0; i < used; ++i) more[i] = {};
    used = 0;
    if (uses_lists) lists->clear();
    uses_lists = groups_reads = false;
  }
};
static_assert(sizeof(CellExtra) == 256);

class Shadow {
 public:
  // Maps the shadow; once per process. Throws std::runtime_error if the address space is taken.
  static Shadow& instance();

  static Cell& cell_of(std::uintptr_t address) {
    return reinterpret_cast<Cell*>(kShadowBase)[(address - kBase) >> kCellShift];
  }

  void begin_run();
  std::uint32_t run() const { return run_; }
  // First block id of the present run; stamps with smaller ids are empty.
  std::uint32_t first_block() const { return first_block_; }
  void end_run(std::uint32_t next_block) { next_block_ = next_block; }

  void touch(std::uintptr_t address) {
    std::uint8_t& touched = touched_flag(address);
    if (touched == 0) remember(address);
  }
  // Forgets all accesses to a range.
  void reset(std::uintptr_t address, std::size_t bytes);

  bool has_extra(const Cell& cell) const {
    return cell.slot[kSlots - 1].who == kExtraMark && cell.slot[kSlots - 1].site_mask == run_;
  }
  static CellExtra& extra_of(const Cell& cell) {
    return *reinterpret_cast<CellExtra*>(cell.slot[kSlots - 1].clock);
  }
  // Asks for what a cell that has been asked for already, and is here by now, leads to.
  void prefetch_extra(std::uintptr_t address) const {
    if (address - kBase >= kShadowedSpan) return;
    const Stamp& last = cell_of(address).slot[kSlots - 1];
    if (last.who == kExtraMark) __builtin_prefetch(reinterpret_cast<const void*>(last.clock), 1);
  }
  // Makes the extra of a cell that has none; the last slot's stamp moves into it if it is of block
  // `oldest` or a later one.
  CellExtra& add_extra(Cell& cell, std::uint32_t oldest);
  // Takes it back.
  void remove_extra(Cell& cell);

 private:
  static constexpr std::uintptr_t kShadowBase = 0x400000000000;
  static constexpr std::uintptr_t kTouchedBase = 0x480000000000;

  Shadow();
  static std::uint8_t& touched_flag(std::uintptr_t address) {
    return reinterpret_cast<std::uint8_t*>(kTouchedBase)[(address - kBase) >> kPageShift];
  }
  __attribute__((noinline, cold)) void remember(std::uintptr_t address);
  void clear_cell(Cell& cell);
  void clear_all();

  std::uint32_t run_ = 0;
  std::uint32_t first_block_ = 1;
  std::uint32_t next_block_ = 1;
  std::deque<CellExtra> extras_;  // the first `extras_used_` have been given out
  std::size_t extras_used_ = 0;
  std::vector<CellExtra*> extras_free_;
  std::vector<std::uintptr_t> touched_;  // chunks whose shadow is one huge page
};

}  // namespace rankle::sim::race
