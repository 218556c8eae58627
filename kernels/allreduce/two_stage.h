// What the two-stage all-reduces share: their arguments, the sum of one pack over all ranks, and
// the second stage.
//
// Two stages, read mode (after AITER's custom all-reduce): each rank sums its own part of the
// message from all ranks' inputs into its own scratch; then every rank gathers all parts from all
// scratches.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>

#include "kernels/allreduce/dispatch.h"
#include "kernels/allreduce/partition.h"
#include "kernels/communicator/peer_pointers.h"
#include "kernels/pack.h"
#include "kernels/reduce.h"
#include "kernels/signal.h"

namespace rankle::kernels {

// One call on one rank. Every pointer to packs is 16-byte aligned. `output` may be this rank's
// input: a block overwrites packs of the input only behind the barrier with the peers'
// blocks that read them.
template <int kWorld>
struct TwoStageArgs {
  PeerBuffers<const uint4, kWorld> inputs;  // `packs` packs each
  PerRank<Signals, kWorld> signals;
  PerRank<uint4, kWorld> scratch;  // Partition::largest() packs each: the sums of that rank's part
  uint4* output;                   // `packs` packs
  int rank;
  std::int64_t packs;

  __host__ __device__ constexpr Partition partition() const { return {packs, kWorld}; }
};

// The calling thread's place in its block, as in TileLane.
template <int kWorld>
__device__ inline TileLane this_lane() {
  return TileLane::of(static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x), kWorld);
}

// Sums pack `index` of the message straight from the ranks' inputs.
template <typename T, typename Acc, int kWorld>
__device__ __attribute__((always_inline)) inline uint4 sum_from_inputs(
    const PerRank<const uint4, kWorld>& inputs, std::int64_t index) {
  uint4 packs[kWorld];
#pragma unroll
  for (int rank = 0; rank < kWorld; ++rank) packs[rank] = inputs.at[rank][index];
  return sum_in_rank_order<T, Acc>(packs);
}

// Sums what the groups have put into a shared tile for one lane: row r holds rank r's packs.
template <typename T, typename Acc, int kWorld>
__device__ __attribute__((always_inline)) inline uint4 sum_from_tile(const uint4* tile,
                                                                     const TileLane& me) {
  uint4 packs[kWorld];
#pragma unroll
  for (int rank = 0; rank < kWorld; ++rank) packs[rank] = tile[rank * me.width + me.lane];
  return sum_in_rank_order<T, Acc>(packs);
}

// Stage 2: copies every rank's sums into the output. Group g starts at rank (g + own) mod world, so
// that not all ranks read from one peer at once. A part ends where its owner's part ends: only the
// last rank's holds the remainder. No barrier in this loop, so trip counts may differ between
// threads.
template <int kWorld>
__device__ __attribute__((always_inline)) inline void gather_parts(const TwoStageArgs<kWorld>& args,
                                                                   const TileLane& me) {
  if (me.group >= kWorld) return;  // surplus thread
  const Partition partition = args.partition();
  const int owner = (me.group + args.rank) % kWorld;
  const uint4* sums = args.scratch.at[owner];
  uint4* output = args.output + partition.begin(owner);
  const std::int64_t owned = partition.owned(owner);
  const std::int64_t stride = std::int64_t{gridDim.x} * me.width;
  for (std::int64_t i = std::int64_t{blockIdx.x} * me.width + me.lane; i < owned; i += stride) {
    output[i] = sums[i];
  }
}

}  // namespace rankle::kernels
