// Repeats what a case calls, many times and with another input each time, as eager calls or as
// replays of graphs. The program of the case is replaced by such a one; everything else about it,
// its buffers and its schedule, stays.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "generators/case.h"
#include "generators/contract.h"

namespace rankle {

enum class RepeatMode {
  eager,  // fill, poison the output, call, check, again and again
  graph   // capture a call, and out of place one on a copy of its input in memory of the graph's
          // own; then replay one after the other: filled, poisoned and checked each time
};

std::string_view name_of(RepeatMode mode);  // "eager"
std::optional<RepeatMode> repeat_mode_from(std::string_view name);

// Cases that make `iterations` calls together. There are several if one would be too much for a
// program, its rounds, or the simulator's bound on the length of a run; each has a payload seed of
// its own.
struct RepeatPart {
  Case c;
  int iterations = 0;
};
std::vector<RepeatPart> repeat(const Case& c, RepeatMode mode, int iterations);

}  // namespace rankle
