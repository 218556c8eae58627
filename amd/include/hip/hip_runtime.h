// <hip/hip_runtime.h> on AMD: the installation's own, with what its version lacks, and IPC handles
// that also work between threads of one process.
#pragma once

#include_next <hip/hip_runtime.h>

#include "providers/in_process_ipc.h"

#if HIP_VERSION < 50300000
// Graphs of such versions have nothing to upload before their first launch.
inline hipError_t hipGraphUpload(hipGraphExec_t /*exec*/, hipStream_t /*stream*/) {
  return hipSuccess;
}

// Theirs is declared for the device's pass alone, and kernels are looked at in the host's as well.
#if defined(__HIP__) && !__HIP_DEVICE_COMPILE__
__device__ long long int wall_clock64();
#endif
#endif

namespace rankle::providers {

struct HipIpc {
  using Error = hipError_t;
  using Handle = hipIpcMemHandle_t;
  static constexpr Error kSuccess = hipSuccess;

  static Error get(Handle* handle, void* pointer) { return hipIpcGetMemHandle(handle, pointer); }
  static Error open(void** pointer, const Handle& handle, unsigned flags) {
    return hipIpcOpenMemHandle(pointer, handle, flags);
  }
  static Error close(void* pointer) { return hipIpcCloseMemHandle(pointer); }

  static Error device_of(void* pointer, int& device) {
    hipPointerAttribute_t attributes{};
    const Error error = hipPointerGetAttributes(&attributes, pointer);
    device = attributes.device;
    return error;
  }

  // Of the calling thread's device to memory of `owner`. Enabled for good.
  static Error reach(int owner) {
    int device = 0;
    if (const Error error = hipGetDevice(&device); error != hipSuccess) return error;
    if (device == owner) return hipSuccess;
    const Error error = hipDeviceEnablePeerAccess(owner, 0);
    return error == hipErrorPeerAccessAlreadyEnabled ? hipSuccess : error;
  }
};

using IpcOfHip = InProcessIpc<HipIpc>;

}  // namespace rankle::providers

// The names are taken by functions, so they are replaced from here on.
#define hipIpcMemHandle_t ::rankle::providers::IpcOfHip::Handle
#define hipIpcGetMemHandle ::rankle::providers::IpcOfHip::get
#define hipIpcOpenMemHandle ::rankle::providers::IpcOfHip::open
#define hipIpcCloseMemHandle ::rankle::providers::IpcOfHip::close
