// A hash of the source line of a program counter, for traces that do not change with the build
// folder.
#pragma once

#include <cstdint>

namespace rankle::sim {

// Cached per program counter.
std::uint64_t site_hash(std::uintptr_t pc);

}  // namespace rankle::sim
