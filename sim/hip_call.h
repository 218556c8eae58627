// What every simulated HIP call does first and last.
#pragma once

#include "hip/hip_runtime_api.h"
#include "sim/engine.h"

namespace rankle::sim {

// Records an error as the calling rank's last error, and passes it on.
hipError_t finish_call(hipError_t error);

// The calling rank, or nullptr outside of a run.
inline HostRank* calling_rank() { return Engine::instance().host(); }

}  // namespace rankle::sim

// Leaves a HIP call that cannot proceed: outside of a run, or after the run was stopped.
#define RANKLE_ENTER_CALL(host)                                        \
  ::rankle::sim::HostRank* const host = ::rankle::sim::calling_rank(); \
  if ((host) == nullptr) return hipErrorNotInitialized;                \
  if (::rankle::sim::Engine::instance().is_stopped()) return hipErrorLaunchFailure
