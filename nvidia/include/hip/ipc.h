// IPC handles where ranks may be threads of one process. CUDA refuses to open a handle in the
// process that made it; here it then stands for the pointer itself, with access to the owner's
// device enabled, so that code which passes buffers between ranks takes one way for both kinds of
// ranks. Included by hip_runtime.h.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <vector>

struct hipIpcMemHandle_t {
  cudaIpcMemHandle_t handle;
  void* base;     // in the owner's address space
  long long pid;  // of the owner
  long long device;
};

inline constexpr unsigned hipIpcMemLazyEnablePeerAccess = cudaIpcMemLazyEnablePeerAccess;

namespace rankle_nvidia {

// A worker whose ranks are its own threads says so: CUDA's handle, which nobody could use, is then
// not asked for.
inline bool is_one_process() {
  static const bool known = std::getenv("RANKLE_ONE_PROCESS") != nullptr;
  return known;
}

// Of the calling thread's device to memory of `owner`. Enabled for good, like CUDA does it.
inline hipError_t reach(int owner) {
  int device = 0;
  if (const hipError_t error = cudaGetDevice(&device); error != cudaSuccess) return error;
  if (device == owner) return cudaSuccess;
  const hipError_t error = cudaDeviceEnablePeerAccess(owner, 0);
  if (error != cudaErrorPeerAccessAlreadyEnabled) return error;
  static_cast<void>(cudaGetLastError());
  return cudaSuccess;
}

// What CUDA has opened, to be told from pointers of this process when it is closed. Opening and
// closing are both a communicator's, hence of one module.
class OpenedHandles {
 public:
  static OpenedHandles& of_process() {
    static OpenedHandles handles;
    return handles;
  }
  void put(void* pointer) {
    const std::lock_guard lock(mutex_);
    pointers_.push_back(pointer);
  }
  bool take(void* pointer) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find(pointers_.begin(), pointers_.end(), pointer);
    if (found == pointers_.end()) return false;
    pointers_.erase(found);
    return true;
  }

 private:
  std::mutex mutex_;
  std::vector<void*> pointers_;
};

}  // namespace rankle_nvidia

inline hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* pointer) {
  *handle = {};
  handle->base = pointer;
  handle->pid = getpid();
  cudaPointerAttributes attributes{};
  if (const auto error = cudaPointerGetAttributes(&attributes, pointer); error != cudaSuccess) {
    return error;
  }
  if (attributes.type != cudaMemoryTypeDevice) return cudaErrorInvalidValue;
  handle->device = attributes.device;
  return rankle_nvidia::is_one_process() ? cudaSuccess
                                         : cudaIpcGetMemHandle(&handle->handle, pointer);
}

inline hipError_t hipIpcOpenMemHandle(void** pointer, const hipIpcMemHandle_t& handle,
                                      unsigned flags) {
  if (handle.pid == getpid()) {
    *pointer = handle.base;
    return rankle_nvidia::reach(static_cast<int>(handle.device));
  }
  const hipError_t error = cudaIpcOpenMemHandle(pointer, handle.handle, flags);
  if (error == cudaSuccess) rankle_nvidia::OpenedHandles::of_process().put(*pointer);
  return error;
}

inline hipError_t hipIpcCloseMemHandle(void* pointer) {
  return rankle_nvidia::OpenedHandles::of_process().take(pointer) ? cudaIpcCloseMemHandle(pointer)
                                                                  : cudaSuccess;
}
