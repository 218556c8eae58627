// Kernels of device_kernels.h that vote at barriers, read clocks, sleep and give up.
#undef NDEBUG
#include <cassert>
#include <cstdio>
#include <cstdlib>

#include "tests/sim/device_kernels.h"

namespace rankle::sim::testing {
namespace {

__global__ void barrier_votes(int below, std::int32_t* out) {
  for (int round = 0; round < 2; ++round) {
    const int holds = static_cast<int>(threadIdx.x) < below ? 4 : 0;
    out[threadIdx.x * 3] = __syncthreads_count(holds);
    out[threadIdx.x * 3 + 1] = __syncthreads_or(holds);
    out[threadIdx.x * 3 + 2] = __syncthreads_and(holds);
  }
}

__global__ void split_vote(std::uint32_t* out) {
  if (threadIdx.x % 2 == 0) {
    __syncthreads_or(1);
  } else {
    __syncthreads();
  }
  out[threadIdx.x] = 1;
}

__global__ void wait_for_clock(long long cycles, std::int64_t* out) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
  if (threadIdx.x == 0) *out = clock64() - start;
}

__global__ void poll_with_limit(const std::uint32_t* flag, long long cycles, std::uint32_t* out) {
  const long long start = clock64();
  *out = 1;
  while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) != 1) {
    if (clock64() - start > cycles) {
      *out = 2;
      return;
    }
  }
}

__global__ void sleeps(std::int64_t* out) {
  out[0] = clock64();
  __nanosleep(5000);
  out[1] = clock64();
  __builtin_amdgcn_s_sleep(2);
  out[2] = clock64();
  out[3] = wall_clock64();
  __nanosleep(10'000);
  out[4] = wall_clock64();
  out[5] = clock();
  out[6] = __clock64();
}

__global__ void sleep_for_ever() {
  for (;;) __nanosleep(1000);
}

__global__ void signal_after(std::uint32_t* flag, unsigned nanoseconds) {
  __nanosleep(nanoseconds);
  __hip_atomic_store(flag, 1U, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
}

__global__ void give_up(int which, Ending ending, std::uint32_t* out) {
  const int self = static_cast<int>(threadIdx.x);
  out[self] = 1;
  if (ending == Ending::assertion) assert(self != which);
  if (self != which) return;
  if (ending == Ending::trap) __trap();
  abort();
}

__global__ void print() {
  printf("thread %u of %d, %.3f\n", threadIdx.x, 17, 0.25);
  printf("a line\n");
}

__global__ void hinted_copy(const std::uint32_t* from, std::uint32_t* to) {
  to[0] = __ldg(from);
  const auto* const vectors = reinterpret_cast<const uint4*>(from);
  __builtin_nontemporal_store(__builtin_nontemporal_load(vectors + 1),
                              reinterpret_cast<uint4*>(to) + 1);
}

dim3 threads_of(int n) { return {static_cast<std::uint32_t>(n)}; }

}  // namespace

void launch_barrier_votes(int threads, int below, std::int32_t* out) {
  hipLaunchKernelGGL(barrier_votes, dim3(1), threads_of(threads), 0, nullptr, below, out);
}
void launch_split_vote(int threads, std::uint32_t* out) {
  hipLaunchKernelGGL(split_vote, dim3(1), threads_of(threads), 0, nullptr, out);
}
void launch_wait_for_clock(long long cycles, std::int64_t* out) {
  hipLaunchKernelGGL(wait_for_clock, dim3(1), dim3(64), 0, nullptr, cycles, out);
}
void launch_poll_with_limit(const std::uint32_t* flag, long long cycles, std::uint32_t* out,
                            hipStream_t stream) {
  hipLaunchKernelGGL(poll_with_limit, dim3(1), dim3(1), 0, stream, flag, cycles, out);
}
void launch_sleeps(std::int64_t* out) {
  hipLaunchKernelGGL(sleeps, dim3(1), dim3(1), 0, nullptr, out);
}
void launch_sleep_for_ever() { hipLaunchKernelGGL(sleep_for_ever, dim3(1), dim3(1), 0, nullptr); }
void launch_signal_after(std::uint32_t* flag, unsigned nanoseconds, hipStream_t stream) {
  hipLaunchKernelGGL(signal_after, dim3(1), dim3(1), 0, stream, flag, nanoseconds);
}
void launch_give_up(int threads, int which, Ending ending, std::uint32_t* out) {
  hipLaunchKernelGGL(give_up, dim3(1), threads_of(threads), 0, nullptr, which, ending, out);
}
void launch_print(int threads) {
  hipLaunchKernelGGL(print, dim3(1), threads_of(threads), 0, nullptr);
}
void launch_hinted_copy(const std::uint32_t* from, std::uint32_t* to) {
  hipLaunchKernelGGL(hinted_copy, dim3(1), dim3(1), 0, nullptr, from, to);
}

}  // namespace rankle::sim::testing
