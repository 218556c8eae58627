// Draws what a case does: rounds of one call each, or a program of all kinds of steps. Private to
// this folder.
#pragma once

#include <vector>

#include "generators/case.h"
#include "generators/contract.h"
#include "generators/dice.h"

namespace rankle::detail {

// One to four rounds (two, if `costly`) of fill, poison, call and check on one buffer. Cheap to
// run, and enough for what goes wrong inside one call or is left in scratch by the one before.
std::vector<Step> draw_rounds(Dice& dice, bool in_place, bool costly);

inline constexpr std::size_t kDrawnStepsMax = 20;

// A program of at most kDrawnStepsMax steps, and the call shapes that it uses, for a case whose
// other fields but schedule and seed are drawn. `dtypes` are those that the user allows. Steps are
// drawn in small groups that people would recognise (a call with its fill and what comes behind it,
// a capture, a replay, a registration), each step asked of the model first, so that what comes out
// is valid however the groups meet.
void draw_program(Dice& dice, const Contract& contract, const std::vector<DType>& dtypes, Case& c);

}  // namespace rankle::detail
