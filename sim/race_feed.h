// Feeds the race detector (race/detector.h) with what the engine does, and turns what it finds into
// reports. The detector knows ids and events only; this file knows which event of the engine is
// which edge:
//
//   enqueue                     the host releases; the operation acquires
//   operation behind another    the later one acquires what the earlier one left at its end
//   host call that has waited   the host acquires the ends of the operations that it waited for
//   host_barrier                all hosts meet
//   block barrier               the block's threads meet; a grid barrier: all blocks' as well
//   __syncwarp                  the lanes that take part meet. Shuffles and votes order nothing
//
// Nothing is fed while config.detect_races is off: then every actor is nullptr.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/hot.h"
#include "sim/layout.h"
#include "sim/race/detector.h"
#include "sim/windows.h"

namespace rankle::sim {

extern race::RaceDetector* g_races;  // made at the first run that detects races

// The orders of C and C++ as the compiler passes them, and the scopes of HIP.
race::Order race_order(int c_order);
race::Scope race_scope(int hip_scope);

// An access of the code that runs now. `address` is the owner's. May not return.
template <Access access>
__attribute__((always_inline)) inline void race_access(std::uintptr_t address, std::size_t bytes,
                                                       std::uintptr_t pc) {
  if (g_hot.actor == nullptr) return;
  if constexpr (access == Access::read) {
    g_races->read(g_hot.actor, address, bytes, pc);
  } else {
    g_races->write(g_hot.actor, address, bytes, pc);
  }
}

// The shadow is four times as large as what it shadows, and cold: ask for it while the other checks
// run.
inline void prefetch_race_shadow(std::uintptr_t address) {
  if (g_hot.actor != nullptr) __builtin_prefetch(&race::Shadow::cell_of(address), 1);
}

enum class AtomicAccess { load, store, rmw };

// The same for an atomic access, after its value has been read or written.
void race_atomic(AtomicAccess access, const volatile void* pointer, int bytes, int c_order,
                 int hip_scope, std::uintptr_t pc);
void race_fence(int c_order, int hip_scope);
// The memory has been freed: what was done to it counts no more, should its address come back.
void forget_accesses(std::uintptr_t address, std::size_t bytes);

}  // namespace rankle::sim
