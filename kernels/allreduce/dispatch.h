// Dispatch of the two-stage all-reduces: which variant and which grid a message gets. A plain
// function of plain data, so that a test can state it and every rank computes the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "kernels/allreduce/partition.h"
#include "kernels/pack.h"
#include "kernels/signal.h"

namespace rankle::kernels {

struct TwoStagePlan {
  bool has_tail = false;  // some rank's part ends in a partial tile
  int blocks = 0;         // 0: nothing to do, launch nothing
  int threads = 0;        // per block

  bool operator==(const TwoStagePlan&) const = default;
};

// The grid that the kernels choose for themselves: one tile per block and round, as far as the
// signal block goes.
inline int two_stage_blocks(const Partition& partition, int threads) {
  const std::int64_t width = tile_width(threads, partition.world);
  const std::int64_t tiles = (partition.largest() + width - 1) / width;
  return static_cast<int>(std::min<std::int64_t>(tiles, kBlocksMax));
}

// `bytes` is the payload per rank, `alignment` the largest power of two that divides every input
// and output address, `blocks` of 0 asks for the kernels' own grid. nullopt for what they cannot
// do: bytes or addresses that do not fall into packs, fewer threads than ranks, a grid beyond
// kBlocksMax.
inline std::optional<TwoStagePlan> plan_two_stage(std::int64_t bytes, int world, int threads,
                                                  std::int64_t alignment, int blocks = 0) {
  const bool packs_fit = bytes >= 0 && bytes % kPackBytes == 0 && alignment % kPackBytes == 0;
  const bool ranks_fit = world >= 2 && world <= kWorldMax && threads >= world;
  if (!packs_fit || !ranks_fit || blocks < 0 || blocks > kBlocksMax) return std::nullopt;
  if (bytes == 0) return TwoStagePlan{.threads = threads};
  const Partition partition{bytes / kPackBytes, world};
  const bool is_even = partition.remainder() == 0;
  const bool has_tail = !is_even || partition.part() % tile_width(threads, world) != 0;
  if (blocks == 0) blocks = two_stage_blocks(partition, threads);
  return TwoStagePlan{has_tail, blocks, threads};
}

}  // namespace rankle::kernels
