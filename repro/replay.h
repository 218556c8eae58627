// Runs a repro file's case again and says whether the same thing happened.
#pragma once

#include <string>
#include <string_view>

#include "harness/executor.h"
#include "harness/verdict.h"
#include "repro/repro_file.h"

namespace rankle {

enum class ReplayOutcome {
  not_reproduced,    // the run passed
  same_signature,    // the pinned signature is what it shows
  other_finding,     // it fails, but in another way
  invalid_case,      // the executor refuses the case: Replayed::error
  environment_error  // it could not be run: Replayed::error
};

struct Replayed {
  ReplayOutcome outcome = ReplayOutcome::not_reproduced;
  Verdict verdict;
  std::string signature;  // of the finding shown; empty if none
  std::string error;
  // Equal runs have equal traces; false if this one differs from the file's. Compared only where it
  // means something: see `compare_trace`.
  bool trace_differs = false;
};

// `compare_trace` is false if the caller changed the case or its options, or runs it on another
// platform than the one in the file.
Replayed replay(const Repro& repro, Executor& executor, const RunOptions& options,
                bool compare_trace);

std::string_view name_of(ReplayOutcome outcome);  // "same-signature"

}  // namespace rankle
