// Which sequences of steps make a program whose result is defined. The rules are what the harness
// and a correct collective may rely on; without them a clean kernel could be blamed for a program
// that overwrites a buffer while a peer may still use it.
#pragma once

#include <optional>
#include <vector>

#include "generators/case.h"
#include "generators/contract.h"

namespace rankle {

// Refuses (path "case.program[i]...", value, what is allowed):
// - no call, no check after the last call, or more steps than kProgramStepsMax;
// - a round outside 0..kRoundMax or filled twice, or a round on a step that takes none (it is 0);
// - a call before the first fill, and in place a second call on one fill;
// - a check of a round other than the last call's, or whose output has been poisoned since (in
//   place, refilled). The input may hold another round by then: a rank that has waited for itself
//   alone may refill it while peers are late;
// - a fill or poison-output while this rank's call may run (a sync or check must come first), and a
//   poison-scratch while any rank's call may run (a check must come first);
// - in place, a poison-output between fill and call, which would poison the input.
std::optional<Violation> check_program(const std::vector<Step>& program, bool in_place);

}  // namespace rankle
