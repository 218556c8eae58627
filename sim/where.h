// Who is running, and which source line a program counter belongs to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/report.h"

namespace rankle::sim {

struct Where {
  int rank = -1;
  int block = -1;
  int thread = -1;
};

// The GPU thread or host rank that runs now; all -1 outside of a run. Async-signal-safe.
Where where_running() noexcept;

// Tells the symboliser that code of `file` (an ELF file with debug information) lies at
// [load_base, load_base + size), for modules loaded from a copy that has no name of its own.
void register_module(std::uintptr_t load_base, std::size_t size, const std::string& file);

// The source line of a program counter: the innermost one that is not plumbing (kernels/atomic.h,
// kernels/pack.h, the simulator). False if unknown. Not async-signal-safe.
bool source_of(std::uintptr_t pc, SourceLine& line);

}  // namespace rankle::sim
