// A race as two columns, one for each side, in the order of time: who wrote the data, who passed
// the flag on, who saw it, who then touched the data.
#pragma once

#include <string>
#include <vector>

#include "harness/verdict.h"

namespace rankle {

// Empty if the finding is no race, or lacks the roles of its sites (files of earlier versions).
std::vector<std::string> race_timeline(const Finding& finding);

}  // namespace rankle
