// Shorter programs: fewer rounds, then fewer steps. Private to this folder.
#pragma once

#include <vector>

#include "generators/case.h"

namespace rankle::detail {

// Shorter or lower-numbered programs, boldest first; not all of them obey the rules of program.h.
std::vector<std::vector<Step>> smaller_programs(const std::vector<Step>& program);

}  // namespace rankle::detail
