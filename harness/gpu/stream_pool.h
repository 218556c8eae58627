// Streams that outlive a run, one set for each rank. Kernels of ranks that share a device wait for
// each other, so no two of their streams may feed one queue of the device; the driver deals its
// queues out as streams are made, so the ones that matter most are made first, once, and used by
// one thread alone.
#pragma once

#include <hip/hip_runtime.h>

#include <map>
#include <mutex>
#include <utility>

namespace rankle::gpu {

class StreamPool {
 public:
  static StreamPool& of_process();

  // Makes the first streams of ranks 0, 1, ... and has each of them run a kernel, which is when a
  // driver sets up what a stream needs. Before any rank waits for another; more ranks may follow.
  hipError_t prepare(int world, int devices);

  // Stream `number` of a rank, on the current device.
  hipError_t open(int rank, int number, hipStream_t& stream);

 private:
  std::mutex mutex_;
  std::map<std::pair<int, int>, hipStream_t> streams_;  // by rank and number
};

}  // namespace rankle::gpu
