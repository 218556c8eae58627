// The checked access: every load and store of simulated code ends up here.
//
// One path for all detectors, inlined into the hooks that the compiler calls; what is wrong is
// sorted out of line, by access_faults.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/engine.h"
#include "sim/hot.h"
#include "sim/memory.h"
#include "sim/race_feed.h"
#include "sim/shared_memory.h"
#include "sim/weak_memory.h"
#include "sim/windows.h"

namespace rankle::sim {

// Reports what is wrong with an access. True if it is inside memory that exists all the same, so
// that its initialised bits mean something.
bool access_faults(std::uintptr_t address, std::size_t bytes, std::size_t alignment, Access access,
                   std::uintptr_t pc, std::uint32_t reachable = g_hot.reachable);
// Reports a read of bytes that nobody has written, and puts poison there.
void uninitialised_read(std::uintptr_t address, std::size_t bytes, std::uintptr_t pc);

// The access is about to be made, on memory that may be weak.
template <Access access>
void weak_access(std::uintptr_t address, std::size_t bytes) {
  if (g_hot.thread == nullptr) {
    if constexpr (access == Access::write) g_weak.forget(address, bytes);
  } else if constexpr (access == Access::read) {
    g_weak.before_load(*g_hot.actor, address, bytes, false);
  } else {
    g_weak.before_write(*g_hot.actor, address, bytes);
  }
}

inline bool all_initialised(std::uintptr_t address, std::size_t bytes) {
  const std::uint8_t* const bits = Memory::initialised_bits(address);
  switch (bytes) {
    case 16:
      if ((address & 15) == 0) return *reinterpret_cast<const std::uint16_t*>(bits) == 0xffff;
      break;
    case 8:
      if ((address & 7) == 0) return *bits == 0xff;
      break;
    default:
      if ((address & 7) + bytes <= 8) {
        const unsigned mask = ((1U << bytes) - 1) << (address & 7);
        return (*bits & mask) == mask;
      }
  }
  return memory().is_initialised(address, bytes);
}

inline void set_initialised(std::uintptr_t address, std::size_t bytes) {
  std::uint8_t* const bits = Memory::initialised_bits(address);
  if (bytes == 16 && (address & 15) == 0) {
    *reinterpret_cast<std::uint16_t*>(bits) = 0xffff;
  } else if ((address & 7) + bytes <= 8) {
    *bits |= static_cast<std::uint8_t>(((1U << bytes) - 1) << (address & 7));
  } else {
    memory().mark_initialised(address, bytes);
  }
}

inline bool inside_allocation(std::uintptr_t address, std::size_t bytes, const Page& page) {
  const Bounds& bounds = g_bounds[page.allocation];
  return address >= bounds.begin && address + bytes <= bounds.end;
}

// Shared memory is checked against the variables of the launch, and belongs to one block.
inline bool inside_shared(std::uintptr_t address, std::size_t bytes) {
  const std::uintptr_t offset = address - g_hot.shared_begin;
  if (offset < g_hot.shared_bytes && offset + bytes <= g_hot.shared_bytes) return true;
  return find_shared(address, bytes);
}

// The checks at the owner's address. `bytes` is 1, 2, 4, 8 or 16. `through_handle`: the access came
// by an open IPC mapping, and opening it has let its device in.
// Whether the race detector sees an access as a plain one. What an atomic operation does is told to
// it apart (race_atomic).
enum class Counts { as_plain, as_atomic };

template <std::size_t bytes, Access access, bool through_handle, Counts counts>
__attribute__((always_inline)) inline void check_at_owner(std::uintptr_t address,
                                                          std::uintptr_t pc) {
  const std::uintptr_t offset = address - kBase;
  if constexpr (counts == Counts::as_plain) prefetch_race_shadow(address);
  if (__builtin_expect(--g_hot.slice == 0, 0)) Engine::instance().end_slice(pc);
  mix(offset << 6 | bytes << 1 | (access == Access::write ? 1 : 0));
  Page& page = Memory::page_of(address);
  const int region = region_of(offset);
  const bool inside = region == kSharedRegion ? inside_shared(address, bytes)
                                              : inside_allocation(address, bytes, page);
  const std::uint32_t reachable = through_handle ? ~std::uint32_t{0} : g_hot.reachable;
  const bool sound = inside && (address & (bytes - 1)) == 0 && (reachable >> region & 1) != 0;
  if (__builtin_expect(!sound, 0)) {
    if (!access_faults(address, bytes, bytes, access, pc, reachable)) return;
  }
  if constexpr (access == Access::read) {
    if (__builtin_expect(!all_initialised(address, bytes), 0))
      uninitialised_read(address, bytes, pc);
  } else {
    if (page.touched == 0) memory().touch(address);
    set_initialised(address, bytes);
    if (__builtin_expect(page.watchers != 0, 0)) Engine::instance().wake_watchers(address, bytes);
  }
  if constexpr (counts == Counts::as_plain) {
    race_access<access>(address, bytes, pc);
    if (__builtin_expect(g_hot.weak, 0)) weak_access<access>(address, bytes);
  }
}

// Out of line, so that ordinary accesses pay nothing for the windows.
template <std::size_t bytes, Access access, Counts counts>
__attribute__((noinline)) void check_in_window(std::uintptr_t address, std::uintptr_t pc) {
  const std::uintptr_t at_owner = through_window(address, bytes, access, pc);
  if (at_owner != 0) check_at_owner<bytes, access, true, counts>(at_owner, pc);
}

template <std::size_t bytes, Access access, Counts counts = Counts::as_plain>
__attribute__((always_inline)) inline void check_access(const void* pointer, std::uintptr_t pc) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const std::uintptr_t offset = address - kBase;
  if (offset >= kDirectSpan) {  // mostly a local variable, or the host's own memory
    if (offset < kSpan) check_in_window<bytes, access, counts>(address, pc);
    return;
  }
  check_at_owner<bytes, access, false, counts>(address, pc);
}

// The same for a range of any length (memcpy, memset and their like).
void check_range(const void* pointer, std::size_t bytes, Access access, std::uintptr_t pc);

}  // namespace rankle::sim
