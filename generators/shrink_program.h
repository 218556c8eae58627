// Shorter and plainer programs. Private to this folder.
#pragma once

#include <vector>

#include "generators/case.h"
#include "generators/contract.h"

namespace rankle::detail {

// Cases that differ from `c` in their program and call shapes, boldest first. What is left out
// takes with it whatever the model refuses without it, and checks judge what is there then; so most
// of these are valid, but not all of them are less than `c`.
std::vector<Case> smaller_programs(const Case& c, const Contract& contract);

}  // namespace rankle::detail
