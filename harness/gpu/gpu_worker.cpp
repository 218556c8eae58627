// worker_platform.h on real devices.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "harness/gpu/devices.h"
#include "harness/worker_platform.h"

namespace rankle::worker_platform {

std::string name() { return RANKLE_PLATFORM; }

// Kernels of ranks that share a device wait for each other, so each rank's stream needs a queue of
// its own; and a kernel that is loaded at its first launch would wait for those that run, for ever.
// The runtime reads these while it is loaded, before main(), hence the second start. What the user
// has set stays.
void prepare(char** argv) {
  constexpr const char* kStartedAgain = "RANKLE_WORKER_STARTED_AGAIN";
  if (std::getenv(kStartedAgain) != nullptr) return;
  setenv(kStartedAgain, "1", 1);
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  setenv("GPU_MAX_HW_QUEUES", "32", 0);
  if (std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr) setenv("RANKLE_ONE_PROCESS", "1", 0);
  execv("/proc/self/exe", argv);
  std::perror("rankle worker: cannot start itself again");
}

std::string why_unavailable() { return gpu::why_unavailable(); }
std::vector<std::string> devices() { return gpu::device_names(); }
CrashProbe probe() { return {}; }
bool limits_cpu() { return false; }

}  // namespace rankle::worker_platform
