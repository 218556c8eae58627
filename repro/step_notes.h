// What a finding says of single steps of its program, for the listing of the program: "rank 1 reads
// what nobody has written (kernels/allreduce/one_stage.h:40)". A kernel or copy belongs to the step
// that queued it, which may be long over when the kernel runs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/verdict.h"

namespace rankle {

using StepNotes = std::map<int, std::vector<std::string>>;  // by index of the step

StepNotes step_notes_of(const Finding& finding);

}  // namespace rankle
