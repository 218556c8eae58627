// Findings as workflow commands of GitHub Actions ("::error file=...,line=...::text"): printed on
// stdout they show at the source line in a pull request.
#pragma once

#include <string>
#include <vector>

#include "campaign/ci/run_record.h"

namespace rankle {

// One line each. A host shows ten of a kind in one step, so the most telling come first.
std::vector<std::string> github_annotations(const RunRecord& record);

}  // namespace rankle
