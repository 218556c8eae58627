// The kernels of order_kernels.h, compiled with the plugin options.
#include "tests/repro/order_kernels.h"

namespace rankle::test {
namespace {

constexpr int kAgent = __HIP_MEMORY_SCOPE_AGENT;

__device__ std::uint32_t get(const std::uint32_t* word) {
  return __hip_atomic_load(word, __ATOMIC_RELAXED, kAgent);
}
__device__ void set(std::uint32_t* word, std::uint32_t value) {
  __hip_atomic_store(word, value, __ATOMIC_RELAXED, kAgent);
}

__global__ void torn_pair(std::uint32_t* words) {
  if (blockIdx.x == 0) {
    set(words, 1);
    set(words + 1, 1);
  } else {
    const bool first = get(words) == 1;
    const bool second = get(words + 1) == 1;
    if (first && !second) words[2] = 1;
  }
}

__global__ void seen_twice(std::uint32_t* words) {
  if (blockIdx.x == 0) {
    set(words, 1);
    set(words, 2);
  } else {
    const std::uint32_t before = get(words);
    const std::uint32_t after = get(words);
    if (before == 1 && after == 2) words[2] = 1;
  }
}

}  // namespace

void launch_torn_pair(std::uint32_t* words) {
  hipLaunchKernelGGL(torn_pair, dim3(2), dim3(1), 0, nullptr, words);
}

void launch_seen_twice(std::uint32_t* words) {
  hipLaunchKernelGGL(seen_twice, dim3(2), dim3(1), 0, nullptr, words);
}

}  // namespace rankle::test
