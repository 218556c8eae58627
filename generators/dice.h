// Choices drawn from RapidCheck's random numbers. RapidCheck's own combinators build a tree of
// shrinks for every number; a Case has a shrinker of its own, so plain draws do, at a fiftieth of
// the cost. Private to this folder.
#pragma once

#include <rapidcheck.h>
#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace rankle::detail {

class Dice {
 public:
  explicit Dice(const rc::Random& random) : random_(random) {}

  // 0 to bound - 1. The bias of the remainder is below 2^-24 for every bound in use.
  std::uint64_t below(std::uint64_t bound) {
    assert(bound > 0);
    return random_.next() % bound;
  }

  // min to max, both included.
  std::int64_t between(std::int64_t min, std::int64_t max) {
    assert(min <= max);
    return min + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(max - min) + 1));
  }

  bool percent(int chance) { return static_cast<int>(below(100)) < chance; }

  // Index into `weights`, in proportion to them; their sum must be positive.
  std::size_t weighted(std::initializer_list<int> weights) {
    std::uint64_t sum = 0;
    for (const int weight : weights) sum += static_cast<std::uint64_t>(weight);
    std::uint64_t left = below(sum);
    std::size_t index = 0;
    for (const int weight : weights) {
      if (left < static_cast<std::uint64_t>(weight)) return index;
      left -= static_cast<std::uint64_t>(weight);
      ++index;
    }
    return 0;
  }

  template <class T>
  const T& pick(const std::vector<T>& values) {
    assert(!values.empty());
    return values[below(values.size())];
  }

  // A seed that survives JSON readers that keep numbers as doubles.
  std::uint64_t seed() { return random_.next() >> 11; }

 private:
  rc::Random random_;
};

}  // namespace rankle::detail
