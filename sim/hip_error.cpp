// Error codes: names, texts, and the last error of the calling rank.
#include "hip/hip_runtime_api.h"
#include "sim/hip_call.h"

namespace {

struct ErrorName {
  hipError_t code;
  const char* name;
  const char* text;
};

constexpr ErrorName kErrors[] = {
    {hipSuccess, "hipSuccess", "no error"},
    {hipErrorInvalidValue, "hipErrorInvalidValue", "invalid argument"},
    {hipErrorOutOfMemory, "hipErrorOutOfMemory", "out of memory"},
    {hipErrorNotInitialized, "hipErrorNotInitialized", "initialization error"},
    {hipErrorInvalidConfiguration, "hipErrorInvalidConfiguration",
     "invalid configuration argument"},
    {hipErrorInvalidDevicePointer, "hipErrorInvalidDevicePointer", "invalid device pointer"},
    {hipErrorInvalidDevice, "hipErrorInvalidDevice", "invalid device ordinal"},
    {hipErrorInvalidResourceHandle, "hipErrorInvalidResourceHandle", "invalid resource handle"},
    {hipErrorNotReady, "hipErrorNotReady", "device not ready"},
    {hipErrorPeerAccessAlreadyEnabled, "hipErrorPeerAccessAlreadyEnabled",
     "peer access is already enabled"},
    {hipErrorPeerAccessNotEnabled, "hipErrorPeerAccessNotEnabled",
     "peer access has not been enabled"},
    {hipErrorLaunchFailure, "hipErrorLaunchFailure", "unspecified launch failure"},
    {hipErrorNotSupported, "hipErrorNotSupported", "operation not supported"},
};

const ErrorName* find(hipError_t code) {
  for (const ErrorName& e : kErrors) {
    if (e.code == code) return &e;
  }
  return nullptr;
}

}  // namespace

namespace rankle::sim {

hipError_t finish_call(hipError_t error) {
  HostRank* const host = Engine::instance().host();
  if (host != nullptr && error != hipSuccess) host->last_error = error;
  return error;
}

}  // namespace rankle::sim

extern "C" {

hipError_t rankle_sim_unsupported(const char* name) {
  RANKLE_ENTER_CALL(host);
  rankle::sim::Engine::instance().report(
      rankle::sim::ReportKind::api_error,
      std::string(name) + " is not in the subset of HIP that the simulator provides",
      {rankle::sim::here(reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)))});
  return rankle::sim::finish_call(hipErrorNotSupported);
}

const char* hipGetErrorName(hipError_t error) {
  const ErrorName* const e = find(error);
  return e == nullptr ? "hipErrorUnknown" : e->name;
}

const char* hipGetErrorString(hipError_t error) {
  const ErrorName* const e = find(error);
  return e == nullptr ? "unknown error" : e->text;
}

hipError_t hipGetLastError() {
  rankle::sim::HostRank* const host = rankle::sim::Engine::instance().host();
  if (host == nullptr) return hipErrorNotInitialized;
  const hipError_t error = host->last_error;
  host->last_error = hipSuccess;
  return error;
}

hipError_t hipPeekAtLastError() {
  rankle::sim::HostRank* const host = rankle::sim::Engine::instance().host();
  return host == nullptr ? hipErrorNotInitialized : host->last_error;
}
}
