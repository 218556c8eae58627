// Device side: qualifiers, built-in variables, shared memory, block barrier and fences.
//
// threadIdx and its siblings call functions declared `const`: within one GPU thread (a fiber) their
// values never change, so the compiler may keep them, exactly as with the GPU's special registers.
#pragma once

#include <cstdint>

#include "hip/hip_vector_types.h"

#define __global__
// A __device__ or __constant__ variable is a variable of the plugin's private copy, one for each
// rank. It lies outside of simulated memory: accesses to it are not checked.
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)

// Every access to a thread_local goes through __emutls_get_address (-femulated-tls), which returns
// the current block's storage. `used` keeps a variable that is never written from folding to zero.
#define __shared__ __attribute__((used)) thread_local

#define HIP_DYNAMIC_SHARED(type, name) \
  type* const name = static_cast<type*>(rankle_sim_dynamic_shared());

extern "C" {
// Packed as x | y << 20 | z << 40 would cost unpacking; one call per component is what is used.
unsigned rankle_sim_thread_index(int axis) __attribute__((const));
unsigned rankle_sim_block_index(int axis) __attribute__((const));
unsigned rankle_sim_block_dim(int axis) __attribute__((const));
unsigned rankle_sim_grid_dim(int axis) __attribute__((const));
int rankle_sim_wave_size() __attribute__((const));
void* rankle_sim_dynamic_shared() __attribute__((const));
void rankle_sim_barrier() __attribute__((convergent));
// Returns for how many threads of the block the predicate holds; of *voters threads.
int rankle_sim_barrier_vote(int predicate, int* voters) __attribute__((convergent));
}

namespace rankle_sim {

struct ThreadIndex {
  __declspec(property(get = get_x)) unsigned x;
  __declspec(property(get = get_y)) unsigned y;
  __declspec(property(get = get_z)) unsigned z;
  __forceinline__ unsigned get_x() const { return rankle_sim_thread_index(0); }
  __forceinline__ unsigned get_y() const { return rankle_sim_thread_index(1); }
  __forceinline__ unsigned get_z() const { return rankle_sim_thread_index(2); }
  operator dim3() const { return dim3(get_x(), get_y(), get_z()); }
};

struct BlockIndex {
  __declspec(property(get = get_x)) unsigned x;
  __declspec(property(get = get_y)) unsigned y;
  __declspec(property(get = get_z)) unsigned z;
  __forceinline__ unsigned get_x() const { return rankle_sim_block_index(0); }
  __forceinline__ unsigned get_y() const { return rankle_sim_block_index(1); }
  __forceinline__ unsigned get_z() const { return rankle_sim_block_index(2); }
  operator dim3() const { return dim3(get_x(), get_y(), get_z()); }
};

struct BlockDim {
  __declspec(property(get = get_x)) unsigned x;
  __declspec(property(get = get_y)) unsigned y;
  __declspec(property(get = get_z)) unsigned z;
  __forceinline__ unsigned get_x() const { return rankle_sim_block_dim(0); }
  __forceinline__ unsigned get_y() const { return rankle_sim_block_dim(1); }
  __forceinline__ unsigned get_z() const { return rankle_sim_block_dim(2); }
  operator dim3() const { return dim3(get_x(), get_y(), get_z()); }
};

struct GridDim {
  __declspec(property(get = get_x)) unsigned x;
  __declspec(property(get = get_y)) unsigned y;
  __declspec(property(get = get_z)) unsigned z;
  __forceinline__ unsigned get_x() const { return rankle_sim_grid_dim(0); }
  __forceinline__ unsigned get_y() const { return rankle_sim_grid_dim(1); }
  __forceinline__ unsigned get_z() const { return rankle_sim_grid_dim(2); }
  operator dim3() const { return dim3(get_x(), get_y(), get_z()); }
};

// An object and no macro: hipDeviceProp_t has a field of the same name.
struct WaveSize {
  __forceinline__ operator int() const { return rankle_sim_wave_size(); }
};

}  // namespace rankle_sim

inline constexpr rankle_sim::ThreadIndex threadIdx{};
inline constexpr rankle_sim::BlockIndex blockIdx{};
inline constexpr rankle_sim::BlockDim blockDim{};
inline constexpr rankle_sim::GridDim gridDim{};
inline constexpr rankle_sim::WaveSize warpSize{};

// Two barriers of the source must stay two calls: the divergence rule tells them apart by their
// line.
__forceinline__ void __syncthreads() { [[clang::nomerge]] rankle_sim_barrier(); }
__forceinline__ void __builtin_amdgcn_s_barrier() { [[clang::nomerge]] rankle_sim_barrier(); }

// Barriers of the block which also tell for how many of its threads, for any, or for all of them
// the predicate holds.
__forceinline__ int __syncthreads_count(int predicate) {
  int voters = 0;
  [[clang::nomerge]] return rankle_sim_barrier_vote(predicate, &voters);
}
__forceinline__ int __syncthreads_or(int predicate) {
  int voters = 0;
  [[clang::nomerge]] return rankle_sim_barrier_vote(predicate, &voters) != 0;
}
__forceinline__ int __syncthreads_and(int predicate) {
  int voters = 0;
  int votes = 0;
  [[clang::nomerge]] votes = rankle_sim_barrier_vote(predicate, &voters);
  return votes == voters;
}
