// Kernels for the tests of the host API.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>

namespace rankle::sim::testing {

// to[i] = from[i] + add, one thread for each element.
void launch_add(const std::uint32_t* from, std::uint32_t add, std::uint32_t* to, int count,
                hipStream_t stream);
hipError_t launch_add_with_pointers(const std::uint32_t* from, std::uint32_t add, std::uint32_t* to,
                                    int count, bool cooperative, hipStream_t stream);
hipError_t launch_without_types();
// The kernel of launch_add, and one that nothing launches, as HIP's graph calls take them.
void* add_kernel();
void* unmet_kernel();
// *to += 1, for a kernel whose type is known by a question alone.
void* increment_kernel();
int occupancy_of_increment();
// A host function: writes the word that it is given.
void write_word(void* word);
// Every block waits for all others of the grid; cooperative.
hipError_t launch_grid_wait(int blocks, std::uint32_t* counter, std::size_t shared_bytes);
int occupancy_of_add(int threads, std::size_t shared_bytes);
void best_block_of_add(int* blocks, int* threads);
// Copies to and from a `__device__` array of four words.
hipError_t write_symbol(const std::uint32_t* from, std::size_t bytes, std::size_t offset);
hipError_t read_symbol(std::uint32_t* to, std::size_t bytes, std::size_t offset);
void launch_read_symbol(std::uint32_t* to);

struct UnsupportedCall {
  const char* name;
  hipError_t (*call)();
};
// One call for each name of unsupported.h.
const UnsupportedCall* unsupported_calls(int* count);

}  // namespace rankle::sim::testing
