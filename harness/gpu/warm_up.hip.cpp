// See warm_up.h.
#include "harness/gpu/warm_up.h"

namespace rankle::gpu {
namespace {

constexpr int kWords = 256;  // of local memory a thread; spills of fp64 sums over 8 ranks take half
constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads) touch_local_memory(int index, int* out) {
  volatile int words[kWords];
  for (int i = 0; i < kWords; ++i) words[i] = i * index;
  if (index < 0) *out = words[threadIdx.x];
}

__global__ void do_nothing() {}

}  // namespace

hipError_t run_empty_kernel(hipStream_t stream) {
  hipLaunchKernelGGL(do_nothing, dim3(1), dim3(1), 0, stream);
  const hipError_t error = hipGetLastError();
  return error == hipSuccess ? hipStreamSynchronize(stream) : error;
}

hipError_t reserve_local_memory(int devices) {
  for (int device = 0; device < devices; ++device) {
    hipError_t error = hipSetDevice(device);
    if (error != hipSuccess) return error;
    hipLaunchKernelGGL(touch_local_memory, dim3(1), dim3(kThreads), 0, nullptr, 1,
                       static_cast<int*>(nullptr));
    error = hipGetLastError();
    if (error == hipSuccess) error = hipDeviceSynchronize();
    if (error != hipSuccess) return error;
  }
  return hipSuccess;
}

}  // namespace rankle::gpu
