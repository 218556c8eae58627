// Two-stage all-reduce in write mode: ranks push to each other and never read a peer's memory.
// After AITER's write mode: every rank pushes the part that rank g owns into rank g's scratch; each
// owner sums what has come and pushes the sums to every rank, either straight into the ranks'
// registered outputs (broadcast) or into their scratch, from where each rank copies them.
//
// Departure: there is a barrier before the first push. Without it a fast rank writes into the
// scratch of a peer that is still in its last call. None is needed at the end: nobody touches this
// rank's memory behind the last barrier before this rank starts another call.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>

#include "kernels/allreduce/dispatch.h"
#include "kernels/allreduce/scratch.h"
#include "kernels/allreduce/two_stage.h"

namespace rankle::kernels {

// One call on one rank. Every pointer to packs is 16-byte aligned. `output` may be `input`.
template <int kWorld>
struct TwoStageWriteArgs {
  const uint4* input;  // `packs` packs
  PerRank<Signals, kWorld> signals;
  PerRank<uint4, kWorld> scratch;      // WriteScratch::packs() packs each
  PeerBuffers<uint4, kWorld> outputs;  // `packs` packs each; for broadcast only
  uint4* output;                       // `packs` packs
  int rank;
  bool broadcast;  // sums go straight into the outputs
  std::int64_t packs;

  __host__ __device__ constexpr Partition partition() const { return {packs, kWorld}; }

  // Where the sums of all parts come together on `to`.
  __device__ uint4* result(int to) const {
    return broadcast ? outputs.of(to) : scratch.at[to] + WriteScratch{partition()}.result();
  }
};

// Stage 1: group g pushes the part of one owner into the owner's scratch.
template <int kWorld>
__device__ __attribute__((always_inline)) inline void push_parts(
    const TwoStageWriteArgs<kWorld>& args, const TileLane& me) {
  if (me.group >= kWorld) return;  // surplus thread
  const Partition partition = args.partition();
  const int owner = (me.group + args.rank) % kWorld;  // not all ranks push to one peer at once
  const uint4* part = args.input + partition.begin(owner);
  uint4* slot = args.scratch.at[owner] + WriteScratch{partition}.slot(args.rank);
  const std::int64_t owned = partition.owned(owner);
  const std::int64_t stride = std::int64_t{gridDim.x} * me.width;
  for (std::int64_t i = std::int64_t{blockIdx.x} * me.width + me.lane; i < owned; i += stride) {
    slot[i] = part[i];
  }
}

// Stage 2: sums what has come for the own part, and pushes the sums to every rank. The trip count
// is uniform. Two barriers a tile are enough: `sums` is overwritten behind the next tile's first
// one, and every group has pushed its sums before it arrives there.
template <typename T, typename Acc, int kWorld>
__device__ __attribute__((always_inline)) inline void reduce_and_push(
    const TwoStageWriteArgs<kWorld>& args, const TileLane& me) {
  __shared__ uint4 tile[kThreadsMax];
  __shared__ uint4 sums[kThreadsMax];
  const Partition partition = args.partition();
  const std::int64_t owned = partition.owned(args.rank);
  const int peer = (me.group + args.rank) % kWorld;
  const uint4* slot = args.scratch.at[args.rank] + WriteScratch{partition}.slot(me.group);
  uint4* result = args.result(peer) + partition.begin(args.rank);
  const std::int64_t stride = std::int64_t{gridDim.x} * me.width;
  for (std::int64_t first = std::int64_t{blockIdx.x} * me.width; first < owned; first += stride) {
    const std::int64_t i = first + me.lane;
    const bool moves = me.group < kWorld && i < owned;
    if (moves) tile[threadIdx.x] = slot[i];
    __syncthreads();
    if (me.group == 0 && moves) sums[me.lane] = sum_from_tile<T, Acc, kWorld>(tile, me);
    __syncthreads();
    if (moves) result[i] = sums[me.lane];
  }
}

// Stage 3: from the own scratch to the output, each pack in the block that its owner's push has
// met.
template <int kWorld>
__device__ __attribute__((always_inline)) inline void copy_results(
    const TwoStageWriteArgs<kWorld>& args, const TileLane& me) {
  if (me.group >= kWorld) return;  // surplus thread
  const Partition partition = args.partition();
  const uint4* from = args.result(args.rank) + partition.begin(me.group);
  uint4* to = args.output + partition.begin(me.group);
  const std::int64_t owned = partition.owned(me.group);
  const std::int64_t stride = std::int64_t{gridDim.x} * me.width;
  for (std::int64_t i = std::int64_t{blockIdx.x} * me.width + me.lane; i < owned; i += stride) {
    to[i] = from[i];
  }
}

template <typename T, typename Acc, int kWorld>
__global__ void __launch_bounds__(kThreadsMax) two_stage_write(TwoStageWriteArgs<kWorld> args) {
  const TileLane me = this_lane<kWorld>();
  // Every rank has left its last call, and nobody reads the scratch that is written now.
  start_barrier(args.signals, args.rank);
  push_parts(args, me);
  // The parts that peers pushed here; and, in place, the own reads of the input.
  end_barrier<Carries::data>(args.signals, args.rank);
  reduce_and_push<T, Acc>(args, me);
  // The sums that peers pushed here.
  end_barrier<Carries::data>(args.signals, args.rank);
  if (!args.broadcast) copy_results(args, me);
}

// Enqueues one call; `plan` is the same on all ranks and has at least one block.
template <typename T, typename Acc, int kWorld>
hipError_t launch_two_stage_write(const TwoStageWriteArgs<kWorld>& args, const Grid& plan,
                                  hipStream_t stream) {
  const auto kernel = two_stage_write<T, Acc, kWorld>;
  hipLaunchKernelGGL(kernel, dim3(plan.blocks), dim3(plan.threads), 0, stream, args);
  return hipGetLastError();
}

}  // namespace rankle::kernels
