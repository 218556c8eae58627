// Kernels that the simulator's tests launch, one small behaviour each. Compiled with the plugin
// options.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>

namespace rankle::sim::testing {

// out[linear index of the thread in the grid] = packed built-in variables.
void launch_indices(dim3 grid, dim3 block, std::uint64_t* out, hipStream_t stream);
// Reverses each block's tile through static shared memory.
void launch_reverse_tile(int blocks, int threads, const std::uint32_t* in, std::uint32_t* out);
// The same through dynamic shared memory.
void launch_reverse_dynamic(int blocks, int threads, const std::uint32_t* in, std::uint32_t* out);
// Every thread adds 1 with an atomic; returns old values in out.
void launch_count(int blocks, int threads, std::uint32_t* counter, std::uint32_t* out);
// A block barrier in a loop over [thread, limit) with the block's stride.
void launch_divergent_loop(int threads, int limit, std::uint32_t* sink);
// Two barriers of the source, one for even and one for odd threads (or waves: `by` lanes at a
// time).
void launch_split_barrier(int threads, int by, std::uint32_t* sink);
// Threads below `leaving` return before the barrier.
void launch_early_return(int threads, int leaving, std::uint32_t* sink);
void launch_read_at(const std::uint32_t* from, std::int64_t index, std::uint32_t* sink);
void launch_write_at(std::uint32_t* to, std::int64_t index);
// Writes shared[index] of an array of 64.
void launch_shared_write_at(int index, std::uint32_t* sink);
// Reads 8 bytes at byte offset `offset`.
void launch_misaligned_read(const std::uint32_t* from, int offset, std::uint32_t* sink);
// Thread 0 spins (acquire, system scope) until *flag >= value.
void launch_wait(const std::uint32_t* flag, std::uint32_t value, hipStream_t stream);
// Stores (release, system scope).
void launch_signal(std::uint32_t* flag, std::uint32_t value, hipStream_t stream);
// Spins on a volatile word.
void launch_volatile_wait(const std::uint32_t* flag, std::uint32_t value, hipStream_t stream);
// Every block arrives at a counter and waits until all blocks of the grid have.
void launch_grid_barrier(int blocks, std::uint32_t* counter);
// Two waves append their number to a log, in the order in which they get there.
void launch_log_order(int waves, std::uint32_t* next, std::uint32_t* log, int rounds);
// Two ranks answer each other's changes for ever.
void launch_ping_pong(std::uint32_t* words, int rank);
// A kernel whose host code calls something that the simulator does not provide.
hipError_t call_outside_subset();

}  // namespace rankle::sim::testing
