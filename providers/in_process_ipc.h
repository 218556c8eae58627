// IPC handles where ranks may be threads of one process. Neither CUDA nor HIP opens a handle in the
// process that made it; here it then stands for the pointer itself, with access to the owner's
// device enabled, so that code which passes buffers between ranks takes one way for both kinds of
// ranks. Included by the providers of <hip/hip_runtime.h> for real devices.
//
// A worker whose ranks are its own threads sets RANKLE_ONE_PROCESS: the native handle, which nobody
// could use, is then not asked for.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <vector>

namespace rankle::providers {

// `Native` has Error, kSuccess, kInvalidValue, Handle, and the calls made below.
template <typename Native>
class InProcessIpc {
 public:
  using Error = typename Native::Error;

  struct Handle {
    typename Native::Handle native;
    void* base;     // in the owner's address space
    long long pid;  // of the owner
    long long device;
  };

  static Error get(Handle* handle, void* pointer) {
    *handle = {};
    handle->base = pointer;
    handle->pid = getpid();
    int device = 0;
    if (const Error error = Native::device_of(pointer, device); error != Native::kSuccess) {
      return error;
    }
    handle->device = device;
    return is_one_process() ? Native::kSuccess : Native::get(&handle->native, pointer);
  }

  static Error open(void** pointer, const Handle& handle, unsigned flags) {
    if (handle.pid == getpid()) {
      *pointer = handle.base;
      return Native::reach(static_cast<int>(handle.device));
    }
    const Error error = Native::open(pointer, handle.native, flags);
    if (error == Native::kSuccess) opened().put(*pointer);
    return error;
  }

  static Error close(void* pointer) {
    return opened().take(pointer) ? Native::close(pointer) : Native::kSuccess;
  }

 private:
  // What has been opened, to be told from pointers of this process when it is closed. Opening and
  // closing are both a communicator's, hence of one module.
  class Opened {
   public:
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

  static Opened& opened() {
    static Opened handles;
    return handles;
  }

  static bool is_one_process() {
    static const bool known = std::getenv("RANKLE_ONE_PROCESS") != nullptr;
    return known;
  }
};

}  // namespace rankle::providers
