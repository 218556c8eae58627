// Kernels for the simulator's benchmarks.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>

namespace rankle::bench {

// Every thread stores its number once.
void launch_store_once(int blocks, int threads, std::uint32_t* out);
// Every thread passes `rounds` block barriers.
void launch_barriers(int blocks, int threads, int rounds);

}  // namespace rankle::bench
