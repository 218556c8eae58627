// Pinned host memory that outlives a run: to pin takes near a millisecond, and to unpin waits until
// every kernel of the process has ended, one that waits for a rank which is about to unpin
// included.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace rankle::gpu {

class PinnedPool {
 public:
  static PinnedPool& of_process();

  // Null if there is none. Contents are whatever they are.
  void* take(std::size_t bytes);
  void give_back(void* memory, std::size_t bytes);

 private:
  std::mutex mutex_;
  std::map<std::size_t, std::vector<void*>> free_;  // by size
};

}  // namespace rankle::gpu
