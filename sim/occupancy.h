// The shape of a simulated device, as properties, occupancy queries and cooperative launches see
// it. With Config::resident_blocks set, the device has just so much room that a grid which the
// queries call co-resident never exceeds it.
#pragma once

#include <cstddef>

#include "sim/machine.h"

namespace rankle::sim {

inline constexpr int kThreadsPerBlockMax = 1024;
inline constexpr int kThreadsPerMultiprocessor = 2048;
inline constexpr std::size_t kSharedPerMultiprocessor = std::size_t{64} << 10;
inline constexpr int kBlocksPerMultiprocessorMax = 32;

int multiprocessors(const Config& config);

// Blocks of that shape which one multiprocessor holds at once; 0 if not even one fits.
int blocks_per_multiprocessor(const Config& config, int threads, std::size_t shared_bytes);

}  // namespace rankle::sim
