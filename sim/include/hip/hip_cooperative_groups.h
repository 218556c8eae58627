// Cooperative groups, as far as collectives use them: the thread block, the grid of a cooperative
// launch, and tiles of a block whose size is known at compile time.
#pragma once

#include <hip/hip_runtime.h>

extern "C" {
// Waits for all threads of the grid.
void rankle_sim_grid_barrier() __attribute__((convergent));
// True in a kernel of hipLaunchCooperativeKernel.
int rankle_sim_is_cooperative();
}

namespace cooperative_groups {

class thread_block {
 public:
  __forceinline__ void sync() const { __syncthreads(); }
  __forceinline__ unsigned size() const { return blockDim.x * blockDim.y * blockDim.z; }
  __forceinline__ unsigned num_threads() const { return size(); }
  // x runs fastest.
  __forceinline__ unsigned thread_rank() const {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  __forceinline__ dim3 group_index() const { return blockIdx; }
  __forceinline__ dim3 thread_index() const { return threadIdx; }
  __forceinline__ dim3 group_dim() const { return blockDim; }
  __forceinline__ bool is_valid() const { return true; }
};

class grid_group {
 public:
  // Only after a cooperative launch; anything else is an api-error here and undefined on a GPU.
  __forceinline__ void sync() const { [[clang::nomerge]] rankle_sim_grid_barrier(); }
  __forceinline__ bool is_valid() const { return rankle_sim_is_cooperative() != 0; }
  __forceinline__ unsigned num_blocks() const { return gridDim.x * gridDim.y * gridDim.z; }
  __forceinline__ unsigned long long size() const {
    return static_cast<unsigned long long>(num_blocks()) * thread_block().size();
  }
  __forceinline__ unsigned long long num_threads() const { return size(); }
  __forceinline__ unsigned block_rank() const {
    return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  __forceinline__ unsigned long long thread_rank() const {
    return static_cast<unsigned long long>(block_rank()) * thread_block().size() +
           thread_block().thread_rank();
  }
};

// `kSize` neighbouring threads of a block, within one wave.
template <unsigned kSize>
class thread_block_tile {
  static_assert(kSize > 0 && kSize <= 64 && (kSize & (kSize - 1)) == 0,
                "the size of a tile is a power of two, at most that of a wave");
  static constexpr int kWidth = static_cast<int>(kSize);

 public:
  __forceinline__ unsigned thread_rank() const { return thread_block().thread_rank() % kSize; }
  static constexpr unsigned size() { return kSize; }
  static constexpr unsigned num_threads() { return kSize; }
  __forceinline__ unsigned meta_group_rank() const { return thread_block().thread_rank() / kSize; }
  __forceinline__ unsigned meta_group_size() const {
    return (thread_block().size() + kSize - 1) / kSize;
  }
  __forceinline__ void sync() const { __syncwarp(mask()); }
  template <typename T>
  __forceinline__ T shfl(T value, int source) const {
    return __shfl_sync(mask(), value, source, kWidth);
  }
  template <typename T>
  __forceinline__ T shfl_up(T value, unsigned delta) const {
    return __shfl_up_sync(mask(), value, delta, kWidth);
  }
  template <typename T>
  __forceinline__ T shfl_down(T value, unsigned delta) const {
    return __shfl_down_sync(mask(), value, delta, kWidth);
  }
  template <typename T>
  __forceinline__ T shfl_xor(T value, int lanes) const {
    return __shfl_xor_sync(mask(), value, lanes, kWidth);
  }
  // Bits count from the tile's first thread.
  __forceinline__ unsigned long long ballot(int predicate) const {
    return __ballot_sync(mask(), predicate) >> first_lane();
  }
  __forceinline__ int any(int predicate) const { return __any_sync(mask(), predicate); }
  __forceinline__ int all(int predicate) const { return __all_sync(mask(), predicate); }

 private:
  __forceinline__ unsigned first_lane() const { return __lane_id() & ~(kSize - 1); }
  __forceinline__ unsigned long long mask() const {
    return (~0ULL >> (64 - kSize)) << first_lane();
  }
};

__forceinline__ thread_block this_thread_block() { return {}; }
__forceinline__ grid_group this_grid() { return {}; }
template <unsigned kSize>
__forceinline__ thread_block_tile<kSize> tiled_partition(const thread_block&) {
  return {};
}
template <typename Group>
__forceinline__ void sync(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
