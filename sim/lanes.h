// Lanes of a wave as bit masks.
#pragma once

#include <bit>
#include <cstdint>

namespace rankle::sim {

constexpr std::uint64_t bit_of(int lane) { return std::uint64_t{1} << lane; }

// The first `lanes` of a wave; 64 at most.
constexpr std::uint64_t first_lanes(int lanes) {
  return lanes == 64 ? ~std::uint64_t{0} : bit_of(lanes) - 1;
}

// The ready lane that has its turn after `last`: the next one up, or else the lowest.
constexpr int lane_after(int last, std::uint64_t ready) {
  const std::uint64_t above = last >= 63 ? 0 : ready & (~std::uint64_t{0} << (last + 1));
  return std::countr_zero(above != 0 ? above : ready);
}

// Calls f(lane) for each lane of a mask, lowest first.
template <typename F>
void for_each_lane(std::uint64_t mask, F&& f) {
  for (; mask != 0; mask &= mask - 1) f(std::countr_zero(mask));
}

}  // namespace rankle::sim
