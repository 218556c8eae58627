// Kernels that run beside the collectives of a case to disturb them: one keeps copying memory, one
// holds multiprocessors and does nothing. Each launch is short and the next one follows, since to
// free memory waits for every kernel of the device.
#pragma once

#include <hip/hip_runtime.h>

#include <atomic>
#include <thread>

namespace rankle::gpu {

class Beside {
 public:
  // On device 0. Either number may be 0, and nothing starts if both are.
  Beside(int traffic_blocks, int occupier_blocks);
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;
  // Waits until the last launch has ended, unless the device hangs (abandon()).
  ~Beside();

  // Leaves everything as it is: the process is to end soon.
  void abandon();

 private:
  void run(int traffic_blocks, int occupier_blocks);

  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace rankle::gpu
