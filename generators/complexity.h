// The order in which cases get smaller: a well-founded measure, so that shrinking ends whoever
// drives it.
#pragma once

#include <array>
#include <cstdint>

#include "generators/case.h"

namespace rankle {

// What a person would call harder to read first, compared from left to right: steps; what they say
// beyond their kind (buffers, shapes, replays, queued, on one rank, ...); ranks; blocks (the
// target's own choice counts above any number), threads, dtype (fp32, int32, then the others),
// payload bytes; bytes of the call shapes and where they differ from the case; dimensions,
// accumulator, in place, offsets, inputs, policy, switches, granularity, limit of resident
// blocks, wave, barrier model; spans of delays, round numbers, perturbation, the seeds.
using Complexity = std::array<std::uint64_t, 28>;

Complexity complexity(const Case& c);

// Position of a dtype in the order of simplicity.
std::uint64_t rank_of(DType dtype);

}  // namespace rankle
