// Pinned host memory for what a stream copies in its own time: a copy that touches pageable memory
// would make the host wait, and nothing would be queued. One rank's.
#pragma once

#include <hip/hip_runtime.h>

#include <cstddef>
#include <span>
#include <vector>

#include "harness/runner/buffers.h"

namespace rankle {

class HostImages {
 public:
  HostImages() = default;
  HostImages(const HostImages&) = delete;
  HostImages& operator=(const HostImages&) = delete;
  ~HostImages();

  // What an image of `bytes` takes up.
  static std::size_t room_for(std::size_t bytes);

  // Room until recycle(). Not while this rank captures, unless reserve() has seen to it.
  bool take(HipCalls& hip, std::size_t bytes, std::span<std::byte>& image);
  // Makes the next images of `bytes` together come from what is pinned already.
  bool reserve(HipCalls& hip, std::size_t bytes);
  // Bytes taken since the last recycle().
  std::size_t taken() const { return taken_; }
  // No copy may be under way. Keeps the memory.
  void recycle();
  // No copy may be under way, unless the run has been stopped.
  void release(HipCalls& hip);

 private:
  struct Chunk {
    std::byte* memory = nullptr;
    std::size_t bytes = 0;
    std::size_t used = 0;
  };
  std::vector<Chunk> chunks_;
  std::size_t taken_ = 0;
};

}  // namespace rankle
