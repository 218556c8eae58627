// Which all-reduce a message gets, by bytes, world size and alignment: a table, read from the top.
// The sizes are AITER's for GPUs that are all connected with each other; its switch to write mode
// applies to one generation of them only. Departures: a message that does not fall into packs goes
// to the kernel that takes elements, where AITER refuses it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "kernels/pack.h"

namespace rankle::kernels {

enum class Algorithm {
  one_stage,
  one_stage_naive,
  two_stage_tail,
  two_stage_naive,
  two_stage_write,
  two_stage_uniform  // in no rule: it exists to be compared with
};

constexpr std::string_view name_of(Algorithm algorithm) {
  constexpr std::array<std::string_view, 6> kNames{"one_stage",       "one_stage_naive",
                                                   "two_stage_tail",  "two_stage_naive",
                                                   "two_stage_write", "two_stage_uniform"};
  return kNames[static_cast<std::size_t>(algorithm)];
}

// How a message lies in memory; each kind is one of those before it.
enum class Fit {
  elements,   // any count at any address
  packs,      // whole packs at addresses of packs
  even_parts  // and as many packs for every rank
};

constexpr Fit fit_of(std::int64_t bytes, int world, std::int64_t alignment) {
  if (bytes % kPackBytes != 0 || alignment % kPackBytes != 0) return Fit::elements;
  return bytes % (world * kPackBytes) == 0 ? Fit::even_parts : Fit::packs;
}

inline constexpr std::int64_t kAnySize = std::numeric_limits<std::int64_t>::max();

// Applies to worlds and bytes in the given ranges (bytes_below is not in it) of at least this fit.
struct Rule {
  int world_min, world_max;
  std::int64_t bytes_min, bytes_below;
  Fit fit;
  Algorithm algorithm;
};

inline constexpr std::int64_t kKiB = 1024;

inline constexpr std::array kRules{
    Rule{2, 2, 0, kAnySize, Fit::packs, Algorithm::one_stage},
    Rule{3, 4, 0, 160 * kKiB, Fit::packs, Algorithm::one_stage},
    Rule{5, 8, 0, 80 * kKiB, Fit::packs, Algorithm::one_stage},
    Rule{8, 8, 4096 * kKiB + 1, kAnySize, Fit::even_parts, Algorithm::two_stage_write},
    // Six groups leave surplus threads and lanes that are no multiple of a wave.
    Rule{6, 6, 0, kAnySize, Fit::packs, Algorithm::two_stage_naive},
    Rule{3, 8, 0, kAnySize, Fit::even_parts, Algorithm::two_stage_tail},
    Rule{3, 8, 0, kAnySize, Fit::packs, Algorithm::two_stage_naive},
    Rule{2, 8, 0, kAnySize, Fit::elements, Algorithm::one_stage_naive},
};

// For a world of 2 to 8 and bytes of 0 or more; a rule always applies.
constexpr Algorithm select_algorithm(std::int64_t bytes, int world, std::int64_t alignment) {
  const Fit fit = fit_of(bytes, world, alignment);
  for (const Rule& rule : kRules) {
    if (world >= rule.world_min && world <= rule.world_max && bytes >= rule.bytes_min &&
        bytes < rule.bytes_below && fit >= rule.fit) {
      return rule.algorithm;
    }
  }
  return Algorithm::one_stage_naive;
}

// Every size at which the table may change its mind, in rising order.
inline std::vector<std::int64_t> selection_thresholds() {
  std::vector<std::int64_t> bytes;
  for (const Rule& rule : kRules) {
    for (const std::int64_t edge : {rule.bytes_min, rule.bytes_below}) {
      if (edge > 0 && edge < kAnySize) bytes.push_back(edge);
    }
  }
  std::sort(bytes.begin(), bytes.end());
  bytes.erase(std::unique(bytes.begin(), bytes.end()), bytes.end());
  return bytes;
}

}  // namespace rankle::kernels
