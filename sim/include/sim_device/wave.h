// Operations of the lanes of one wave: shuffles, votes, matches, reductions, the wave barrier.
// Forms without a mask are HIP's, those with _sync CUDA's and ROCm's; a mask may have 32 or 64 bits
// and has to name the caller. A shuffle from a lane that does not take part is reported: the
// documents leave its value undefined. Who takes part is said in sim/wave_ops.h.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sim_device/atomics.h"
#include "sim_device/threads.h"

extern "C" {
unsigned rankle_sim_lane_id() __attribute__((const));
// kind: 0 barrier, 1 ballot, 2 shuffle, 3 first, 4 match_any, 5 match_all, 6 reduce,
// 7 participants. `argument`: source lane or operation of atomic_rmw.
std::uint64_t rankle_sim_wave_op(int kind, int masked, std::uint64_t mask, std::uint64_t value,
                                 int argument) __attribute__((convergent));
// Reports a width that is no power of two up to the wave size.
void rankle_sim_bad_width(int width);
}

namespace rankle_sim {

// Types that the documents allow to shuffle; the headers of the small floats add theirs.
template <typename T>
inline constexpr bool kShuffles = std::is_arithmetic_v<T> || std::is_enum_v<T>;

struct NoMask {
  static constexpr int kMasked = 0;
  std::uint64_t bits = 0;
};
struct Mask {
  static constexpr int kMasked = 1;
  std::uint64_t bits;
};

// A signed mask such as -1 or 0xffffffff in an int names 32 lanes, no more.
template <typename M>
__forceinline__ Mask mask_of(M mask) {
  static_assert(std::is_integral_v<M>, "a lane mask is an integer of 32 or 64 bits");
  return {static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<M>>(mask))};
}

template <typename M>
__forceinline__ std::uint64_t wave_op(M mask, int kind, std::uint64_t value, int argument = 0) {
  [[clang::nomerge]] return rankle_sim_wave_op(kind, M::kMasked, mask.bits, value, argument);
}

template <typename M, typename T>
__forceinline__ T shuffle(M mask, T value, int lane) {
  static_assert(kShuffles<T>, "HIP has no shuffle of this type");
  return from_bits<T>(wave_op(mask, 2, to_bits(value), lane));
}

// A width that is wrong is found before it is used as one.
__forceinline__ int checked_width(int width) {
  if (__builtin_expect(width <= 0 || (width & (width - 1)) != 0 || width > warpSize, 0)) {
    rankle_sim_bad_width(width);
    return warpSize;
  }
  return width;
}

template <typename M, typename T>
__forceinline__ T shuffle_index(M mask, T value, int source, int width) {
  const int self = static_cast<int>(rankle_sim_lane_id());
  width = checked_width(width);
  return shuffle(mask, value, (source & (width - 1)) + (self & ~(width - 1)));
}

// Lanes below the first of their group keep their value.
template <typename M, typename T>
__forceinline__ T shuffle_up(M mask, T value, unsigned delta, int width) {
  const int self = static_cast<int>(rankle_sim_lane_id());
  width = checked_width(width);
  const bool inside = delta <= static_cast<unsigned>(self & (width - 1));
  return shuffle(mask, value, inside ? self - static_cast<int>(delta) : self);
}

template <typename M, typename T>
__forceinline__ T shuffle_down(M mask, T value, unsigned delta, int width) {
  const int self = static_cast<int>(rankle_sim_lane_id());
  width = checked_width(width);
  const bool inside = delta < static_cast<unsigned>(width - (self & (width - 1)));
  return shuffle(mask, value, inside ? self + static_cast<int>(delta) : self);
}

// Earlier groups may be read, later ones may not: such a lane keeps its value.
template <typename M, typename T>
__forceinline__ T shuffle_xor(M mask, T value, int lane_mask, int width) {
  const int self = static_cast<int>(rankle_sim_lane_id());
  width = checked_width(width);
  const int source = self ^ lane_mask;
  const bool inside = source >= 0 && source < ((self + width) & ~(width - 1));
  return shuffle(mask, value, inside ? source : self);
}

template <typename T>
__forceinline__ T reduce(Mask mask, T value, int operation) {
  static_assert(sizeof(T) == 4);
  return from_bits<T>(wave_op(mask, 6, to_bits(value), operation));
}

}  // namespace rankle_sim

// Lane of the calling thread in its wave.
__forceinline__ unsigned __lane_id() { return rankle_sim_lane_id(); }

template <typename T>
__forceinline__ T __shfl(T value, int source, int width = warpSize) {
  return rankle_sim::shuffle_index(rankle_sim::NoMask{}, value, source, width);
}
template <typename T>
__forceinline__ T __shfl_up(T value, unsigned delta, int width = warpSize) {
  return rankle_sim::shuffle_up(rankle_sim::NoMask{}, value, delta, width);
}
template <typename T>
__forceinline__ T __shfl_down(T value, unsigned delta, int width = warpSize) {
  return rankle_sim::shuffle_down(rankle_sim::NoMask{}, value, delta, width);
}
template <typename T>
__forceinline__ T __shfl_xor(T value, int lane_mask, int width = warpSize) {
  return rankle_sim::shuffle_xor(rankle_sim::NoMask{}, value, lane_mask, width);
}

template <typename M, typename T>
__forceinline__ T __shfl_sync(M mask, T value, int source, int width = warpSize) {
  return rankle_sim::shuffle_index(rankle_sim::mask_of(mask), value, source, width);
}
template <typename M, typename T>
__forceinline__ T __shfl_up_sync(M mask, T value, unsigned delta, int width = warpSize) {
  return rankle_sim::shuffle_up(rankle_sim::mask_of(mask), value, delta, width);
}
template <typename M, typename T>
__forceinline__ T __shfl_down_sync(M mask, T value, unsigned delta, int width = warpSize) {
  return rankle_sim::shuffle_down(rankle_sim::mask_of(mask), value, delta, width);
}
template <typename M, typename T>
__forceinline__ T __shfl_xor_sync(M mask, T value, int lane_mask, int width = warpSize) {
  return rankle_sim::shuffle_xor(rankle_sim::mask_of(mask), value, lane_mask, width);
}

__forceinline__ unsigned long long __ballot(int predicate) {
  return rankle_sim::wave_op(rankle_sim::NoMask{}, 1, predicate != 0);
}
__forceinline__ int __any(int predicate) { return __ballot(predicate) != 0; }
__forceinline__ int __all(int predicate) { return __ballot(predicate == 0) == 0; }
__forceinline__ unsigned long long __activemask() {
  return rankle_sim::wave_op(rankle_sim::NoMask{}, 7, 0);
}

template <typename M>
__forceinline__ unsigned long long __ballot_sync(M mask, int predicate) {
  return rankle_sim::wave_op(rankle_sim::mask_of(mask), 1, predicate != 0);
}
template <typename M>
__forceinline__ int __any_sync(M mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}
template <typename M>
__forceinline__ int __all_sync(M mask, int predicate) {
  return __ballot_sync(mask, predicate == 0) == 0;
}
// Lanes of the mask that have the same value, compared bit by bit.
template <typename M, typename T>
__forceinline__ unsigned long long __match_any_sync(M mask, T value) {
  return rankle_sim::wave_op(rankle_sim::mask_of(mask), 4, rankle_sim::to_bits(value));
}
// The mask and *all = 1 if all of its lanes have the same value; otherwise both are 0.
template <typename M, typename T>
__forceinline__ unsigned long long __match_all_sync(M mask, T value, int* all) {
  const std::uint64_t lanes =
      rankle_sim::wave_op(rankle_sim::mask_of(mask), 5, rankle_sim::to_bits(value));
  *all = lanes != 0 ? 1 : 0;
  return lanes;
}

#define RANKLE_SIM_REDUCE(name, T, operation)                                    \
  template <typename M>                                                          \
  __forceinline__ T name(M mask, T value) {                                      \
    return rankle_sim::reduce<T>(rankle_sim::mask_of(mask), value, (operation)); \
  }
RANKLE_SIM_REDUCE(__reduce_add_sync, int, 1)
RANKLE_SIM_REDUCE(__reduce_add_sync, unsigned, 1)
RANKLE_SIM_REDUCE(__reduce_min_sync, int, 6)
RANKLE_SIM_REDUCE(__reduce_min_sync, unsigned, 8)
RANKLE_SIM_REDUCE(__reduce_max_sync, int, 7)
RANKLE_SIM_REDUCE(__reduce_max_sync, unsigned, 9)
RANKLE_SIM_REDUCE(__reduce_and_sync, unsigned, 3)
RANKLE_SIM_REDUCE(__reduce_or_sync, unsigned, 4)
RANKLE_SIM_REDUCE(__reduce_xor_sync, unsigned, 5)
#undef RANKLE_SIM_REDUCE

// Waits for the lanes of the mask that have not ended.
template <typename M>
__forceinline__ void __syncwarp(M mask) {
  rankle_sim::wave_op(rankle_sim::mask_of(mask), 0, 0);
}
__forceinline__ void __syncwarp() {
  rankle_sim::wave_op(rankle_sim::Mask{~std::uint64_t{0}}, 0, 0);
}

// AMD's built-ins by their compiler names.
__forceinline__ void __builtin_amdgcn_wave_barrier() {
  rankle_sim::wave_op(rankle_sim::NoMask{}, 0, 0);
}
__forceinline__ int __builtin_amdgcn_readfirstlane(int value) {
  return rankle_sim::from_bits<int>(
      rankle_sim::wave_op(rankle_sim::NoMask{}, 3, rankle_sim::to_bits(value)));
}
__forceinline__ int __builtin_amdgcn_readlane(int value, int lane) {
  return rankle_sim::shuffle(rankle_sim::NoMask{}, value, lane & (warpSize - 1));
}
// `address` counts bytes: four to a lane.
__forceinline__ int __builtin_amdgcn_ds_bpermute(int address, int value) {
  return rankle_sim::shuffle(rankle_sim::NoMask{}, value, (address >> 2) & (warpSize - 1));
}
// Bits of the mask below the calling lane, in lanes 0..31 and 32..63, added to `sum`.
__forceinline__ unsigned __builtin_amdgcn_mbcnt_lo(unsigned mask, unsigned sum) {
  const unsigned lane = rankle_sim_lane_id();
  const unsigned below = lane >= 32 ? ~0U : (1U << lane) - 1;
  return sum + static_cast<unsigned>(__builtin_popcount(mask & below));
}
__forceinline__ unsigned __builtin_amdgcn_mbcnt_hi(unsigned mask, unsigned sum) {
  const unsigned lane = rankle_sim_lane_id();
  const unsigned below = lane <= 32 ? 0U : (1U << (lane - 32)) - 1;
  return sum + static_cast<unsigned>(__builtin_popcount(mask & below));
}
