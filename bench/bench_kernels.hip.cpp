// The kernels of bench_kernels.h, compiled with the plugin options.
#include "bench/bench_kernels.h"

namespace rankle::bench {
namespace {

__global__ void store_once(std::uint32_t* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}

__global__ void barriers(int rounds) {
  for (int i = 0; i < rounds; ++i) __syncthreads();
}

}  // namespace

void launch_store_once(int blocks, int threads, std::uint32_t* out) {
  hipLaunchKernelGGL(store_once, dim3(static_cast<unsigned>(blocks)),
                     dim3(static_cast<unsigned>(threads)), 0, nullptr, out);
}

void launch_barriers(int blocks, int threads, int rounds) {
  hipLaunchKernelGGL(barriers, dim3(static_cast<unsigned>(blocks)),
                     dim3(static_cast<unsigned>(threads)), 0, nullptr, rounds);
}

}  // namespace rankle::bench
