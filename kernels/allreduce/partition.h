// Who owns which packs and which thread moves them, shared by the two-stage all-reduces, their
// dispatch and the tests. All positions and sizes are in packs (kernels/pack.h).
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>

namespace rankle::kernels {

// A message of `packs` packs, cut into one part per rank. Parts are equal, but the last rank owns
// the remainder as well; with fewer packs than ranks it owns everything.
struct Partition {
  std::int64_t packs;
  int world;

  // Packs of every rank but the last.
  __host__ __device__ constexpr std::int64_t part() const { return packs / world; }
  __host__ __device__ constexpr std::int64_t remainder() const { return packs % world; }

  // Position of the first pack that `rank` owns.
  __host__ __device__ constexpr std::int64_t begin(int rank) const { return rank * part(); }

  // Number of packs that `rank` owns.
  __host__ __device__ constexpr std::int64_t owned(int rank) const {
    return rank == world - 1 ? part() + remainder() : part();
  }

  // The largest number that any rank owns.
  __host__ __device__ constexpr std::int64_t largest() const { return part() + remainder(); }
};

// Threads of a block fall into `world` groups of `width` consecutive threads, the group being which
// rank's data the thread moves and the lane which pack of the tile. Threads beyond world * width
// are surplus: they have group `world`, move nothing and take part in barriers only.
//
// A tile is `width` consecutive packs of a part. Tile t belongs to block t mod grid in every stage
// and on every rank: only blocks of equal index meet in a barrier, so what a block reads behind a
// barrier must have been written by the blocks that it has met.
struct TileLane {
  int width;
  int group;
  int lane;

  static __host__ __device__ constexpr TileLane of(int thread, int threads, int world) {
    const int width = threads / world;
    return {width, thread / width, thread % width};
  }
};

// Packs per tile, as in TileLane.
__host__ __device__ constexpr int tile_width(int threads, int world) { return threads / world; }

}  // namespace rankle::kernels
