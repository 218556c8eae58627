// What can still be said of a run that hangs: which rank is at which step, and what its signals
// hold. Copies on a stream of its own, made before the run, since allocating may wait for kernels
// that never end.
#pragma once

#include <hip/hip_runtime.h>

#include <vector>

#include "generators/case.h"
#include "harness/gpu/rank_threads.h"
#include "harness/verdict.h"

namespace rankle::gpu {

class HangReporter {
 public:
  // For the devices [0, devices). Once per process.
  explicit HangReporter(int devices);

  Finding report(const Case& c, const RankThreads& threads, double waited_s) const;

 private:
  std::string signals_of(const RankThreads& threads, int rank) const;

  std::vector<hipStream_t> streams_;  // by device
  std::byte* memory_ = nullptr;       // pinned
};

}  // namespace rankle::gpu
