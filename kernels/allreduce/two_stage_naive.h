// Two-stage all-reduce without groups or shared memory, for messages of any number of packs. After
// vLLM's two-stage kernel: each thread sums packs of its own rank's part, then copies the same
// packs of every part. No block barrier lies in a loop, so trip counts are free.
//
// Departure: sums are in rank order, where theirs begin at the owner's rank, so that an element's
// bits do not depend on the part that it falls in.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>

#include "kernels/allreduce/dispatch.h"
#include "kernels/allreduce/two_stage.h"

namespace rankle::kernels {

// Stage 2: pack i of every part, in the block that summed it on the owner. Only the last rank's
// part goes on to `largest`.
template <int kWorld>
__device__ __attribute__((always_inline)) inline void gather_every_part(
    const TwoStageArgs<kWorld>& args, std::int64_t thread, std::int64_t stride) {
  const Partition partition = args.partition();
  for (std::int64_t i = thread; i < partition.largest(); i += stride) {
#pragma unroll
    for (int r = 0; r < kWorld; ++r) {
      const int owner = (args.rank + r) % kWorld;  // not all ranks read from one peer at once
      if (i < partition.owned(owner)) {
        args.output[partition.begin(owner) + i] = args.scratch.at[owner][i];
      }
    }
  }
}

template <typename T, typename Acc, int kWorld>
__global__ void __launch_bounds__(kThreadsMax) two_stage_naive(TwoStageArgs<kWorld> args) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  const std::int64_t begin = args.partition().begin(args.rank);
  const std::int64_t owned = args.partition().owned(args.rank);
  const PerRank<const uint4, kWorld> inputs = args.inputs.of_all();
  uint4* sums = args.scratch.at[args.rank];
  start_barrier(args.signals, args.rank);
  for (std::int64_t i = thread; i < owned; i += stride) {
    sums[i] = sum_from_inputs<T, Acc>(inputs, begin + i);
  }
  // The sums of the peers' blocks (read after write) and, in place, their reads of this rank's
  // input.
  end_barrier<Carries::data>(args.signals, args.rank);
  gather_every_part(args, thread, stride);
  // Peers have read this rank's scratch: whatever this stream does next may overwrite it.
  end_barrier<Carries::data>(args.signals, args.rank);
}

// Enqueues one call; `plan` is the same on all ranks and has at least one block.
template <typename T, typename Acc, int kWorld>
hipError_t launch_two_stage_naive(const TwoStageArgs<kWorld>& args, const Grid& plan,
                                  hipStream_t stream) {
  const auto kernel = two_stage_naive<T, Acc, kWorld>;
  hipLaunchKernelGGL(kernel, dim3(plan.blocks), dim3(plan.threads), 0, stream, args);
  return hipGetLastError();
}

}  // namespace rankle::kernels
