// splitmix64: the simulator's only source of random numbers, seeded by the configuration.
#pragma once

#include <bit>
#include <cstdint>

namespace rankle::sim {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    return mixed(state_);
  }
  // Uniform in [0, bound), bound > 0; the bias of the multiply-shift is below 2^-32 here.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }
  // In [low, high], 1 <= low <= high: every power of two is about as likely as the next.
  std::uint64_t log_uniform(std::uint64_t low, std::uint64_t high) {
    const auto doublings = static_cast<std::uint64_t>(std::bit_width(high / low));
    const std::uint64_t floor = low << below(doublings);
    const std::uint64_t value = floor + below(floor);
    return value < high ? value : high;
  }

  // A number that looks random and belongs to `value` alone.
  static std::uint64_t mixed(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
  }

 private:
  std::uint64_t state_;
};

}  // namespace rankle::sim
