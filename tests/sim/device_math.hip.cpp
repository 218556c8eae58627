// Kernels of math_kernels.h: vector types, cooperative groups, shared variables that a GPU refuses.
#include <hip/hip_bf16.h>
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_fp16.h>

#include "tests/sim/math_kernels.h"

namespace rankle::sim::testing {
namespace {

namespace cg = cooperative_groups;

__global__ void grid_sync(std::uint32_t* slots, std::uint32_t* sums) {
  const cg::grid_group grid = cg::this_grid();
  slots[grid.thread_rank()] = static_cast<std::uint32_t>(grid.thread_rank()) + 1;
  grid.sync();
  std::uint32_t sum = 0;
  for (unsigned i = 0; i < grid.size(); ++i) sum += slots[i];
  sums[grid.thread_rank()] = sum;
  grid.sync();
  slots[grid.thread_rank()] = 0;
}

__global__ void leave_before_grid_sync(std::uint32_t* slots) {
  if (blockIdx.x == 1) return;
  cg::this_grid().sync();
  slots[0] = 1;
}

__global__ void tiles(std::uint32_t* out) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  std::uint32_t sum = block.thread_rank();
  for (int step = 4; step > 0; step /= 2) sum += tile.shfl_xor(sum, step);
  tile.sync();
  std::uint32_t* const to = out + block.thread_rank() * 4;
  to[0] = sum;
  to[1] = static_cast<std::uint32_t>(tile.ballot(tile.thread_rank() % 2 == 0));
  to[2] = tile.meta_group_rank();
  to[3] = tile.shfl(block.thread_rank(), 3);
  block.sync();
}

template <typename V>
__global__ void copy_one(const V* from, V* to) {
  *to = *from;
}

__global__ void initialised_shared(std::uint32_t* out) {
  __shared__ std::uint32_t table[4] = {1, 2, 3, 4};
  out[threadIdx.x] = table[threadIdx.x];
}

__global__ void half_sums(const __half2* a, const __hip_bfloat16* b, float* out) {
  const __half2 sum = __hadd2(a[threadIdx.x], a[threadIdx.x]);
  const __half2 other = __shfl_xor(sum, 1);
  const __hip_bfloat16 product = __hmul(b[threadIdx.x], b[threadIdx.x]);
  out[threadIdx.x] = __low2float(other) + __bfloat162float(product);
}

}  // namespace

hipError_t launch_grid_sync(int blocks, int threads, std::uint32_t* slots, std::uint32_t* sums) {
  void* arguments[] = {&slots, &sums};
  return hipLaunchCooperativeKernel(grid_sync, dim3(static_cast<unsigned>(blocks)),
                                    dim3(static_cast<unsigned>(threads)), arguments, 0, nullptr);
}
hipError_t launch_leave_before_grid_sync(std::uint32_t* slots) {
  void* arguments[] = {&slots};
  return hipLaunchCooperativeKernel(leave_before_grid_sync, dim3(3), dim3(64), arguments, 0,
                                    nullptr);
}
void launch_grid_sync_plainly(std::uint32_t* slots, std::uint32_t* sums) {
  hipLaunchKernelGGL(grid_sync, dim3(1), dim3(1), 0, nullptr, slots, sums);
}
void launch_tiles(int threads, std::uint32_t* out) {
  hipLaunchKernelGGL(tiles, dim3(1), dim3(static_cast<unsigned>(threads)), 0, nullptr, out);
}
void launch_initialised_shared(std::uint32_t* out) {
  hipLaunchKernelGGL(initialised_shared, dim3(1), dim3(4), 0, nullptr, out);
}
void launch_half_sums(int threads, const void* a, const void* b, float* out) {
  hipLaunchKernelGGL(half_sums, dim3(1), dim3(static_cast<unsigned>(threads)), 0, nullptr,
                     static_cast<const __half2*>(a), static_cast<const __hip_bfloat16*>(b), out);
}
template <typename V>
void launch_copy_one(const V* from, V* to) {
  hipLaunchKernelGGL(copy_one<V>, dim3(1), dim3(1), 0, nullptr, from, to);
}

#define RANKLE_INSTANTIATE(name)                                      \
  template void launch_copy_one<name##1>(const name##1 *, name##1 *); \
  template void launch_copy_one<name##2>(const name##2 *, name##2 *); \
  template void launch_copy_one<name##3>(const name##3 *, name##3 *); \
  template void launch_copy_one<name##4>(const name##4 *, name##4 *);
RANKLE_INSTANTIATE(char)
RANKLE_INSTANTIATE(ushort)
RANKLE_INSTANTIATE(int)
RANKLE_INSTANTIATE(float)
RANKLE_INSTANTIATE(ulonglong)
RANKLE_INSTANTIATE(double)

}  // namespace rankle::sim::testing
