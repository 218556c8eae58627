// Kernels of device_kernels.h that use the lanes of a wave.
#include "tests/sim/device_kernels.h"

namespace rankle::sim::testing {
namespace {

constexpr std::uint64_t kFull = ~std::uint64_t{0};

__device__ unsigned lane() { return __lane_id(); }

__global__ void shuffles(int argument, int width, bool masked, std::uint32_t* out) {
  const std::uint32_t v = 1000 + threadIdx.x;
  std::uint32_t* const to = out + threadIdx.x * 4;
  const auto delta = static_cast<unsigned>(argument);
  if (masked) {
    to[0] = __shfl_sync(kFull, v, argument, width);
    to[1] = __shfl_up_sync(kFull, v, delta, width);
    to[2] = __shfl_down_sync(kFull, v, delta, width);
    to[3] = __shfl_xor_sync(kFull, v, argument, width);
  } else {
    to[0] = __shfl(v, argument, width);
    to[1] = __shfl_up(v, delta, width);
    to[2] = __shfl_down(v, delta, width);
    to[3] = __shfl_xor(v, argument, width);
  }
}

template <typename T>
__device__ std::uint32_t arrives_wrongly() {
  const T from_above = __shfl_down(static_cast<T>(threadIdx.x % 100), 1, 4);
  const unsigned expected = threadIdx.x % 4 == 3 ? threadIdx.x : threadIdx.x + 1;
  return from_above == static_cast<T>(expected % 100) ? 0 : 1;
}

__global__ void shuffle_types(std::uint32_t* wrong) {
  const std::uint32_t n = arrives_wrongly<int>() + arrives_wrongly<unsigned>() +
                          arrives_wrongly<long>() + arrives_wrongly<unsigned long>() +
                          arrives_wrongly<long long>() + arrives_wrongly<unsigned long long>() +
                          arrives_wrongly<float>() + arrives_wrongly<double>() +
                          arrives_wrongly<short>() + arrives_wrongly<unsigned char>();
  atomicAdd(wrong, n);
}

__global__ void votes(std::uint64_t* out) {
  std::uint64_t* const to = out + threadIdx.x * 4;
  to[0] = __ballot(lane() % 3 == 0);
  to[1] = static_cast<std::uint64_t>(__any(lane() == 1));
  to[2] = static_cast<std::uint64_t>(__all(lane() < 32));
  to[3] = __activemask();
}

__global__ void ballots_in_branches(std::uint64_t* out) {
  std::uint64_t* const to = out + threadIdx.x * 3;
  if (lane() % 2 == 0) {
    to[0] = __ballot(1);
  } else {
    to[1] = __ballot(1);
  }
  to[2] = __ballot(1);
}

__global__ void ballots_in_loop(std::uint64_t* out) {
  std::uint64_t* const to = out + threadIdx.x * 6;
  for (unsigned i = 0; i < lane() % 5; ++i) {
    to[i] = __ballot(1);
  }
  to[5] = __ballot(1);
}

__global__ void matches(std::uint64_t* out) {
  std::uint64_t* const to = out + threadIdx.x * 4;
  int all = 7;
  to[0] = __match_any_sync(kFull, lane() % 4);
  to[1] = __match_all_sync(kFull, lane() / 100, &all) == __activemask() && all == 1;
  to[1] |= __match_all_sync(kFull, lane() % 4, &all) << 1 | static_cast<unsigned>(all) << 1;
  to[2] = __reduce_add_sync(kFull, lane());
  to[3] = static_cast<std::uint32_t>(__reduce_min_sync(kFull, -static_cast<int>(lane())));
}

__global__ void wave_sums(std::uint32_t* out) {
  std::uint32_t sum = threadIdx.x + 1;
  for (int step = warpSize / 2; step > 0; step /= 2) sum += __shfl_xor(sum, step);
  out[threadIdx.x] = sum;
}

__global__ void amd_lane_functions(std::uint32_t* out) {
  std::uint32_t* const to = out + threadIdx.x * 3;
  to[0] = static_cast<std::uint32_t>(__builtin_amdgcn_readfirstlane(static_cast<int>(threadIdx.x)));
  to[1] = __builtin_amdgcn_mbcnt_hi(~0U, __builtin_amdgcn_mbcnt_lo(~0U, 0));
  const int other = static_cast<int>(lane() ^ 1U);
  to[2] = static_cast<std::uint32_t>(
      __builtin_amdgcn_ds_bpermute(other * 4, static_cast<int>(threadIdx.x)));
}

__global__ void shuffle_from(int source, std::uint32_t* out) {
  if (lane() < 16) out[threadIdx.x] = __shfl(100 + threadIdx.x, source);
}

__global__ void leave_before_sync(int leaving, std::uint32_t* out) {
  if (static_cast<int>(lane()) >= leaving) return;
  __syncwarp();
  out[threadIdx.x] = __shfl_sync(kFull, 100 + threadIdx.x, 0);
}

__global__ void split_wave(std::uint32_t* out) {
  if (lane() % 2 == 0) {
    __syncthreads();
  } else {
    __syncwarp(kFull);
  }
  out[threadIdx.x] = 1;
}

__global__ void syncwarp_at_two_lines(std::uint32_t* out) {
  if (lane() % 2 == 0) {
    __syncwarp(kFull);
    out[threadIdx.x] = 1;
  } else {
    __syncwarp(kFull);
    out[threadIdx.x] = 2;
  }
}

__global__ void syncwarp(std::uint64_t mask) { __syncwarp(mask); }

__global__ void wait_and_shuffle(const std::uint32_t* flag, std::uint32_t* out) {
  std::uint32_t v = 0;
  if (lane() == 0) {
    do {
      v = __hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM);
    } while (v == 0);
  }
  out[threadIdx.x] = __shfl(v, 0);
}

dim3 threads_of(int n) { return {static_cast<std::uint32_t>(n)}; }

}  // namespace

void launch_shuffles(int threads, int argument, int width, bool masked, std::uint32_t* out) {
  hipLaunchKernelGGL(shuffles, dim3(1), threads_of(threads), 0, nullptr, argument, width, masked,
                     out);
}
void launch_shuffle_types(int threads, std::uint32_t* wrong) {
  hipLaunchKernelGGL(shuffle_types, dim3(1), threads_of(threads), 0, nullptr, wrong);
}
void launch_votes(int threads, std::uint64_t* out) {
  hipLaunchKernelGGL(votes, dim3(1), threads_of(threads), 0, nullptr, out);
}
void launch_ballots_in_branches(int threads, std::uint64_t* out) {
  hipLaunchKernelGGL(ballots_in_branches, dim3(1), threads_of(threads), 0, nullptr, out);
}
void launch_ballots_in_loop(int threads, std::uint64_t* out) {
  hipLaunchKernelGGL(ballots_in_loop, dim3(1), threads_of(threads), 0, nullptr, out);
}
void launch_matches(int threads, std::uint64_t* out) {
  hipLaunchKernelGGL(matches, dim3(1), threads_of(threads), 0, nullptr, out);
}
void launch_wave_sums(int threads, std::uint32_t* out) {
  hipLaunchKernelGGL(wave_sums, dim3(1), threads_of(threads), 0, nullptr, out);
}
void launch_amd_lane_functions(int threads, std::uint32_t* out) {
  hipLaunchKernelGGL(amd_lane_functions, dim3(1), threads_of(threads), 0, nullptr, out);
}
void launch_shuffle_from(int threads, int source, std::uint32_t* out) {
  hipLaunchKernelGGL(shuffle_from, dim3(1), threads_of(threads), 0, nullptr, source, out);
}
void launch_leave_before_sync(int threads, int leaving, std::uint32_t* out) {
  hipLaunchKernelGGL(leave_before_sync, dim3(1), threads_of(threads), 0, nullptr, leaving, out);
}
void launch_split_wave(int threads, std::uint32_t* out) {
  hipLaunchKernelGGL(split_wave, dim3(1), threads_of(threads), 0, nullptr, out);
}
void launch_syncwarp_at_two_lines(int threads, std::uint32_t* out) {
  hipLaunchKernelGGL(syncwarp_at_two_lines, dim3(1), threads_of(threads), 0, nullptr, out);
}
void launch_syncwarp(int threads, std::uint64_t mask) {
  hipLaunchKernelGGL(syncwarp, dim3(1), threads_of(threads), 0, nullptr, mask);
}
void launch_wait_and_shuffle(int threads, const std::uint32_t* flag, std::uint32_t* out,
                             hipStream_t stream) {
  hipLaunchKernelGGL(wait_and_shuffle, dim3(1), threads_of(threads), 0, stream, flag, out);
}

}  // namespace rankle::sim::testing
