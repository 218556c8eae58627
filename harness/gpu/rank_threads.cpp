// See rank_threads.h.
#include "harness/gpu/rank_threads.h"

#include <hip/hip_runtime.h>

#include <thread>

namespace rankle::gpu {
namespace {

thread_local RankThreads* t_threads = nullptr;
thread_local RankProgress* t_progress = nullptr;
thread_local int t_rank = -1;

}  // namespace

RankThreads::RankThreads(int world, int devices)
    : world_(world), devices_(devices), progress_(std::size_t(world)) {}

RankThreads* RankThreads::current() { return t_threads; }
RankProgress* RankThreads::own_progress() { return t_progress; }
int RankThreads::own_rank() { return t_rank; }

bool RankThreads::run(const std::shared_ptr<RankThreads>& threads,
                      const std::function<void(int rank)>& body,
                      std::chrono::steady_clock::time_point deadline) {
  std::vector<std::thread> running;
  running.reserve(std::size_t(threads->world_));
  for (int rank = 0; rank < threads->world_; ++rank) {
    running.emplace_back([threads, body, rank] {
      t_threads = threads.get();
      t_progress = &threads->progress_[std::size_t(rank)];
      t_rank = rank;
      static_cast<void>(hipSetDevice(threads->device_of(rank)));
      body(rank);
      t_progress->done = true;
      const std::lock_guard lock(threads->mutex_);
      ++threads->done_;
      threads->changed_.notify_all();
    });
  }
  bool all_done = false;
  {
    std::unique_lock lock(threads->mutex_);
    all_done = threads->changed_.wait_until(lock, deadline,
                                            [&] { return threads->done_ == threads->world_; });
  }
  for (std::thread& thread : running) all_done ? thread.join() : thread.detach();
  return all_done;
}

bool RankThreads::barrier() {
  std::unique_lock lock(mutex_);
  if (stopped_) return false;
  if (++waiting_ == world_) {
    waiting_ = 0;
    ++generation_;
    changed_.notify_all();
    return true;
  }
  t_progress->in_barrier = true;
  const unsigned long own = generation_;
  changed_.wait(lock, [&] { return generation_ != own || stopped_; });
  t_progress->in_barrier = false;
  return generation_ != own;
}

void RankThreads::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

}  // namespace rankle::gpu
