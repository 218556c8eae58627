// State that every hook reads, in two cache lines, and the inlined half of a switch point.
#pragma once

#include <cstdint>

namespace rankle::sim {

struct Thread;

namespace race {
struct Thread;
}

inline constexpr int kNoWindow = -1;

struct Hot {
  Thread* thread = nullptr;        // the GPU thread that runs; nullptr: host code or the scheduler
  std::uint64_t slice = 0;         // plain accesses left before end_slice()
  std::uint64_t trace = 0;         // rolling hash of everything observable
  std::uint64_t step = 0;          // switch points passed
  std::uint64_t interrupt_at = 0;  // step from which on the scheduler is asked
  race::Thread* actor = nullptr;   // of the code that runs, for the race detector; nullptr: off
  std::uint32_t reachable = 0;     // regions that the running thread may access, a bit each
  int first_window = kNoWindow;    // region of the first window of the running thread's rank
  // The shared variable that the running block's threads have accessed last.
  std::uintptr_t shared_begin = 0;
  std::uintptr_t shared_bytes = 0;
  bool weak = false;             // loads may return older values (weak_memory.h) ...
  bool has_older_value = false;  // ... and one is in memory now, to be taken out
};

extern Hot g_hot;

inline void mix(std::uint64_t value) {
  const std::uint64_t turned = g_hot.trace << 7 | g_hot.trace >> 57;
  g_hot.trace = (turned ^ value) * 0x9e3779b97f4a7c15;
}

void interrupt_slow();
void restore_slow();

// Before anything but the load that an older value was put into memory for.
inline void restore_latest_value() {
  if (__builtin_expect(g_hot.has_older_value, 0)) restore_slow();
}

inline void switch_point() {
  restore_latest_value();
  if (++g_hot.step >= g_hot.interrupt_at) interrupt_slow();
}

}  // namespace rankle::sim
