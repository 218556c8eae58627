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
  if (find_shared(address, bytes)) return true;
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

// In a run whose ranks are processes, memory that the running code's rank has not allocated has no
// meaning at its owner's address.
bool is_foreign(const Allocation& a) {
  return Engine::instance().config().separate_address_spaces && a.rank >= 0 &&
         a.rank != current_id().rank;
}

// True if `reachable` says no only because it leaves the decision to the allocation's owner.
bool is_own_after_all(const Allocation& a) {
  const Engine& engine = Engine::instance();
  if (!engine.config().separate_address_spaces || is_foreign(a)) return false;
  if (g_hot.thread == nullptr) return a.region == kHostRegion;
  return (engine.peer_mask(g_hot.thread->wave->block->launch->device) >> a.region & 1) != 0;
}

void unreachable(const Allocation& a, std::uintptr_t address, std::size_t bytes, Access access,
                 std::uintptr_t pc) {
  if (is_foreign(a)) {
    fault(ReportKind::peer_access,
          fmt::format("{} through a raw pointer of rank {}'s process, which means nothing in this "
                      "one (open its IPC handle): {}",
                      what(access, bytes), a.rank, memory().describe(address)),
          pc);
  } else if (g_hot.thread == nullptr) {
    fault(ReportKind::api_error,
          fmt::format("{} of device memory: {}", what(access, bytes), memory().describe(address)),
          pc);
  } else {
    fault(ReportKind::peer_access,
          fmt::format("{} on device {}, to which its device has no peer access: {}",
                      what(access, bytes), a.region, memory().describe(address)),
          pc);
  }
}

}  // namespace

bool access_faults(std::uintptr_t address, std::size_t bytes, std::size_t alignment, Access access,
                   std::uintptr_t pc, std::uint32_t reachable) {
  const int region = region_of(address - kBase);
  if ((address & (alignment - 1)) != 0) {
    fault(ReportKind::misaligned,
          fmt::format("{} at an address that is not a multiple of {}: {}", what(access, bytes),
                      alignment, memory().describe(address)),
          pc);
  }
  if (region == kSharedRegion) return shared_faults(address, bytes, access, pc);
  const Allocation* const a = memory().find(address);
  if (a != nullptr && a->pending && address >= a->begin && address < a->begin + a->bytes) {
    fault(ReportKind::use_after_free,
          fmt::format("{} before the hipMallocAsync of the memory in the order of its stream: {}",
                      what(access, bytes), memory().describe(address)),
          pc);
    return false;
  }
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
  if ((reachable >> region & 1) == 0 && !is_own_after_all(*a)) {
    unreachable(*a, address, bytes, access, pc);
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
  auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (bytes == 0 || !Memory::contains(pointer)) return;
  std::uint32_t reachable = g_hot.reachable;
  if (in_window(address)) {
    address = through_window(address, bytes, access, pc);
    if (address == 0) return;
    reachable = ~std::uint32_t{0};
  }
  restore_latest_value();
  if (g_hot.weak && access == Access::write) g_weak.forget(address, bytes);
  mix((address - kBase) << 6 | (access == Access::write ? 1 : 0));
  mix(bytes);
  const int region = region_of(address - kBase);
  const bool inside = region == kSharedRegion
                          ? inside_shared(address, bytes)
                          : inside_allocation(address, bytes, Memory::page_of(address));
  if (!inside || (reachable >> region & 1) == 0) {
    if (!access_faults(address, bytes, 1, access, pc, reachable)) return;
  }
  if (access == Access::read) {
    if (!memory().is_initialised(address, bytes)) uninitialised_read(address, bytes, pc);
    return race_access<Access::read>(address, bytes, pc);
  }
  memory().mark_initialised(address, bytes);
  Engine::instance().wake_watchers(address, bytes);
  race_access<Access::write>(address, bytes, pc);
}

}  // namespace rankle::sim
