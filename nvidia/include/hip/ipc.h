// hipIpc* over CUDA. Included by hip_runtime.h.
#pragma once

#include "providers/in_process_ipc.h"

namespace rankle::providers {

struct CudaIpc {
  using Error = cudaError_t;
  using Handle = cudaIpcMemHandle_t;
  static constexpr Error kSuccess = cudaSuccess;

  static Error get(Handle* handle, void* pointer) { return cudaIpcGetMemHandle(handle, pointer); }
  static Error open(void** pointer, const Handle& handle, unsigned flags) {
    return cudaIpcOpenMemHandle(pointer, handle, flags);
  }
  static Error close(void* pointer) { return cudaIpcCloseMemHandle(pointer); }

  static Error device_of(void* pointer, int& device) {
    cudaPointerAttributes attributes{};
    if (const Error error = cudaPointerGetAttributes(&attributes, pointer); error != cudaSuccess) {
      return error;
    }
    device = attributes.device;
    return attributes.type == cudaMemoryTypeDevice ? cudaSuccess : cudaErrorInvalidValue;
  }

  // Of the calling thread's device to memory of `owner`. Enabled for good.
  static Error reach(int owner) {
    int device = 0;
    if (const Error error = cudaGetDevice(&device); error != cudaSuccess) return error;
    if (device == owner) return cudaSuccess;
    const Error error = cudaDeviceEnablePeerAccess(owner, 0);
    if (error != cudaErrorPeerAccessAlreadyEnabled) return error;
    static_cast<void>(cudaGetLastError());
    return cudaSuccess;
  }
};

}  // namespace rankle::providers

using hipIpcMemHandle_t = rankle::providers::InProcessIpc<rankle::providers::CudaIpc>::Handle;
inline constexpr unsigned hipIpcMemLazyEnablePeerAccess = cudaIpcMemLazyEnablePeerAccess;

inline hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* pointer) {
  return rankle::providers::InProcessIpc<rankle::providers::CudaIpc>::get(handle, pointer);
}
inline hipError_t hipIpcOpenMemHandle(void** pointer, const hipIpcMemHandle_t& handle,
                                      unsigned flags) {
  return rankle::providers::InProcessIpc<rankle::providers::CudaIpc>::open(pointer, handle, flags);
}
inline hipError_t hipIpcCloseMemHandle(void* pointer) {
  return rankle::providers::InProcessIpc<rankle::providers::CudaIpc>::close(pointer);
}
