// Compiled exactly as kernels are, with libFuzzer's coverage counters on top. It uses what the
// counters might upset: shared memory, a barrier (so fibers switch in the middle of instrumented
// code), checked loads and stores. The nested comparisons can be passed only with feedback from
// inside the kernel: one input in 2^32 is right.
#include "tests/fuzzer_link/probe_kernel.h"

#include <hip/hip_runtime.h>

namespace rankle::fuzzer_link {
namespace {

__global__ void probe(const std::uint8_t* bytes, Probe* result) {
  __shared__ std::uint32_t tile[kThreads];
  const unsigned thread = threadIdx.x;
  tile[thread] = bytes[thread];
  __syncthreads();
  if (thread != 0) return;

  std::uint32_t sum = 0;
  for (int i = 0; i < kThreads; ++i) sum += tile[i];
  result->sum = sum;

  std::uint32_t door = 0;
  if (tile[0] == 'r') {
    door = 1;
    if (tile[1] == 'a') {
      door = 2;
      if (tile[2] == 'n') {
        door = 3;
        if (tile[3] == 'k') door = 4;
      }
    }
  }
  result->door = door;
}

}  // namespace

bool run_probe(const std::uint8_t* bytes, Probe& result) {
  std::uint8_t* input = nullptr;
  Probe* output = nullptr;
  if (hipMalloc(reinterpret_cast<void**>(&input), kThreads) != hipSuccess) return false;
  if (hipMalloc(reinterpret_cast<void**>(&output), sizeof(Probe)) != hipSuccess) return false;
  bool good = hipMemcpy(input, bytes, kThreads, hipMemcpyHostToDevice) == hipSuccess;
  hipLaunchKernelGGL(probe, dim3(1), dim3(kThreads), 0, nullptr, input, output);
  good = good && hipDeviceSynchronize() == hipSuccess;
  good = good && hipMemcpy(&result, output, sizeof(Probe), hipMemcpyDeviceToHost) == hipSuccess;
  good = good && hipFree(input) == hipSuccess;
  return hipFree(output) == hipSuccess && good;
}

}  // namespace rankle::fuzzer_link
