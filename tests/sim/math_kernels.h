// Kernels on vector types, small floats, cooperative groups and initialised shared variables.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>

namespace rankle::sim::testing {

// Every thread writes its number plus 1 to slots, synchronises the grid, and sums all of them.
hipError_t launch_grid_sync(int blocks, int threads, std::uint32_t* slots, std::uint32_t* sums);
// Block 1 of 3 returns before the others synchronise the grid.
hipError_t launch_leave_before_grid_sync(std::uint32_t* slots);
// The first without a cooperative launch.
void launch_grid_sync_plainly(std::uint32_t* slots, std::uint32_t* sums);
// out[thread * 4]: in tiles of 8, the sum of the numbers, a ballot of the even ones, the tile's
// number, the number of its fourth thread.
void launch_tiles(int threads, std::uint32_t* out);
// Copies one vector.
template <typename V>
void launch_copy_one(const V* from, V* to);
// A shared variable with an initialiser.
void launch_initialised_shared(std::uint32_t* out);
// out[t] = 2 a[t ^ 1].x + b[t] * b[t] in __half2 and __hip_bfloat16.
void launch_half_sums(int threads, const void* a, const void* b, float* out);

}  // namespace rankle::sim::testing
