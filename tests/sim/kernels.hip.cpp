// The kernels of kernels.h.
#include "tests/sim/kernels.h"

namespace rankle::sim::testing {
namespace {

constexpr int kSystem = __HIP_MEMORY_SCOPE_SYSTEM;

__global__ void indices(std::uint64_t* out) {
  const std::uint64_t block =
      blockIdx.x + std::uint64_t{gridDim.x} * (blockIdx.y + std::uint64_t{gridDim.y} * blockIdx.z);
  const std::uint64_t thread =
      threadIdx.x +
      std::uint64_t{blockDim.x} * (threadIdx.y + std::uint64_t{blockDim.y} * threadIdx.z);
  const std::uint64_t in_block = std::uint64_t{blockDim.x} * blockDim.y * blockDim.z;
  out[block * in_block + thread] =
      std::uint64_t{threadIdx.x} | std::uint64_t{threadIdx.y} << 8 |
      std::uint64_t{threadIdx.z} << 16 | std::uint64_t{blockIdx.x} << 24 |
      std::uint64_t{blockIdx.y} << 32 | std::uint64_t{blockIdx.z} << 40;
}

__global__ void reverse_tile(const std::uint32_t* in, std::uint32_t* out) {
  __shared__ std::uint32_t tile[512];
  const unsigned at = blockIdx.x * blockDim.x;
  tile[threadIdx.x] = in[at + threadIdx.x];
  __syncthreads();
  out[at + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void reverse_dynamic(const std::uint32_t* in, std::uint32_t* out) {
  HIP_DYNAMIC_SHARED(std::uint32_t, tile)
  const unsigned at = blockIdx.x * blockDim.x;
  tile[threadIdx.x] = in[at + threadIdx.x];
  __syncthreads();
  out[at + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void count(std::uint32_t* counter, std::uint32_t* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] =
      __hip_atomic_fetch_add(counter, 1U, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

__global__ void divergent_loop(int limit, std::uint32_t* sink) {
  for (int i = static_cast<int>(threadIdx.x); i < limit; i += static_cast<int>(blockDim.x)) {
    __syncthreads();
    sink[i] = 1;
  }
}

__global__ void split_barrier(int by, std::uint32_t* sink) {
  if ((threadIdx.x / static_cast<unsigned>(by)) % 2 == 0) {
    __syncthreads();
  } else {
    __syncthreads();
  }
  sink[threadIdx.x] = 1;
}

__global__ void early_return(int leaving, std::uint32_t* sink) {
  if (static_cast<int>(threadIdx.x) < leaving) return;
  __syncthreads();
  sink[threadIdx.x] = 1;
}

__global__ void read_at(const std::uint32_t* from, std::int64_t index, std::uint32_t* sink) {
  *sink = from[index];
}

__global__ void write_at(std::uint32_t* to, std::int64_t index) { to[index] = 7; }

__global__ void shared_write_at(int index, std::uint32_t* sink) {
  __shared__ std::uint32_t row[64];
  row[0] = 1;
  row[index] = 5;
  *sink = row[0];
}

__global__ void misaligned_read(const std::uint32_t* from, int offset, std::uint32_t* sink) {
  const auto* const bytes = reinterpret_cast<const char*>(from) + offset;
  *sink = static_cast<std::uint32_t>(*reinterpret_cast<const std::uint64_t*>(bytes));
}

__global__ void wait(const std::uint32_t* flag, std::uint32_t value) {
  if (threadIdx.x != 0) return;
  while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, kSystem) < value) {
  }
}

__global__ void signal(std::uint32_t* flag, std::uint32_t value) {
  __hip_atomic_store(flag, value, __ATOMIC_RELEASE, kSystem);
}

__global__ void volatile_wait(const std::uint32_t* flag, std::uint32_t value) {
  const volatile std::uint32_t* const word = flag;
  while (*word < value) {
  }
}

__global__ void grid_barrier(std::uint32_t* counter) {
  if (threadIdx.x == 0) {
    __hip_atomic_fetch_add(counter, 1U, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
    while (__hip_atomic_load(counter, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) < gridDim.x) {
    }
  }
  __syncthreads();
}

__global__ void log_order(std::uint32_t* next, std::uint32_t* log, int rounds) {
  if (threadIdx.x % 64 != 0) return;
  for (int i = 0; i < rounds; ++i) {
    const auto at =
        __hip_atomic_fetch_add(next, 1U, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    log[at] = threadIdx.x / 64;
  }
}

__global__ void ping_pong(std::uint32_t* words, int rank) {
  for (std::uint32_t round = 1;; ++round) {
    __hip_atomic_store(words + rank, round, __ATOMIC_RELEASE, kSystem);
    while (__hip_atomic_load(words + 1 - rank, __ATOMIC_ACQUIRE, kSystem) < round) {
    }
  }
}

dim3 one_axis(int n) { return {static_cast<std::uint32_t>(n)}; }

}  // namespace

void launch_indices(dim3 grid, dim3 block, std::uint64_t* out, hipStream_t stream) {
  hipLaunchKernelGGL(indices, grid, block, 0, stream, out);
}
void launch_reverse_tile(int blocks, int threads, const std::uint32_t* in, std::uint32_t* out) {
  hipLaunchKernelGGL(reverse_tile, one_axis(blocks), one_axis(threads), 0, nullptr, in, out);
}
void launch_reverse_dynamic(int blocks, int threads, const std::uint32_t* in, std::uint32_t* out) {
  hipLaunchKernelGGL(reverse_dynamic, one_axis(blocks), one_axis(threads),
                     sizeof(std::uint32_t) * static_cast<std::size_t>(threads), nullptr, in, out);
}
void launch_count(int blocks, int threads, std::uint32_t* counter, std::uint32_t* out) {
  hipLaunchKernelGGL(count, one_axis(blocks), one_axis(threads), 0, nullptr, counter, out);
}
void launch_divergent_loop(int threads, int limit, std::uint32_t* sink) {
  hipLaunchKernelGGL(divergent_loop, dim3(1), one_axis(threads), 0, nullptr, limit, sink);
}
void launch_split_barrier(int threads, int by, std::uint32_t* sink) {
  hipLaunchKernelGGL(split_barrier, dim3(1), one_axis(threads), 0, nullptr, by, sink);
}
void launch_early_return(int threads, int leaving, std::uint32_t* sink) {
  hipLaunchKernelGGL(early_return, dim3(1), one_axis(threads), 0, nullptr, leaving, sink);
}
void launch_read_at(const std::uint32_t* from, std::int64_t index, std::uint32_t* sink) {
  hipLaunchKernelGGL(read_at, dim3(1), dim3(1), 0, nullptr, from, index, sink);
}
void launch_write_at(std::uint32_t* to, std::int64_t index) {
  hipLaunchKernelGGL(write_at, dim3(1), dim3(1), 0, nullptr, to, index);
}
void launch_shared_write_at(int index, std::uint32_t* sink) {
  hipLaunchKernelGGL(shared_write_at, dim3(1), dim3(1), 0, nullptr, index, sink);
}
void launch_misaligned_read(const std::uint32_t* from, int offset, std::uint32_t* sink) {
  hipLaunchKernelGGL(misaligned_read, dim3(1), dim3(1), 0, nullptr, from, offset, sink);
}
void launch_wait(const std::uint32_t* flag, std::uint32_t value, hipStream_t stream) {
  hipLaunchKernelGGL(wait, dim3(1), dim3(64), 0, stream, flag, value);
}
void launch_signal(std::uint32_t* flag, std::uint32_t value, hipStream_t stream) {
  hipLaunchKernelGGL(signal, dim3(1), dim3(1), 0, stream, flag, value);
}
void launch_volatile_wait(const std::uint32_t* flag, std::uint32_t value, hipStream_t stream) {
  hipLaunchKernelGGL(volatile_wait, dim3(1), dim3(1), 0, stream, flag, value);
}
void launch_grid_barrier(int blocks, std::uint32_t* counter) {
  hipLaunchKernelGGL(grid_barrier, one_axis(blocks), dim3(64), 0, nullptr, counter);
}
void launch_log_order(int waves, std::uint32_t* next, std::uint32_t* log, int rounds) {
  hipLaunchKernelGGL(log_order, dim3(1), one_axis(64 * waves), 0, nullptr, next, log, rounds);
}
void launch_ping_pong(std::uint32_t* words, int rank) {
  hipLaunchKernelGGL(ping_pong, dim3(1), dim3(1), 0, nullptr, words, rank);
}
hipError_t call_outside_subset() {
  void* pointer = nullptr;
  return hipMallocManaged(&pointer, 64);
}

}  // namespace rankle::sim::testing
