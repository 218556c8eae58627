// The one way in which cases get smaller, used by RapidCheck (generate.h) and by the minimiser.
// Every candidate is valid under the contract and less than its origin under complexity(), a
// well-founded order, so that shrinking ends whoever drives it.
#pragma once

#include <rapidcheck.h>
#include <vector>

#include "generators/case.h"
#include "generators/complexity.h"
#include "generators/contract.h"

namespace rankle {

// Smaller cases, from the boldest step to the smallest, without repetition: fewer rounds and steps,
// ranks, blocks, threads, elements; simpler dtype, buffers, schedule, seeds. Where ranks, blocks or
// threads get fewer, one candidate keeps the payload and one keeps its tiles and tail, since bugs
// follow the tiling. At most a few hundred.
std::vector<Case> smaller_cases(const Case& c, const Contract& contract);

// The same as RapidCheck's lazy sequence.
rc::Seq<Case> shrink(const Case& c, const Contract& contract);

}  // namespace rankle
