// How exact values follow from seed, round, rank and position: for the host's oracle and for
// filling and checking on a device alike.
//
// Counter-based: no state runs from element to element, so any position of any round can be
// recomputed by the oracle and by forensics. The mixer is the 64-bit finaliser of splitmix (Steele,
// Lea, Flood 2014, with Stafford's constants). One hash serves the elements of a pack, which is
// what lets a device fill and check at the speed of its memory: element j of a pack gets the high
// word of the hash plus j-th constant times the low word (pairwise nearly independent, as
// multiply-add hashing is), folded into the range by one multiply without a branch or a division.
// Types of a wide range take a hash for each element.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>

namespace rankle::payload_values {

inline constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15u;  // odd, so that counters never repeat

__host__ __device__ constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Of the values of one rank in one round; rank -1: of what all ranks have in common.
__host__ __device__ constexpr std::uint64_t key_of(std::uint64_t seed, int round, int rank) {
  std::uint64_t key = mix(seed + kStep);
  key = mix(key ^ (std::uint64_t(std::uint32_t(round)) + 1) * kStep);
  return mix(key ^ (std::uint64_t(std::uint32_t(rank)) + 1) * kStep);
}

__host__ __device__ constexpr std::uint64_t hash_at(std::uint64_t key, std::int64_t position) {
  return mix(key + std::uint64_t(position) * kStep);
}

// What the elements of a type are drawn from: [-limit, limit].
struct Range {
  std::uint64_t size = 1;  // 2 * limit + 1
  std::int64_t limit = 0;
  int lanes = 1;  // elements that share a hash; a power of two; 1: a hash each

  // 2^26 values leave a bias of 2^-6 of one value's share at worst, far below what any check sees.
  static constexpr std::uint64_t kNarrowMax = std::uint64_t{1} << 26;
};

// `bytes` of an element.
__host__ __device__ constexpr Range range_of(std::int64_t limit, int bytes) {
  const std::uint64_t size = 2 * std::uint64_t(limit) + 1;
  return {size, limit, size <= Range::kNarrowMax ? 16 / bytes : 1};
}

// 32 bits for lane `lane` out of the hash of a pack. The multipliers are odd, and no two differ by
// a multiple of 2^5, so at most the top 27 bits of two lanes are independent: more than a range
// has.
__host__ __device__ constexpr std::uint32_t lane_bits(std::uint64_t hash, int lane) {
  const std::uint32_t multiplier = 0x9e3779b1u + 0x3c6ef372u * std::uint32_t(lane);
  return std::uint32_t(hash) * multiplier + std::uint32_t(hash >> 32);
}

// In [0, size): the value is this less the limit.
__host__ __device__ constexpr std::uint64_t fold_narrow(std::uint32_t bits, std::uint64_t size) {
  return (std::uint64_t(bits) * size) >> 32;
}
__host__ __device__ constexpr std::uint64_t fold_wide(std::uint64_t hash, std::uint64_t size) {
  __extension__ using Wide = unsigned __int128;
  return std::uint64_t((Wide{hash} * size) >> 64);
}

// Which hash the element at `position` takes, and which lane of it.
__host__ __device__ constexpr std::int64_t pack_of(std::int64_t position, int lanes) {
  return std::int64_t(std::uint64_t(position) / std::uint64_t(lanes));
}
__host__ __device__ constexpr int lane_of(std::int64_t position, int lanes) {
  return int(std::uint64_t(position) % std::uint64_t(lanes));
}

__host__ __device__ constexpr std::int64_t value_at(std::uint64_t key, std::int64_t position,
                                                    const Range& range) {
  if (range.lanes == 1) {
    return std::int64_t(fold_wide(hash_at(key, position), range.size)) - range.limit;
  }
  const std::uint64_t hash = hash_at(key, pack_of(position, range.lanes));
  const std::uint32_t bits = lane_bits(hash, lane_of(position, range.lanes));
  return std::int64_t(fold_narrow(bits, range.size)) - range.limit;
}

}  // namespace rankle::payload_values
