// The steps of a program in words: what goes where, in the order in which every rank does it.
#pragma once

#include <string>
#include <vector>

#include "generators/case.h"
#include "repro/step_notes.h"

namespace rankle {

// One line for rounds of plain calls on one buffer ("program: fill round 1, call, check round 1");
// else a heading and one numbered line per step, with what a graph holds indented and the notes
// below their steps.
std::vector<std::string> describe_program(const Case& c, const StepNotes& notes = {});

}  // namespace rankle
