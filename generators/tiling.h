// Payload sizes seen as a kernel sees them: packs, cut into one part per rank, moved in tiles. What
// the generators draw around and what shrink() keeps when it makes ranks, blocks or threads fewer.
// A target may tile otherwise; then these are only places where sizes are worth trying.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "generators/case.h"
#include "generators/contract.h"
#include "generators/limits.h"

namespace rankle {

// Bytes of the smallest step between two payload sizes that the contract allows.
inline std::int64_t granule_bytes(const Contract& contract, DType dtype) {
  return std::lcm(contract.count_multiple_bytes, static_cast<std::int64_t>(size_of(dtype)));
}

// Elements of the smallest step between two buffer offsets that the contract allows.
inline std::int64_t offset_step(const Contract& contract, DType dtype) {
  const auto size = static_cast<std::int64_t>(size_of(dtype));
  return std::lcm(contract.alignment_bytes, size) / size;
}

// The largest payload per rank that validate() lets pass, a multiple of the granule.
inline std::int64_t payload_bytes_max(const Contract& contract, DType dtype, int world) {
  const std::int64_t cap = kTotalBytesMax / (3 * std::int64_t{world});
  const std::int64_t granule = granule_bytes(contract, dtype);
  return std::min(contract.bytes_max, cap) / granule * granule;
}

// Blocks that a dispatch of its own choice (Geometry::blocks of 0) is likely to take.
inline int own_blocks(std::int64_t packs, int threads, int blocks_max) {
  const std::int64_t blocks = (packs + threads - 1) / threads;
  return static_cast<int>(std::clamp<std::int64_t>(blocks, 1, blocks_max));
}

// A payload as packs: world * part + remainder, and bytes that do not fill a pack.
struct Tiling {
  int world = 1;
  std::int64_t row = 1;        // packs per tile: threads / world
  std::int64_t part = 0;       // packs per rank
  std::int64_t remainder = 0;  // packs beyond world * part
  std::int64_t loose_bytes = 0;

  static Tiling of(std::int64_t bytes, int world, int threads) {
    const std::int64_t packs = bytes / kPackBytes;
    return {world, std::max(1, threads / world), packs / world, packs % world, bytes % kPackBytes};
  }

  std::int64_t bytes() const { return (part * world + remainder) * kPackBytes + loose_bytes; }
};

}  // namespace rankle
