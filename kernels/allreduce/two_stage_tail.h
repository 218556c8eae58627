// Two-stage all-reduce with the partial tile taken out of the shared-memory loop: the loop runs
// over complete tiles only, so that every thread of a block executes the same number of barriers
// with no test in it, and the leftover packs are reduced directly by the threads that the loop
// would have given them to. Same accumulation order as two_stage_uniform, no further
// synchronisation between devices. (The idea is AITER's specialisation of partial tiles; messages
// without any use kHasTail = false.)
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>

#include "kernels/allreduce/dispatch.h"
#include "kernels/allreduce/two_stage.h"

namespace rankle::kernels {

// Stage 1 on complete tiles: group g loads rank g's packs, then group 0 sums them into the own
// scratch.
template <typename T, typename Acc, int kWorld>
__device__ __attribute__((always_inline)) inline void reduce_complete_tiles(
    const TwoStageArgs<kWorld>& args, const TileLane& me, std::int64_t complete) {
  __shared__ uint4 tile[kThreadsMax];
  const std::int64_t begin = args.partition().begin(args.rank);
  const uint4* input = me.group < kWorld ? args.inputs.of(me.group) + begin : nullptr;
  uint4* sums = args.scratch.at[args.rank];
  const std::int64_t stride = std::int64_t{gridDim.x} * me.width;
  for (std::int64_t first = std::int64_t{blockIdx.x} * me.width; first < complete;
       first += stride) {
    const std::int64_t i = first + me.lane;
    if (me.group < kWorld) tile[threadIdx.x] = input[i];
    __syncthreads();
    if (me.group == 0) sums[i] = sum_from_tile<T, Acc, kWorld>(tile, me);
    __syncthreads();  // group 0 is done with the tile
  }
}

// Stage 1 on the packs behind the last complete tile, fewer than one tile: group 0 of the block
// whose turn it is sums them straight from the inputs.
template <typename T, typename Acc, int kWorld>
__device__ __attribute__((always_inline)) inline void reduce_leftover(
    const TwoStageArgs<kWorld>& args, const TileLane& me, std::int64_t complete) {
  const Partition partition = args.partition();
  const std::int64_t owned = partition.owned(args.rank);
  const std::int64_t turn = complete / me.width % gridDim.x;
  const std::int64_t i = complete + me.lane;
  if (blockIdx.x == turn && me.group == 0 && i < owned) {
    const PerRank<const uint4, kWorld> inputs = args.inputs.of_all();
    args.scratch.at[args.rank][i] = sum_from_inputs<T, Acc>(inputs, partition.begin(args.rank) + i);
  }
}

// kHasTail = false: every rank's part is a whole number of tiles.
template <typename T, typename Acc, int kWorld, bool kHasTail>
__global__ void __launch_bounds__(kThreadsMax) two_stage_tail(TwoStageArgs<kWorld> args) {
  const TileLane me = this_lane<kWorld>();
  const std::int64_t owned = args.partition().owned(args.rank);
  const std::int64_t complete = kHasTail ? owned / me.width * me.width : owned;
  start_barrier(args.signals, args.rank);
  reduce_complete_tiles<T, Acc>(args, me, complete);
  if constexpr (kHasTail) reduce_leftover<T, Acc>(args, me, complete);
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
hipError_t launch_two_stage_tail(const TwoStageArgs<kWorld>& args, const TwoStagePlan& plan,
                                 hipStream_t stream) {
  const auto kernel =
      plan.has_tail ? two_stage_tail<T, Acc, kWorld, true> : two_stage_tail<T, Acc, kWorld, false>;
  hipLaunchKernelGGL(kernel, dim3(plan.blocks), dim3(plan.threads), 0, stream, args);
  return hipGetLastError();
}

}  // namespace rankle::kernels
