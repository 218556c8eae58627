// Draws how a call may differ from its case. Private to this folder.
#pragma once

#include <vector>

#include "generators/case.h"
#include "generators/contract.h"
#include "generators/dice.h"

namespace rankle::detail {

// Less than the case's own in count, blocks or threads, or the same again; of another dtype out of
// `dtypes` at times. Everything of `c` but its program, schedule and seed is drawn.
CallShape draw_call_shape(Dice& dice, const Contract& contract, const std::vector<DType>& dtypes,
                          const Case& c);

}  // namespace rankle::detail
