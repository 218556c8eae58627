// One-stage all-reduce without groups or shared memory: each thread reads its pack from all ranks
// and sums it. After vLLM's one-stage kernel.
//
// Departure: it takes any number of elements at any address. Packs are used if every rank's buffers
// are aligned to them, which all ranks must see alike; what does not fill a pack, or everything, is
// summed element by element, with the same bits.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>

#include "kernels/allreduce/dispatch.h"
#include "kernels/communicator/peer_pointers.h"
#include "kernels/pack.h"
#include "kernels/reduce.h"
#include "kernels/signal.h"

namespace rankle::kernels {

// One call on one rank. `output` may not be an input: peers read inputs until the last barrier.
template <typename T, int kWorld>
struct OneStageNaiveArgs {
  PeerBuffers<const T, kWorld> inputs;  // `count` elements each
  PerRank<Signals, kWorld> signals;
  T* output;  // `count` elements
  int rank;
  std::int64_t count;
  // Elements from the start that are moved in packs, a multiple of kPackElements<T>. More than 0
  // only if every input and every output is aligned to packs.
  std::int64_t packed;
};

template <typename T, typename Acc, int kWorld>
__device__ __attribute__((always_inline)) inline void sum_packs(
    const OneStageNaiveArgs<T, kWorld>& args, std::int64_t thread, std::int64_t stride) {
  const PerRank<const T, kWorld> inputs = args.inputs.of_all();
  auto* output = reinterpret_cast<uint4*>(args.output);
  const std::int64_t packs = args.packed / kPackElements<T>;
  for (std::int64_t i = thread; i < packs; i += stride) {
    uint4 packs_of_ranks[kWorld];
#pragma unroll
    for (int rank = 0; rank < kWorld; ++rank) {
      packs_of_ranks[rank] = reinterpret_cast<const uint4*>(inputs.at[rank])[i];
    }
    output[i] = sum_in_rank_order<T, Acc>(packs_of_ranks);
  }
}

template <typename T, typename Acc, int kWorld>
__device__ __attribute__((always_inline)) inline void sum_elements(
    const OneStageNaiveArgs<T, kWorld>& args, std::int64_t thread, std::int64_t stride) {
  const PerRank<const T, kWorld> inputs = args.inputs.of_all();
  for (std::int64_t i = args.packed + thread; i < args.count; i += stride) {
    T elements[kWorld];
#pragma unroll
    for (int rank = 0; rank < kWorld; ++rank) elements[rank] = inputs.at[rank][i];
    args.output[i] = sum_element<T, Acc>(elements);
  }
}

template <typename T, typename Acc, int kWorld>
__global__ void __launch_bounds__(kThreadsMax) one_stage_naive(OneStageNaiveArgs<T, kWorld> args) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  start_barrier(args.signals, args.rank);
  sum_packs<T, Acc>(args, thread, stride);
  sum_elements<T, Acc>(args, thread, stride);
  // Peers have read this rank's input: whatever this stream does next may overwrite it.
  end_barrier<Carries::data>(args.signals, args.rank);
}

// Enqueues one call; `plan` is the same on all ranks and has at least one block. `packed` of the
// arguments is set from the plan.
template <typename T, typename Acc, int kWorld>
hipError_t launch_one_stage_naive(OneStageNaiveArgs<T, kWorld> args, const NaivePlan& plan,
                                  hipStream_t stream) {
  const auto kernel = one_stage_naive<T, Acc, kWorld>;
  args.packed = plan.in_packs ? args.count / kPackElements<T> * kPackElements<T> : 0;
  hipLaunchKernelGGL(kernel, dim3(plan.blocks), dim3(plan.threads), 0, stream, args);
  return hipGetLastError();
}

}  // namespace rankle::kernels
