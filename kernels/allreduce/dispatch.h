// Dispatch of each all-reduce: which variant of a kernel and which grid a message gets. Plain
// functions of plain data, so that a test can state them and every rank computes the same. Which
// algorithm a message gets at all: selection.h.
//
// In all of them `bytes` is the payload per rank, `alignment` the largest power of two that divides
// the address of every rank's input and output, and `blocks` of 0 asks for the kernel's own grid.
// nullopt is the answer to what a kernel cannot do: bytes or addresses that do not fall into packs,
// fewer threads than ranks, a grid beyond kBlocksMax.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "kernels/allreduce/partition.h"
#include "kernels/pack.h"
#include "kernels/signal.h"

namespace rankle::kernels {

inline constexpr int kThreadsMax = 512;  // per block; a shared tile holds one pack per thread

struct Grid {
  int blocks = 0;   // 0: nothing to do, launch nothing
  int threads = 0;  // per block

  bool operator==(const Grid&) const = default;
};

struct TwoStagePlan {
  bool has_tail = false;  // some rank's part ends in a partial tile
  int blocks = 0;         // 0: nothing to do, launch nothing
  int threads = 0;        // per block

  bool operator==(const TwoStagePlan&) const = default;
};

struct NaivePlan {
  bool in_packs = false;  // every buffer is aligned to packs; else all goes by elements
  int blocks = 0;
  int threads = 0;

  bool operator==(const NaivePlan&) const = default;
};

struct WritePlan {
  bool broadcast = false;  // sums go straight into the ranks' outputs, not through their scratch
  int blocks = 0;
  int threads = 0;

  Grid grid() const { return {blocks, threads}; }
  bool operator==(const WritePlan&) const = default;
};

// From this payload on, write mode pushes sums straight into registered outputs and saves the copy.
inline constexpr std::int64_t kBroadcastBytesMin = std::int64_t{16} << 10;

namespace detail {

inline bool fits_packs(std::int64_t bytes, std::int64_t alignment) {
  return bytes >= 0 && bytes % kPackBytes == 0 && alignment % kPackBytes == 0;
}

inline bool fits_signals(int world, int threads, int blocks) {
  return world >= 2 && world <= kWorldMax && threads >= world && threads <= kThreadsMax &&
         blocks >= 0 && blocks <= kBlocksMax;
}

// `units` of work, `per_block` of them a round; `wanted` blocks unless that is 0.
inline int blocks_for(std::int64_t units, std::int64_t per_block, int wanted) {
  if (units == 0) return 0;
  if (wanted > 0) return wanted;
  return static_cast<int>(std::min<std::int64_t>((units + per_block - 1) / per_block, kBlocksMax));
}

}  // namespace detail

// The grid that the two-stage kernels choose for themselves: one tile per block and round, as far
// as the signal block goes.
inline int two_stage_blocks(const Partition& partition, int threads) {
  return detail::blocks_for(partition.largest(), tile_width(threads, partition.world), 0);
}

inline std::optional<TwoStagePlan> plan_two_stage(std::int64_t bytes, int world, int threads,
                                                  std::int64_t alignment, int blocks = 0) {
  if (!detail::fits_packs(bytes, alignment) || !detail::fits_signals(world, threads, blocks)) {
    return std::nullopt;
  }
  if (bytes == 0) return TwoStagePlan{.threads = threads};
  const Partition partition{bytes / kPackBytes, world};
  const bool is_even = partition.remainder() == 0;
  const bool has_tail = !is_even || partition.part() % tile_width(threads, world) != 0;
  if (blocks == 0) blocks = two_stage_blocks(partition, threads);
  return TwoStagePlan{has_tail, blocks, threads};
}

inline std::optional<Grid> plan_two_stage_naive(std::int64_t bytes, int world, int threads,
                                                std::int64_t alignment, int blocks = 0) {
  if (!detail::fits_packs(bytes, alignment) || !detail::fits_signals(world, threads, blocks)) {
    return std::nullopt;
  }
  const Partition partition{bytes / kPackBytes, world};
  return Grid{detail::blocks_for(partition.largest(), threads, blocks), threads};
}

// `can_broadcast`: every rank's output is registered with every other rank.
inline std::optional<WritePlan> plan_two_stage_write(std::int64_t bytes, int world, int threads,
                                                     std::int64_t alignment, int blocks,
                                                     bool can_broadcast) {
  const auto grid = plan_two_stage(bytes, world, threads, alignment, blocks);
  if (!grid) return std::nullopt;
  return WritePlan{can_broadcast && bytes >= kBroadcastBytesMin, grid->blocks, threads};
}

inline std::optional<Grid> plan_one_stage(std::int64_t bytes, int world, int threads,
                                          std::int64_t alignment, int blocks = 0) {
  if (!detail::fits_packs(bytes, alignment) || !detail::fits_signals(world, threads, blocks)) {
    return std::nullopt;
  }
  const std::int64_t width = tile_width(threads, world);
  return Grid{detail::blocks_for(bytes / kPackBytes, width, blocks), threads};
}

// Takes any number of elements at any address; `bytes` is a multiple of `element_bytes`.
inline std::optional<NaivePlan> plan_one_stage_naive(std::int64_t bytes, std::int64_t element_bytes,
                                                     int world, int threads, std::int64_t alignment,
                                                     int blocks = 0) {
  if (bytes < 0 || !detail::fits_signals(world, threads, blocks)) return std::nullopt;
  const bool in_packs = alignment % kPackBytes == 0 && bytes >= kPackBytes;
  const std::int64_t units = in_packs ? bytes / kPackBytes : bytes / element_bytes;
  return NaivePlan{in_packs, detail::blocks_for(units, threads, blocks), threads};
}

}  // namespace rankle::kernels
