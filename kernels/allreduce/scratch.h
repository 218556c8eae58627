// What each all-reduce keeps in the ranks' scratch, and whether a message has room for it.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>

#include "kernels/allreduce/partition.h"
#include "kernels/allreduce/selection.h"
#include "kernels/communicator/capacity.h"
#include "kernels/pack.h"

namespace rankle::kernels {

// Write mode: what one rank's scratch holds, in packs: one slot per rank for what that rank pushed,
// then room for the whole result.
struct WriteScratch {
  Partition partition;

  __host__ __device__ constexpr std::int64_t slot(int rank) const {
    return rank * partition.largest();
  }
  __host__ __device__ constexpr std::int64_t result() const { return slot(partition.world); }
  __host__ __device__ constexpr std::int64_t packs() const { return result() + partition.packs; }
};

// Bytes of scratch that each rank must have for a message of `bytes` per rank.
constexpr std::int64_t scratch_bytes(Algorithm algorithm, std::int64_t bytes, int world) {
  const Partition partition{bytes / kPackBytes, world};
  switch (algorithm) {
    case Algorithm::one_stage:
    case Algorithm::one_stage_naive:
      return 0;
    case Algorithm::two_stage_tail:
    case Algorithm::two_stage_naive:
    case Algorithm::two_stage_uniform:
      return partition.largest() * kPackBytes;  // the sums of the own part
    case Algorithm::two_stage_write:
      return WriteScratch{partition}.packs() * kPackBytes;
  }
  return 0;
}

constexpr bool fits_scratch(const Capacity& capacity, Algorithm algorithm, std::int64_t bytes,
                            int world) {
  return fits_scratch(capacity, scratch_bytes(algorithm, bytes, world));
}

}  // namespace rankle::kernels
