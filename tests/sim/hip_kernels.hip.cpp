// The kernels of hip_kernels.h.
#include "tests/sim/hip_kernels.h"

namespace rankle::sim::testing {
namespace {

__device__ std::uint32_t g_symbol[4];

__global__ void add(const std::uint32_t* from, std::uint32_t value, std::uint32_t* to) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i] + value;
}

__global__ void never_launched(std::uint32_t* to) { *to = 1; }

__global__ void increment(std::uint32_t* to) { *to += 1; }

__global__ void grid_wait(std::uint32_t* counter) {
  if (threadIdx.x != 0) return;
  __hip_atomic_fetch_add(counter, 1U, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
  while (__hip_atomic_load(counter, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) < gridDim.x) {
  }
}

__global__ void read_device_symbol(std::uint32_t* to) { to[threadIdx.x] = g_symbol[threadIdx.x]; }

}  // namespace

void launch_add(const std::uint32_t* from, std::uint32_t value, std::uint32_t* to, int count,
                hipStream_t stream) {
  hipLaunchKernelGGL(add, dim3(1), dim3(static_cast<unsigned>(count)), 0, stream, from, value, to);
}

hipError_t launch_add_with_pointers(const std::uint32_t* from, std::uint32_t value,
                                    std::uint32_t* to, int count, bool cooperative,
                                    hipStream_t stream) {
  void* arguments[] = {&from, &value, &to};
  const dim3 block(static_cast<unsigned>(count));
  if (cooperative) return hipLaunchCooperativeKernel(add, dim3(1), block, arguments, 0, stream);
  return hipLaunchKernel(add, dim3(1), block, arguments, 0, stream);
}

hipError_t launch_without_types() {
  return hipLaunchKernel(reinterpret_cast<const void*>(add), dim3(1), dim3(1), nullptr, 0, nullptr);
}

void write_word(void* word) { *static_cast<std::uint32_t*>(word) = 7; }

void* add_kernel() { return reinterpret_cast<void*>(add); }

void* unmet_kernel() { return reinterpret_cast<void*>(never_launched); }

void* increment_kernel() { return reinterpret_cast<void*>(increment); }

int occupancy_of_increment() {
  int blocks = -1;
  static_cast<void>(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, increment, 64, 0));
  return blocks;
}

hipError_t launch_grid_wait(int blocks, std::uint32_t* counter, std::size_t shared_bytes) {
  void* arguments[] = {&counter};
  return hipLaunchCooperativeKernel(grid_wait, dim3(static_cast<unsigned>(blocks)), dim3(64),
                                    arguments, static_cast<unsigned>(shared_bytes), nullptr);
}

int occupancy_of_add(int threads, std::size_t shared_bytes) {
  int blocks = -1;
  const hipError_t error =
      hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, threads, shared_bytes);
  return error == hipSuccess ? blocks : -static_cast<int>(error);
}

void best_block_of_add(int* blocks, int* threads) {
  static_cast<void>(hipOccupancyMaxPotentialBlockSize(blocks, threads, add));
}

hipError_t write_symbol(const std::uint32_t* from, std::size_t bytes, std::size_t offset) {
  return hipMemcpyToSymbol(HIP_SYMBOL(g_symbol), from, bytes, offset);
}

hipError_t read_symbol(std::uint32_t* to, std::size_t bytes, std::size_t offset) {
  return hipMemcpyFromSymbol(to, HIP_SYMBOL(g_symbol), bytes, offset);
}

void launch_read_symbol(std::uint32_t* to) {
  hipLaunchKernelGGL(read_device_symbol, dim3(1), dim3(4), 0, nullptr, to);
}

const UnsupportedCall* unsupported_calls(int* count) {
  static const UnsupportedCall calls[] = {
#define RANKLE_SIM_UNSUPPORTED_NAME(name) {#name, [] { return name(); }},
#include "sim_device/unsupported_names.inc"
#undef RANKLE_SIM_UNSUPPORTED_NAME
  };
  *count = static_cast<int>(sizeof calls / sizeof calls[0]);
  return calls;
}

}  // namespace rankle::sim::testing
