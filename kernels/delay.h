// A kernel that does nothing for a while, so that one rank comes late. It reads the clock of
// constant rate and not a counter of cycles, which runs slower where the device saves power.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>

namespace rankle::kernels {

// The constant clock counts at 100 MHz on the MI200 and MI300 series and on the simulator.
inline constexpr std::int64_t kWallClockNanoseconds = 10;

// One thread. `ticks` of the constant clock.
static __global__ void wait_ticks(long long ticks) {
  const long long begin = wall_clock64();
  while (wall_clock64() - begin < ticks) {
  }
}

inline hipError_t launch_delay(std::int64_t nanoseconds, hipStream_t stream) {
  const long long ticks = (nanoseconds + kWallClockNanoseconds - 1) / kWallClockNanoseconds;
  hipLaunchKernelGGL(wait_ticks, dim3(1), dim3(1), 0, stream, ticks);
  return hipGetLastError();
}

}  // namespace rankle::kernels
