// Clocks, sleeps and traps of device code. Time is virtual (sim/clock.cpp): it depends on the
// schedule alone, every reading is later than the one before, and a loop until a time ends.
#pragma once

#include <cstdint>
#include <ctime>

#include "sim_device/threads.h"

extern "C" {
// Nanoseconds of virtual time.
std::uint64_t rankle_sim_clock();
void rankle_sim_sleep(std::uint64_t nanoseconds);
// Ends the run with a `crash`.
void rankle_sim_trap();
}

// Cycles of a clock of 1 GHz.
__forceinline__ long long clock64() { return static_cast<long long>(rankle_sim_clock()); }
__forceinline__ long long __clock64() { return static_cast<long long>(rankle_sim_clock()); }
// clock() is the C library's; the simulator answers it in device code.
__forceinline__ int __clock() { return static_cast<int>(rankle_sim_clock()); }
// Ticks of the constant clock of 100 MHz that AMD's GPUs have.
__forceinline__ long long wall_clock64() { return static_cast<long long>(rankle_sim_clock() / 10); }
__forceinline__ std::uint64_t __builtin_amdgcn_s_memtime() { return rankle_sim_clock(); }
__forceinline__ std::uint64_t __builtin_amdgcn_s_memrealtime() { return rankle_sim_clock() / 10; }

// Sleeps for about this long.
__forceinline__ void __nanosleep(unsigned nanoseconds) { rankle_sim_sleep(nanoseconds); }
// 64 cycles a unit.
__forceinline__ void __builtin_amdgcn_s_sleep(int units) {
  rankle_sim_sleep(static_cast<std::uint64_t>(units & 127) * 64);
}

__forceinline__ void __trap() { rankle_sim_trap(); }
