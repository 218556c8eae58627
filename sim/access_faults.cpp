// What an access can do wrong: out of bounds, use after free, misaligned, no peer access, and reads
// of memory that nobody has written. Out of line, because almost no access gets here.
#include <fmt/format.h>

#include "sim/hooks.h"

namespace rankle::sim {
namespace {

std::string what(Access access, std::size_t bytes) {
  return fmt::format("{} {} bytes", access == Access::read ? "reads" : "writes", bytes);
}

void fault(ReportKind kind, const std::string& text, std::uintptr_t pc) {
  Engine::instance().report(kind, text_of(current_id()) + " " + text, {here(pc)});
}

bool shared_faults(std::uintptr_t address, std::size_t bytes, Access access, std::uintptr_t pc) {
  if (g_hot.thread == nullptr) {
    fault(ReportKind::api_error, what(access, bytes) + " of shared memory", pc);
    return false;
  }
  const Block& block = *g_hot.thread->wave->block;
  const std::uintptr_t offset = address - block.shared;
  if (shared_contains(*block.launch, offset, bytes)) return true;
  for (const SharedVariable& v : block.launch->shared) {
    const bool behind = offset + bytes > v.offset + v.bytes && offset < v.offset + v.bytes + 64;
    if (!behind) continue;
    fault(ReportKind::out_of_bounds,
          fmt::format("{}, {} bytes past the end of a shared variable of {} bytes",
                      what(access, bytes), offset + bytes - v.offset - v.bytes, v.bytes),
          pc);
    return false;
  }
  fault(ReportKind::out_of_bounds,
        what(access, bytes) + " of shared memory that is no variable of its block", pc);
  return false;
}

}  // namespace

bool access_faults(std::uintptr_t address, std::size_t bytes, std::size_t alignment, Access access,
                   std::uintptr_t pc) {
  const int region = region_of(address - kBase);
  if ((address & (alignment - 1)) != 0) {
    fault(ReportKind::misaligned,
          fmt::format("{} at an address that is not a multiple of {}: {}", what(access, bytes),
                      alignment, memory().describe(address)),
          pc);
  }
  if (region == kSharedRegion) return shared_faults(address, bytes, access, pc);
  const Allocation* const a = memory().find(address);
  if (a != nullptr && a->freed && address >= a->begin && address < a->begin + a->bytes) {
    fault(ReportKind::use_after_free,
          fmt::format("{} of freed memory: {}", what(access, bytes), memory().describe(address)),
          pc);
    return false;
  }
  if (a == nullptr || address < a->begin || address + bytes > a->end) {
    fault(ReportKind::out_of_bounds,
          fmt::format("{} outside of every allocation: {}", what(access, bytes),
                      memory().describe(address)),
          pc);
    return false;
  }
  if ((g_hot.reachable >> region & 1) == 0) {
    if (g_hot.thread == nullptr) {
      fault(ReportKind::api_error,
            fmt::format("{} of device memory: {}", what(access, bytes), memory().describe(address)),
            pc);
    } else {
      fault(ReportKind::peer_access,
            fmt::format("{} on device {}, to which its device has no peer access: {}",
                        what(access, bytes), region, memory().describe(address)),
            pc);
    }
  }
  return true;
}

void uninitialised_read(std::uintptr_t address, std::size_t bytes, std::uintptr_t pc) {
  const std::size_t first = memory().first_uninitialised(address, bytes);
  if (first == bytes) return;
  memory().poison_uninitialised(address, bytes);
  fault(
      ReportKind::uninitialised_read,
      fmt::format("reads {} bytes that nobody has written: {}",
                  memory().count_uninitialised(address, bytes), memory().describe(address + first)),
      pc);
}

void check_range(const void* pointer, std::size_t bytes, Access access, std::uintptr_t pc) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (bytes == 0 || !Memory::contains(pointer)) return;
  mix((address - kBase) << 6 | (access == Access::write ? 1 : 0));
  mix(bytes);
  const int region = region_of(address - kBase);
  const bool inside = region == kSharedRegion
                          ? inside_shared(address, bytes)
                          : inside_allocation(address, bytes, Memory::page_of(address));
  if (!inside || (g_hot.reachable >> region & 1) == 0) {
    if (!access_faults(address, bytes, 1, access, pc)) return;
  }
  if (access == Access::read) {
    if (!memory().is_initialised(address, bytes)) uninitialised_read(address, bytes, pc);
    return;
  }
  memory().mark_initialised(address, bytes);
  Engine::instance().wake_watchers(address, bytes);
}

}  // namespace rankle::sim
