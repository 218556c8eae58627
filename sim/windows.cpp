// Opening and closing what windows show, and telling what is wrong with an access through one. The
// pages are there all the time (memory.cpp); open is what has a page record.
#include "sim/windows.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/engine.h"

namespace rankle::sim {
namespace {

std::size_t pages_of(std::size_t bytes) { return (bytes + kPageBytes - 1) >> kPageShift; }

}  // namespace

Windows& windows() {
  static Windows instance;
  return instance;
}

std::uintptr_t Windows::open(int rank, std::uintptr_t begin, std::uintptr_t site) {
  const Allocation& allocation = *memory().find(begin);
  const std::uintptr_t at =
      begin - region_base(allocation.region) + region_base(window_region(rank, allocation.region));
  for (Mapping& mapping : mappings_) {
    if (mapping.begin != at) continue;
    ++mapping.opened;
    mapping.site = site;
    if (mapping.opened > 1 && !mapping.freed) return at;
    mapping.freed = false;
    mapping.bytes = allocation.bytes;
  }
  const Page shown{.allocation = Memory::page_of(begin).allocation};
  std::fill_n(&Memory::page_of(at), pages_of(allocation.bytes) + 1, shown);
  if (find(at) == nullptr) mappings_.push_back({at, allocation.bytes, rank, 1, false, site});
  return at;
}

// A run that goes on after the report may still make the access that it has just reported.
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

void Windows::free(std::uintptr_t begin) {
  for (Mapping& mapping : mappings_) {
    if (mapping.opened == 0 || owner_address(mapping.begin) != begin) continue;
    mapping.freed = true;
    std::fill_n(&Memory::page_of(mapping.begin), pages_of(mapping.bytes) + 1, Page{});
  }
}

const Mapping* Windows::find(std::uintptr_t address) const {
  for (const Mapping& mapping : mappings_) {
    if (address >= mapping.begin && address < mapping.begin + mapping.bytes) return &mapping;
  }
  return nullptr;
}

void Windows::reset() {
  for (const Mapping& mapping : mappings_) {
    std::fill_n(&Memory::page_of(mapping.begin), pages_of(mapping.bytes) + 1, Page{});
  }
  mappings_.clear();
}

void report_closed_window(std::uintptr_t address, std::size_t bytes, Access access,
                          std::uintptr_t pc) {
  const ThreadId who = current_id();
  const bool is_own = (region_of(address - kBase) - kFirstWindow) / kDevicesMax == who.rank;
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
  } else if (mapping->opened > 0 && mapping->freed) {
    Engine::instance().report(
        ReportKind::use_after_free,
        fmt::format("{} through an IPC mapping that was opened before its owner freed the memory: "
                    "{}",
                    text, memory().describe(owner_address(address))),
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
}

}  // namespace rankle::sim
