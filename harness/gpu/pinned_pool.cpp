// See pinned_pool.h.
#include "harness/gpu/pinned_pool.h"

#include <hip/hip_runtime.h>

namespace rankle::gpu {

PinnedPool& PinnedPool::of_process() {
  static PinnedPool pool;
  return pool;
}

void* PinnedPool::take(std::size_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    std::vector<void*>& fitting = free_[bytes];
    if (!fitting.empty()) {
      void* memory = fitting.back();
      fitting.pop_back();
      return memory;
    }
  }
  void* memory = nullptr;
  return hipHostMalloc(&memory, bytes, hipHostMallocDefault) == hipSuccess ? memory : nullptr;
}

void PinnedPool::give_back(void* memory, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  free_[bytes].push_back(memory);
}

}  // namespace rankle::gpu
