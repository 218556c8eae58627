// Error codes: names, texts, and the last error of the calling rank.
#include "hip/hip_runtime_api.h"
#include "sim/hip_call.h"

namespace {

struct ErrorName {
  hipError_t code;
  const char* name;
  const char* text;
};

// One entry for each code; names that share a code are told by the first.
constexpr ErrorName kErrors[] = {
    {hipSuccess, "hipSuccess", "no error"},
    {hipErrorInvalidValue, "hipErrorInvalidValue", "invalid argument"},
    {hipErrorOutOfMemory, "hipErrorOutOfMemory", "out of memory"},
    {hipErrorNotInitialized, "hipErrorNotInitialized", "initialization error"},
    {hipErrorDeinitialized, "hipErrorDeinitialized", "driver shutting down"},
    {hipErrorInvalidConfiguration, "hipErrorInvalidConfiguration",
     "invalid configuration argument"},
    {hipErrorInvalidSymbol, "hipErrorInvalidSymbol", "invalid device symbol"},
    {hipErrorInvalidDevicePointer, "hipErrorInvalidDevicePointer", "invalid device pointer"},
    {hipErrorInvalidMemcpyDirection, "hipErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {hipErrorInsufficientDriver, "hipErrorInsufficientDriver",
     "driver version is insufficient for runtime version"},
    {hipErrorPriorLaunchFailure, "hipErrorPriorLaunchFailure",
     "unspecified launch failure in prior launch"},
    {hipErrorInvalidDeviceFunction, "hipErrorInvalidDeviceFunction", "invalid device function"},
    {hipErrorNoDevice, "hipErrorNoDevice", "no ROCm-capable device is detected"},
    {hipErrorInvalidDevice, "hipErrorInvalidDevice", "invalid device ordinal"},
    {hipErrorInvalidContext, "hipErrorInvalidContext", "invalid device context"},
    {hipErrorMapFailed, "hipErrorMapFailed", "mapping of buffer object failed"},
    {hipErrorInvalidHandle, "hipErrorInvalidHandle", "invalid resource handle"},
    {hipErrorIllegalState, "hipErrorIllegalState",
     "the operation cannot be performed in the present state"},
    {hipErrorNotFound, "hipErrorNotFound", "named symbol not found"},
    {hipErrorNotReady, "hipErrorNotReady", "device not ready"},
    {hipErrorIllegalAddress, "hipErrorIllegalAddress", "an illegal memory access was encountered"},
    {hipErrorPeerAccessAlreadyEnabled, "hipErrorPeerAccessAlreadyEnabled",
     "peer access is already enabled"},
    {hipErrorPeerAccessNotEnabled, "hipErrorPeerAccessNotEnabled",
     "peer access has not been enabled"},
    {hipErrorContextIsDestroyed, "hipErrorContextIsDestroyed", "context is destroyed"},
    {hipErrorHostMemoryAlreadyRegistered, "hipErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {hipErrorHostMemoryNotRegistered, "hipErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {hipErrorLaunchFailure, "hipErrorLaunchFailure", "unspecified launch failure"},
    {hipErrorCooperativeLaunchTooLarge, "hipErrorCooperativeLaunchTooLarge",
     "too many blocks in cooperative launch"},
    {hipErrorNotSupported, "hipErrorNotSupported", "operation not supported"},
    {hipErrorStreamCaptureUnsupported, "hipErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {hipErrorStreamCaptureInvalidated, "hipErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {hipErrorStreamCaptureMerge, "hipErrorStreamCaptureMerge",
     "operation would result in a merge of separate capture sequences"},
    {hipErrorStreamCaptureUnmatched, "hipErrorStreamCaptureUnmatched",
     "capture was not ended in the same stream as it began"},
    {hipErrorStreamCaptureUnjoined, "hipErrorStreamCaptureUnjoined",
     "capturing stream has unjoined work"},
    {hipErrorStreamCaptureIsolation, "hipErrorStreamCaptureIsolation",
     "dependency created on uncaptured work in another stream"},
    {hipErrorStreamCaptureImplicit, "hipErrorStreamCaptureImplicit",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {hipErrorCapturedEvent, "hipErrorCapturedEvent",
     "operation not permitted on an event last recorded in a capturing stream"},
    {hipErrorStreamCaptureWrongThread, "hipErrorStreamCaptureWrongThread",
     "attempt to terminate a thread-local capture sequence from another thread"},
    {hipErrorGraphExecUpdateFailure, "hipErrorGraphExecUpdateFailure",
     "the graph update was not performed because it included changes which violated constraints "
     "specific to instantiated graph update"},
    {hipErrorUnknown, "hipErrorUnknown", "unknown error"},
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

void misuse(const std::string& message, std::uintptr_t pc) {
  Engine::instance().report(ReportKind::api_error, message, {here(pc)});
}

}  // namespace rankle::sim

extern "C" {

hipError_t rankle_sim_unsupported(const char* name) {
  RANKLE_ENTER_CALL(host);
  rankle::sim::Engine::instance().report(
      rankle::sim::ReportKind::api_error,
      std::string(name) + " is not in the subset of HIP that the simulator provides",
      {rankle::sim::here(RANKLE_CALLER)});
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
  if (rankle::sim::Engine::instance().is_stopped()) return hipErrorLaunchFailure;
  const hipError_t error = host->last_error;
  host->last_error = hipSuccess;
  return error;
}

hipError_t hipPeekAtLastError() {
  rankle::sim::HostRank* const host = rankle::sim::Engine::instance().host();
  if (host == nullptr) return hipErrorNotInitialized;
  return rankle::sim::Engine::instance().is_stopped() ? hipErrorLaunchFailure : host->last_error;
}
}
