// Two-stage all-reduce whose shared-memory loop has a uniform trip count: the loop runs over tiles,
// so that all threads of a block meet in the same barriers, and a partial tile is masked by lane.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>

#include "kernels/allreduce/dispatch.h"
#include "kernels/allreduce/two_stage.h"

namespace rankle::kernels {

// Stage 1: group g loads rank g's packs of a tile, then group 0 sums them into the own scratch.
template <typename T, typename Acc, int kWorld>
__device__ __attribute__((always_inline)) inline void reduce_tiles(const TwoStageArgs<kWorld>& args,
                                                                   const TileLane& me) {
  __shared__ uint4 tile[kThreadsMax];
  const Partition partition = args.partition();
  const std::int64_t owned = partition.owned(args.rank);
  const std::int64_t begin = partition.begin(args.rank);
  const uint4* input = me.group < kWorld ? args.inputs.of(me.group) + begin : nullptr;
  uint4* sums = args.scratch.at[args.rank];
  const std::int64_t stride = std::int64_t{gridDim.x} * me.width;
  for (std::int64_t first = std::int64_t{blockIdx.x} * me.width; first < owned; first += stride) {
    const std::int64_t i = first + me.lane;
    if (me.group < kWorld && i < owned) tile[threadIdx.x] = input[i];
    __syncthreads();
    if (me.group == 0 && i < owned) sums[i] = sum_from_tile<T, Acc, kWorld>(tile, me);
    __syncthreads();  // group 0 is done with the tile
  }
}

template <typename T, typename Acc, int kWorld>
__global__ void __launch_bounds__(kThreadsMax) two_stage_uniform(TwoStageArgs<kWorld> args) {
  const TileLane me = this_lane<kWorld>();
  start_barrier(args.signals, args.rank);
  reduce_tiles<T, Acc>(args, me);
  // The sums of the peers' blocks (read after write) and, in place, their reads of this rank's
  // input.
  end_barrier<Carries::data>(args.signals, args.rank);
  gather_parts(args, me);
  // Peers have read this rank's scratch: whatever this stream does next may overwrite it. That may
  // be anything, not only a kernel that begins with a start barrier, so the flag itself has to
  // carry it.
  end_barrier<Carries::data>(args.signals, args.rank);
}

// Enqueues one call; `plan` is the same on all ranks and has at least one block.
template <typename T, typename Acc, int kWorld>
hipError_t launch_two_stage_uniform(const TwoStageArgs<kWorld>& args, const TwoStagePlan& plan,
                                    hipStream_t stream) {
  const auto kernel = two_stage_uniform<T, Acc, kWorld>;
  hipLaunchKernelGGL(kernel, dim3(plan.blocks), dim3(plan.threads), 0, stream, args);
  return hipGetLastError();
}

}  // namespace rankle::kernels
