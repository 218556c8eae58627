// One-stage all-reduce: every rank reads the whole message of every rank and sums it itself. After
// AITER's vectorised one-stage kernel: the block is split into one group of threads per rank, tiles
// go through a double-buffered shared tile, and the next tile is on its way while group 0 sums the
// last one.
//
// Departures: threads beyond world * width are surplus and load nothing (with 6 ranks and 512
// threads theirs read a seventh rank), and both barriers between ranks carry data.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>

#include "kernels/allreduce/dispatch.h"
#include "kernels/allreduce/two_stage.h"

namespace rankle::kernels {

// One call on one rank. Every pointer to packs is 16-byte aligned. `output` may not be an input:
// peers read inputs until the last barrier.
template <int kWorld>
struct OneStageArgs {
  PeerBuffers<const uint4, kWorld> inputs;  // `packs` packs each
  PerRank<Signals, kWorld> signals;
  uint4* output;  // `packs` packs
  int rank;
  std::int64_t packs;
};

// The loop runs from the block's first pack, so that its trip count, and with it the number of
// barriers, is the same for all threads of the block. One barrier a tile is enough: behind it the
// tile is complete, and group 0 has finished with the other buffer, which the prefetch overwrites.
template <typename T, typename Acc, int kWorld>
__global__ void __launch_bounds__(kThreadsMax) one_stage(OneStageArgs<kWorld> args) {
  __shared__ uint4 tiles[2][kThreadsMax];
  const TileLane me = this_lane<kWorld>();
  const uint4* input = me.group < kWorld ? args.inputs.of(me.group) : nullptr;
  const auto prefetch = [&](std::int64_t first, int buffer) {
    const std::int64_t i = first + me.lane;
    if (me.group < kWorld && i < args.packs) tiles[buffer][threadIdx.x] = input[i];
  };
  const std::int64_t stride = std::int64_t{gridDim.x} * me.width;
  int buffer = 0;
  start_barrier(args.signals, args.rank);
  prefetch(std::int64_t{blockIdx.x} * me.width, buffer);
  for (std::int64_t first = std::int64_t{blockIdx.x} * me.width; first < args.packs;
       first += stride) {
    __syncthreads();
    prefetch(first + stride, buffer ^ 1);
    const std::int64_t i = first + me.lane;
    if (me.group == 0 && i < args.packs) {
      args.output[i] = sum_from_tile<T, Acc, kWorld>(tiles[buffer], me);
    }
    buffer ^= 1;
  }
  // Peers have read this rank's input: whatever this stream does next may overwrite it.
  end_barrier<Carries::data>(args.signals, args.rank);
}

// Enqueues one call; `plan` is the same on all ranks and has at least one block.
template <typename T, typename Acc, int kWorld>
hipError_t launch_one_stage(const OneStageArgs<kWorld>& args, const Grid& plan,
                            hipStream_t stream) {
  const auto kernel = one_stage<T, Acc, kWorld>;
  hipLaunchKernelGGL(kernel, dim3(plan.blocks), dim3(plan.threads), 0, stream, args);
  return hipGetLastError();
}

}  // namespace rankle::kernels
