// Mapping exported memory a second time, and telling what is wrong with an access through it.
// Only exported allocations pay for it: their pages change to shared ones at the first opening.
#include "sim/windows.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "sim/engine.h"

namespace rankle::sim {
namespace {

std::size_t pages_of(std::size_t bytes) { return (bytes + kPageBytes - 1) >> kPageShift; }

void* pointer_to(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

// Fresh pages over a range that is already ours.
void remap(std::uintptr_t address, std::size_t bytes, int sharing) {
  void* const got = mmap(pointer_to(address), bytes, PROT_READ | PROT_WRITE,
                         sharing | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (got == MAP_FAILED) {
    throw std::runtime_error(fmt::format("cannot map {} bytes at {:#x} again", bytes, address));
  }
}

}  // namespace

Windows& windows() {
  static Windows instance;
  return instance;
}

// Ordinary device memory is private to the process, which is cheapest; what is exported changes to
// pages that a second mapping can show. Only touched pages hold anything.
void Windows::share(const Allocation& allocation) {
  const std::uintptr_t begin = allocation.begin;
  for (const Range& range : shared_) {
    if (range.begin == begin) return;
  }
  const std::size_t pages = pages_of(allocation.bytes);
  std::vector<std::pair<std::uintptr_t, std::vector<std::byte>>> kept;
  for (std::uintptr_t page = begin; page < begin + pages * kPageBytes; page += kPageBytes) {
    if (Memory::page_of(page).touched == 0) continue;
    const auto* const bytes = static_cast<const std::byte*>(pointer_to(page));
    kept.emplace_back(page, std::vector<std::byte>(bytes, bytes + kPageBytes));
  }
  remap(begin, pages * kPageBytes, MAP_SHARED);
  for (const auto& [page, bytes] : kept) {
    std::memcpy(pointer_to(page), bytes.data(), kPageBytes);
  }
  shared_.push_back({begin, pages * kPageBytes});
}

std::uintptr_t Windows::open(int rank, std::uintptr_t begin, std::uintptr_t site) {
  const Allocation& allocation = *memory().find(begin);
  const std::uintptr_t at =
      begin - region_base(allocation.region) + region_base(window_region(rank, allocation.region));
  for (Mapping& mapping : mappings_) {
    if (mapping.begin != at) continue;
    ++mapping.opened;
    mapping.site = site;
    if (mapping.opened > 1) return at;
  }
  share(allocation);
  const std::size_t pages = pages_of(allocation.bytes);
  // Length 0 asks for a second mapping of shared pages.
  void* const got = mremap(pointer_to(begin), 0, pages * kPageBytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                           pointer_to(at));
  if (got == MAP_FAILED) return 0;
  const Page shown{.allocation = Memory::page_of(begin).allocation};
  std::fill_n(&Memory::page_of(at), pages + 1, shown);
  if (find(at) == nullptr) mappings_.push_back({at, allocation.bytes, rank, 1, site});
  return at;
}

// The pages stay mapped until the run ends, so that a run that goes on after the report does not
// crash in the access that it has just reported.
bool Windows::close(int rank, std::uintptr_t address) {
  for (Mapping& mapping : mappings_) {
    if (mapping.begin != address || mapping.rank != rank || mapping.opened == 0) continue;
    if (--mapping.opened == 0) {
      std::fill_n(&Memory::page_of(address), pages_of(mapping.bytes) + 1, Page{});
    }
    return true;
  }
  return false;
}

const Mapping* Windows::find(std::uintptr_t address) const {
  for (const Mapping& mapping : mappings_) {
    if (address >= mapping.begin && address < mapping.begin + mapping.bytes) return &mapping;
  }
  return nullptr;
}

void Windows::reset() {
  for (const Mapping& mapping : mappings_) {
    const std::size_t pages = pages_of(mapping.bytes);
    std::fill_n(&Memory::page_of(mapping.begin), pages + 1, Page{});
    remap(mapping.begin, pages * kPageBytes, MAP_PRIVATE);
  }
  for (const Range& range : shared_) remap(range.begin, range.bytes, MAP_PRIVATE);
  mappings_.clear();
  shared_.clear();
}

std::uintptr_t through_window(std::uintptr_t address, std::size_t bytes, Access access,
                              std::uintptr_t pc) {
  const int window = region_of(address - kBase) - kFirstWindow;
  const ThreadId who = current_id();
  const bool is_own = window / kDevicesMax == who.rank;
  if (is_own && Memory::page_of(address).allocation != 0 && g_hot.thread != nullptr) {
    return owner_address(address);
  }
  const std::string text = fmt::format("{} {} {} bytes", text_of(who),
                                       access == Access::read ? "reads" : "writes", bytes);
  const Mapping* const mapping = windows().find(address);
  if (mapping == nullptr) {
    Engine::instance().report(
        ReportKind::out_of_bounds,
        fmt::format("{} at {:#x}, where no IPC handle was ever opened", text, address),
        {{pc, who}});
  } else if (!is_own) {
    Engine::instance().report(
        ReportKind::peer_access,
        fmt::format(
            "{} through an IPC mapping of rank {}, which means nothing to another process: {}",
            text, mapping->rank, memory().describe(address)),
        {{pc, who}});
  } else if (mapping->opened == 0) {
    Engine::instance().report(ReportKind::use_after_free,
                              fmt::format("{} through an IPC mapping that was closed: {}", text,
                                          memory().describe(owner_address(address))),
                              {{pc, who}});
  } else {
    Engine::instance().report(
        ReportKind::api_error,
        fmt::format("{} of device memory: {}", text, memory().describe(address)), {{pc, who}});
  }
  return 0;
}

}  // namespace rankle::sim
