// The ranks of a run as threads of this process, several to a device where there are fewer devices
// than ranks. A rank may hang in a call of the device for ever, and a thread cannot be ended from
// outside: then it is left behind, and the process has to end. So whatever threads look at is
// shared, and outlives the run if it must.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace rankle::gpu {

// What can be told of a rank while it runs.
struct RankProgress {
  std::atomic<int> step{-1};
  std::atomic<bool> in_barrier{false};  // waits for the other ranks
  std::atomic<bool> done{false};
  // Words to show when the run hangs.
  std::atomic<const void*> watched{nullptr};
  std::atomic<std::size_t> watched_bytes{0};
};

class RankThreads {
 public:
  RankThreads(int world, int devices);

  // Calls body(rank) on a thread of its own for each rank, with its device current, and waits for
  // all. False if some are not back at the deadline: they go on, and look at this object and at
  // whatever `body` refers to.
  static bool run(const std::shared_ptr<RankThreads>& threads,
                  const std::function<void(int rank)>& body,
                  std::chrono::steady_clock::time_point deadline);

  // Of the calling thread; null elsewhere.
  static RankThreads* current();
  static RankProgress* own_progress();
  static int own_rank();  // -1 elsewhere

  // Waits for all ranks. False once stop() was called.
  bool barrier();
  void stop();
  bool stopped() const { return stopped_; }

  int world() const { return world_; }
  int device_of(int rank) const { return rank % devices_; }
  const RankProgress& progress(int rank) const { return progress_[std::size_t(rank)]; }

 private:
  const int world_;
  const int devices_;
  std::vector<RankProgress> progress_;
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ = 0;
  int done_ = 0;
  unsigned long generation_ = 0;
};

}  // namespace rankle::gpu
