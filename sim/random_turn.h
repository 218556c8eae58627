// How long a randomly chosen entity runs. Lanes of a wave mostly advance together on a GPU, so most
// turns let each lane of the wave make one step. Some let one lane make one step, so that lanes
// drift apart, and a few let one lane run on for up to 32.
#pragma once

#include "sim/random.h"
#include "sim/schedule.h"

namespace rankle::sim {

inline Turn random_turn(Entity* entity, Random& random) {
  const std::uint64_t kind = random.below(16);
  if (kind < 11) return {entity, 1, Turn::kWholeWave};
  return {entity, kind < 15 ? 1 : std::uint64_t{1} << random.below(6)};
}

}  // namespace rankle::sim
