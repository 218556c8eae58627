// See stream_pool.h.
#include "harness/gpu/stream_pool.h"

#include "harness/gpu/warm_up.h"

namespace rankle::gpu {

StreamPool& StreamPool::of_process() {
  static StreamPool pool;
  return pool;
}

hipError_t StreamPool::prepare(int world, int devices) {
  constexpr int kFirst = 2;  // the one of the calls, and the one of fills and copies
  for (int number = 0; number < kFirst; ++number) {
    for (int rank = 0; rank < world; ++rank) {
      hipError_t error = hipSetDevice(rank % devices);
      hipStream_t stream = nullptr;
      if (error == hipSuccess) error = open(rank, number, stream);
      if (error == hipSuccess) error = run_empty_kernel(stream);
      if (error != hipSuccess) return error;
    }
  }
  return hipSuccess;
}

hipError_t StreamPool::open(int rank, int number, hipStream_t& stream) {
  const std::lock_guard lock(mutex_);
  hipStream_t& kept = streams_[{rank, number}];
  if (kept == nullptr) {
    const hipError_t error = hipStreamCreateWithFlags(&kept, hipStreamNonBlocking);
    if (error != hipSuccess) {
      kept = nullptr;
      return error;
    }
  }
  stream = kept;
  return hipSuccess;
}

}  // namespace rankle::gpu
