// The cases of corpus/two-stage-tail: sizes at which partial tiles of two-stage all-reduces have
// gone wrong, or nearly. A function, so that the files can be written again when a case's form
// changes.
#pragma once

#include <string>
#include <vector>

#include "generators/case.h"

namespace rankle {

struct NamedCase {
  std::string name;  // of the file, without ".json"
  Case c;
};

// In a fixed order. Every name is used once.
std::vector<NamedCase> two_stage_tail_cases();

}  // namespace rankle
