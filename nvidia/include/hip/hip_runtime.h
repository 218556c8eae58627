// <hip/hip_runtime.h> on NVIDIA: the subset of HIP that kernels, launchers and the harness use, as
// thin names for the CUDA runtime. HIP's own header for this platform does not compile against
// current CUDA versions. What is missing here does not compile, rather than do something else.
#pragma once

#define __HIP_PLATFORM_NVIDIA__ 1

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

using hipError_t = cudaError_t;
using hipStream_t = cudaStream_t;
using hipEvent_t = cudaEvent_t;
using hipGraph_t = cudaGraph_t;
using hipGraphExec_t = cudaGraphExec_t;
using hipGraphNode_t = cudaGraphNode_t;
using hipDeviceProp_t = cudaDeviceProp;
using hipMemcpyKind = cudaMemcpyKind;
using hipDeviceptr_t = void*;
using hipStreamCaptureStatus = cudaStreamCaptureStatus;
using hipStreamCaptureMode = cudaStreamCaptureMode;

inline constexpr hipError_t hipSuccess = cudaSuccess;
inline constexpr hipError_t hipErrorInvalidValue = cudaErrorInvalidValue;
inline constexpr hipError_t hipErrorOutOfMemory = cudaErrorMemoryAllocation;
inline constexpr hipError_t hipErrorNotReady = cudaErrorNotReady;
inline constexpr hipError_t hipErrorPeerAccessAlreadyEnabled = cudaErrorPeerAccessAlreadyEnabled;
inline constexpr hipError_t hipErrorLaunchFailure = cudaErrorLaunchFailure;
inline constexpr hipError_t hipErrorIllegalAddress = cudaErrorIllegalAddress;
inline constexpr hipError_t hipErrorMisalignedAddress = cudaErrorMisalignedAddress;
inline constexpr hipError_t hipErrorNoDevice = cudaErrorNoDevice;

inline constexpr hipMemcpyKind hipMemcpyHostToDevice = cudaMemcpyHostToDevice;
inline constexpr hipMemcpyKind hipMemcpyDeviceToHost = cudaMemcpyDeviceToHost;
inline constexpr hipMemcpyKind hipMemcpyDeviceToDevice = cudaMemcpyDeviceToDevice;
inline constexpr hipMemcpyKind hipMemcpyDefault = cudaMemcpyDefault;

inline constexpr unsigned hipStreamDefault = cudaStreamDefault;
inline constexpr unsigned hipStreamNonBlocking = cudaStreamNonBlocking;

inline const char* hipGetErrorName(hipError_t error) { return cudaGetErrorName(error); }
inline const char* hipGetErrorString(hipError_t error) { return cudaGetErrorString(error); }
inline hipError_t hipGetLastError() { return cudaGetLastError(); }
inline hipError_t hipPeekAtLastError() { return cudaPeekAtLastError(); }

inline hipError_t hipGetDeviceCount(int* count) { return cudaGetDeviceCount(count); }
inline hipError_t hipSetDevice(int device) { return cudaSetDevice(device); }
inline hipError_t hipGetDevice(int* device) { return cudaGetDevice(device); }
inline hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
  return cudaGetDeviceProperties(properties, device);
}
inline hipError_t hipDriverGetVersion(int* version) { return cudaDriverGetVersion(version); }
inline hipError_t hipRuntimeGetVersion(int* version) { return cudaRuntimeGetVersion(version); }
inline hipError_t hipMemGetInfo(std::size_t* available, std::size_t* total) {
  return cudaMemGetInfo(available, total);
}
inline hipError_t hipDeviceSynchronize() { return cudaDeviceSynchronize(); }
inline hipError_t hipDeviceCanAccessPeer(int* can_access, int device, int peer) {
  return cudaDeviceCanAccessPeer(can_access, device, peer);
}
inline hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags) {
  return cudaDeviceEnablePeerAccess(peer, flags);
}
inline hipError_t hipDeviceDisablePeerAccess(int peer) { return cudaDeviceDisablePeerAccess(peer); }

template <typename T>
hipError_t hipMalloc(T** pointer, std::size_t bytes) {
  return cudaMalloc(reinterpret_cast<void**>(pointer), bytes);
}
// Here all device memory is fine-grained: coherent between devices while kernels run.
inline constexpr unsigned hipDeviceMallocDefault = 0;
inline constexpr unsigned hipDeviceMallocFinegrained = 1;
template <typename T>
hipError_t hipExtMallocWithFlags(T** pointer, std::size_t bytes, unsigned flags) {
  return flags <= hipDeviceMallocFinegrained ? hipMalloc(pointer, bytes) : cudaErrorInvalidValue;
}
inline hipError_t hipFree(void* pointer) { return cudaFree(pointer); }
inline hipError_t hipMemcpy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind) {
  return cudaMemcpy(to, from, bytes, kind);
}
inline hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind,
                                 hipStream_t stream) {
  return cudaMemcpyAsync(to, from, bytes, kind, stream);
}
inline hipError_t hipMemset(void* to, int value, std::size_t bytes) {
  return cudaMemset(to, value, bytes);
}
inline hipError_t hipMemsetAsync(void* to, int value, std::size_t bytes, hipStream_t stream) {
  return cudaMemsetAsync(to, value, bytes, stream);
}

// The runtime has no such call, and the driver's is asked for by name, so that nothing has to be
// linked with it.
inline hipError_t hipMemGetAddressRange(hipDeviceptr_t* base, std::size_t* bytes,
                                        hipDeviceptr_t pointer) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  const cudaError_t error = cudaGetDriverEntryPointByVersion("cuMemGetAddressRange", &entry, 12000,
                                                             cudaEnableDefault, &found);
  if (error != cudaSuccess) return error;
  if (found != cudaDriverEntryPointSuccess) return cudaErrorNotSupported;
  CUdeviceptr begin = 0;
  const auto call = reinterpret_cast<CUresult (*)(CUdeviceptr*, std::size_t*, CUdeviceptr)>(entry);
  if (call(&begin, bytes, reinterpret_cast<CUdeviceptr>(pointer)) != CUDA_SUCCESS) {
    return cudaErrorInvalidDevicePointer;
  }
  *base = reinterpret_cast<void*>(begin);
  return cudaSuccess;
}

#include "hip/ipc.h"

inline hipError_t hipStreamCreate(hipStream_t* stream) { return cudaStreamCreate(stream); }
inline hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithFlags(stream, flags);
}
inline hipError_t hipStreamDestroy(hipStream_t stream) { return cudaStreamDestroy(stream); }
inline hipError_t hipStreamSynchronize(hipStream_t stream) { return cudaStreamSynchronize(stream); }
inline hipError_t hipStreamQuery(hipStream_t stream) { return cudaStreamQuery(stream); }
inline constexpr hipStreamCaptureStatus hipStreamCaptureStatusNone = cudaStreamCaptureStatusNone;
inline constexpr hipStreamCaptureStatus hipStreamCaptureStatusActive =
    cudaStreamCaptureStatusActive;
inline hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status) {
  return cudaStreamIsCapturing(stream, status);
}

inline hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  return cudaStreamBeginCapture(stream, mode);
}
inline constexpr hipStreamCaptureMode hipStreamCaptureModeThreadLocal =
    cudaStreamCaptureModeThreadLocal;
inline hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph) {
  return cudaStreamEndCapture(stream, graph);
}
inline hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
  return cudaStreamWaitEvent(stream, event, flags);
}

inline constexpr unsigned hipEventDefault = cudaEventDefault;
inline constexpr unsigned hipEventDisableTiming = cudaEventDisableTiming;
inline hipError_t hipEventCreate(hipEvent_t* event) { return cudaEventCreate(event); }
inline hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  return cudaEventCreateWithFlags(event, flags);
}
inline hipError_t hipEventDestroy(hipEvent_t event) { return cudaEventDestroy(event); }
inline hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return cudaEventRecord(event, stream);
}
inline hipError_t hipEventQuery(hipEvent_t event) { return cudaEventQuery(event); }
inline hipError_t hipEventSynchronize(hipEvent_t event) { return cudaEventSynchronize(event); }
inline hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t begin, hipEvent_t end) {
  return cudaEventElapsedTime(milliseconds, begin, end);
}

// The node and the log of an error are HIP's old way of reporting; callers here pass null.
inline hipError_t hipGraphInstantiate(hipGraphExec_t* exec, hipGraph_t graph,
                                      hipGraphNode_t* /*error_node*/, char* /*log*/,
                                      std::size_t /*log_bytes*/) {
  return cudaGraphInstantiate(exec, graph, 0);
}
inline hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream) {
  return cudaGraphUpload(exec, stream);
}
inline hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream) {
  return cudaGraphLaunch(exec, stream);
}
inline hipError_t hipGraphExecDestroy(hipGraphExec_t exec) { return cudaGraphExecDestroy(exec); }
inline hipError_t hipGraphDestroy(hipGraph_t graph) { return cudaGraphDestroy(graph); }

inline constexpr unsigned hipHostRegisterDefault = cudaHostRegisterDefault;
inline constexpr unsigned hipHostMallocDefault = cudaHostAllocDefault;
inline hipError_t hipHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return cudaHostRegister(pointer, bytes, flags);
}
inline hipError_t hipHostUnregister(void* pointer) { return cudaHostUnregister(pointer); }
inline hipError_t hipHostMalloc(void** pointer, std::size_t bytes, unsigned flags) {
  return cudaHostAlloc(pointer, bytes, flags);
}
inline hipError_t hipHostFree(void* pointer) { return cudaFreeHost(pointer); }

#ifdef __CUDACC__
// The clock of constant rate, at AMD's 100 MHz: %globaltimer counts nanoseconds.
__device__ inline long long wall_clock64() {
  unsigned long long nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return static_cast<long long>(nanoseconds / 10);
}

#endif

#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define hipLaunchKernelGGL(kernel, grid, block, shared_bytes, stream, ...) \
  (kernel)<<<(grid), (block), (shared_bytes), (stream)>>>(__VA_ARGS__)
