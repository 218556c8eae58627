// Whether a whole program is allowed: program_model.h from the first step to the last.
#pragma once

#include <optional>
#include <vector>

#include "generators/case.h"
#include "generators/contract.h"
#include "generators/program_model.h"

namespace rankle {

// Refuses (path "case.program[i]...", value, what is allowed) the first step that breaks a rule of
// program_model.h, more steps than kProgramStepsMax, and a program that ends too early.
std::optional<Violation> check_program(const std::vector<Step>& program,
                                       const ProgramSetting& setting);

}  // namespace rankle
