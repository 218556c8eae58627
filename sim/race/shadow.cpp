// Mapping, clearing and overflow of the shadow cells.
#include "sim/race/shadow.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

namespace rankle::sim::race {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
// What a huge page of shadow stands for.
constexpr std::size_t kChunkBytes = kHugePage / sizeof(Cell) * kCellBytes;
// Kept from run to run: half a GiB of shadow, and as much of what did not fit.
constexpr std::size_t kTouchedChunksKept = (std::size_t{512} << 20) / kHugePage;
constexpr std::size_t kExtrasKept = (std::size_t{512} << 20) / sizeof(CellExtra);

void reserve(std::uintptr_t address, std::size_t bytes) {
  void* const wanted = reinterpret_cast<void*>(address);
  void* const got = mmap(wanted, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got != wanted) {
    throw std::runtime_error(
        fmt::format("cannot map {} bytes at {:#x} for the race detector", bytes, address));
  }
}

}  // namespace

void StampList::add_large(const Stamp& stamp) {
  if (index_.size() < 2 * (items.size() + 1)) rebuild();
  const std::size_t mask = index_.size() - 1;
  std::size_t at = (stamp.who * 0x9e3779b1U) & mask;
  while (index_[at] != 0 && items[index_[at] - 1].who != stamp.who) at = (at + 1) & mask;
  if (index_[at] != 0) {
    Stamp& latest = items[index_[at] - 1];
    if (latest.mask() == stamp.mask() && latest.is_write() == stamp.is_write()) {
      latest = stamp;
      return;
    }
  }
  items.push_back(stamp);
  index_[at] = static_cast<std::uint32_t>(items.size());
}

void StampList::rebuild() {
  std::size_t size = 256;
  while (size < 4 * (items.size() + 1)) size *= 2;
  index_.assign(size, 0);
  for (std::size_t i = 0; i < items.size(); ++i) {
    std::size_t at = (items[i].who * 0x9e3779b1U) & (size - 1);
    while (index_[at] != 0 && items[index_[at] - 1].who != items[i].who) at = (at + 1) & (size - 1);
    index_[at] = static_cast<std::uint32_t>(i + 1);
  }
}

Shadow& Shadow::instance() {
  static Shadow* const kept = new Shadow;
  return *kept;
}

Shadow::Shadow() {
  constexpr std::size_t kShadowBytes = (kShadowedSpan >> kCellShift) * sizeof(Cell);
  reserve(kShadowBase, kShadowBytes);
  // Only speed depends on it.
  madvise(reinterpret_cast<void*>(kShadowBase), kShadowBytes, MADV_HUGEPAGE);
  reserve(kTouchedBase, kShadowedSpan >> kPageShift);
}

void Shadow::begin_run() {
  ++run_;
  // Half of the ids at least for one run.
  const bool ids_run_out = next_block_ > kBlockIdMax / 2 || run_ == ~std::uint32_t{0};
  if (ids_run_out || touched_.size() > kTouchedChunksKept) clear_all();
  first_block_ = next_block_;
  if (extras_.size() > kExtrasKept) {
    extras_.clear();
  } else {
    for (std::size_t i = 0; i < extras_used_; ++i) extras_[i].clear();
  }
  extras_used_ = 0;
  extras_free_.clear();
}

void Shadow::clear_all() {
  for (const std::uintptr_t chunk : touched_) {
    madvise(&cell_of(chunk), kHugePage, MADV_DONTNEED);
    std::memset(&touched_flag(chunk), 0, kChunkBytes >> kPageShift);
  }
  touched_.clear();
  next_block_ = 1;
  run_ = 1;
}

void Shadow::remember(std::uintptr_t address) {
  const std::uintptr_t chunk = address & ~(kChunkBytes - 1);
  const std::uint8_t* const flags = &touched_flag(chunk);
  const bool is_new = std::all_of(flags, flags + (kChunkBytes >> kPageShift),
                                  [](std::uint8_t flag) { return flag == 0; });
  if (is_new) touched_.push_back(chunk);
  touched_flag(address) = 1;
}

void Shadow::remove_extra(Cell& cell) {
  CellExtra& extra = extra_of(cell);
  extra.clear();
  extras_free_.push_back(&extra);
  cell.slot[kSlots - 1] = {};
}

void Shadow::clear_cell(Cell& cell) {
  if (has_extra(cell)) remove_extra(cell);
  std::memset(static_cast<void*>(&cell), 0, sizeof cell);
}

void Shadow::reset(std::uintptr_t address, std::size_t bytes) {
  const std::uintptr_t end = (address + bytes + kCellBytes - 1) & ~(kCellBytes - 1);
  for (std::uintptr_t at = address & ~(kCellBytes - 1); at < end;) {
    const std::uintptr_t next = std::min(end, (at & ~(kPageBytes - 1)) + kPageBytes);
    if (touched_flag(at) != 0) {
      for (; at < next; at += kCellBytes) clear_cell(cell_of(at));
    }
    at = next;
  }
}

CellExtra& Shadow::add_extra(Cell& cell, std::uint32_t oldest) {
  CellExtra* extra = nullptr;
  if (!extras_free_.empty()) {
    extra = extras_free_.back();
    extras_free_.pop_back();
    if (extras_free_.size() > 2) __builtin_prefetch(extras_free_[extras_free_.size() - 3], 1);
  } else {
    if (extras_used_ == extras_.size()) extras_.emplace_back();
    extra = &extras_[extras_used_++];
  }
  Stamp& last = cell.slot[kSlots - 1];
  if (last.who != kExtraMark && block_of(last.who) >= oldest) {
    extra->more[0] = last;
    extra->used = 1;
  }
  extra->owner = oldest;
  last = {kExtraMark, run_, reinterpret_cast<Clock>(extra)};
  return *extra;
}

}  // namespace rankle::sim::race
