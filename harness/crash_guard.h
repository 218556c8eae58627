// Signal handlers of a worker, which turn its death into a record in the case slot: who was
// running, where, and why. Only the supervisor makes a finding of it, because after a fault nothing
// in this process can be trusted.
//
// Also the limit on CPU time: a kernel that spins in registers calls no hook, so only a timer can
// see it. The same handler answers SIGTERM, with which the supervisor asks a late worker where it
// is.
#pragma once

#include <cstdint>

#include "harness/case_slot.h"
#include "harness/verdict.h"

namespace rankle {

// What the platform knows of the running thread; either may be null.
struct CrashProbe {
  // Async-signal-safe.
  Actor (*where)() noexcept = nullptr;
  // The source line of the instruction before a return address; false if unknown. Need not be
  // signal-safe: a fault in it or one second of it end the process, with the record so far kept.
  bool (*source_of)(std::uintptr_t pc, Site& site) = nullptr;
};

// Exit status of a worker that the guard ended.
inline constexpr int kGuardExitStatus = 97;

// Installs the handlers for the calling thread's process, once. `slot` must live until its end.
// Must be called in the thread that runs the cases (alternate signal stacks belong to threads).
void install_crash_guard(CaseSlot& slot, const CrashProbe& probe);

// From now on a case runs: exit() is recorded too, and after `cpu_seconds` of CPU time of this
// process its place is recorded and the process ends.
void arm_case_guard(double cpu_seconds);
void disarm_case_guard();

// The CPU time that a case may use so that its record is written before a wall-clock deadline.
double cpu_limit_of(double deadline_s);

}  // namespace rankle
