// What every simulated HIP call does first and last.
#pragma once

#include <string>

#include "hip/hip_runtime_api.h"
#include "sim/caller.h"
#include "sim/engine.h"

namespace rankle::sim {

// Records an error as the calling rank's last error, and passes it on.
hipError_t finish_call(hipError_t error);

// The calling rank, or nullptr outside of a run.
inline HostRank* calling_rank() { return Engine::instance().host(); }

inline bool is_device(int device) {
  return device >= 0 && device < Engine::instance().config().devices;
}

// The answer to a call that no rank makes: outside of a run, or in a host function, where it is
// reported.
hipError_t refuse_call();

// Reports an `api-error` of the calling rank.
void misuse(const std::string& message, std::uintptr_t pc);

// The stream of a handle. For a handle that names no live stream: nullptr, and an `api-error` that
// names the call.
Stream* stream_of(const HostRank& host, hipStream_t handle, const char* call, std::uintptr_t pc);

// Waits for the device; false if the run was stopped.
bool wait_for_device(int device, const char* call);

}  // namespace rankle::sim

// Leaves a HIP call that cannot proceed: outside of a run, or after the run was stopped.
#define RANKLE_ENTER_CALL(host)                                        \
  ::rankle::sim::HostRank* const host = ::rankle::sim::calling_rank(); \
  if ((host) == nullptr) return ::rankle::sim::refuse_call();          \
  if (::rankle::sim::Engine::instance().is_stopped()) return hipErrorLaunchFailure
