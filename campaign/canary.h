// A planted bug that must always be found. A run that finds nothing means something only if the
// whole chain, from the case to the verdict, can still find what is there; so campaigns and smoke
// runs ask the canary first. The idea is TigerBeetle's: a simulation that must fail proves that
// failures are reported.
#pragma once

#include <string>
#include <vector>

#include "generators/case.h"
#include "harness/executor.h"

namespace rankle {

struct Canary {
  Case failing;
  FindingKind kind;  // that a run of it must show, whatever the schedule
};

// In the order of preference. The first asks detectors and oracle of a simulator; the second needs
// nothing but the oracle.
std::vector<Canary> canaries();

enum class CanaryState {
  found,   // as it must be
  missed,  // the harness is blind: an internal error, exit 4
  absent   // the planted bug is not among the executor's targets: the environment's fault, exit 3
};

struct CanaryResult {
  CanaryState state = CanaryState::found;
  std::string target;
  std::string message;  // one sentence for people, whatever the state
  double seconds = 0;
};

// Runs the first canary whose kind the executor can see and whose target it has. Throws
// EnvironmentError if the executor cannot run cases.
CanaryResult run_canary(Executor& executor);

}  // namespace rankle
