// Host side of the simulated HIP: the runtime calls of the subset. Calls are made from a rank's
// host fiber; those that wait yield to the scheduler, and return hipErrorLaunchFailure once the run
// was stopped. What HIP forbids and lets pass is reported as an `api-error` besides the error code.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hip/driver_types.h"
#include "hip/hip_vector_types.h"

extern "C" {
// Errors. The last error stays until hipGetLastError takes it, except that after a kernel's failure
// every call and query gives hipErrorLaunchFailure.
const char* hipGetErrorName(hipError_t error);
const char* hipGetErrorString(hipError_t error);
hipError_t hipGetLastError();
hipError_t hipPeekAtLastError();

// Devices.
hipError_t hipInit(unsigned flags);
hipError_t hipRuntimeGetVersion(int* version);
hipError_t hipDriverGetVersion(int* version);
hipError_t hipGetDeviceCount(int* count);
hipError_t hipSetDevice(int device);
hipError_t hipGetDevice(int* device);
hipError_t hipDeviceSynchronize();
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device);
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device);
hipError_t hipDeviceGetName(char* name, int length, int device);
hipError_t hipDeviceTotalMem(std::size_t* bytes, int device);
hipError_t hipMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes);
hipError_t hipDeviceCanAccessPeer(int* can_access, int device, int peer);
hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags);
hipError_t hipDeviceDisablePeerAccess(int peer);
hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest);

// Memory of the device, and pinned memory of the host, which devices reach under the same address.
hipError_t hipMalloc(void** pointer, std::size_t bytes);
hipError_t hipExtMallocWithFlags(void** pointer, std::size_t bytes, unsigned flags);
hipError_t hipFree(void* pointer);
hipError_t hipMallocAsync(void** pointer, std::size_t bytes, hipStream_t stream);
hipError_t hipFreeAsync(void* pointer, hipStream_t stream);
hipError_t hipHostMalloc(void** pointer, std::size_t bytes, unsigned flags = hipHostMallocDefault);
hipError_t hipHostFree(void* pointer);
hipError_t hipHostRegister(void* pointer, std::size_t bytes, unsigned flags);
hipError_t hipHostUnregister(void* pointer);
hipError_t hipHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned flags);
hipError_t hipHostGetFlags(unsigned* flags, void* pointer);

// What a pointer points to.
hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* pointer);
hipError_t hipPointerGetAttribute(void* data, hipPointer_attribute attribute,
                                  hipDeviceptr_t pointer);
hipError_t hipMemGetAddressRange(hipDeviceptr_t* base, std::size_t* bytes, hipDeviceptr_t pointer);

// Memory of another rank. A handle stands for a whole allocation; opened, it lies elsewhere.
hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* pointer);
hipError_t hipIpcOpenMemHandle(void** pointer, hipIpcMemHandle_t handle, unsigned flags);
hipError_t hipIpcCloseMemHandle(void* pointer);

// Copies and fills.
hipError_t hipMemcpy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind);
hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind,
                          hipStream_t stream = nullptr);
hipError_t hipMemcpyWithStream(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind,
                               hipStream_t stream);
hipError_t hipMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                         std::size_t bytes);
hipError_t hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                              std::size_t bytes, hipStream_t stream = nullptr);
hipError_t hipMemset(void* to, int value, std::size_t bytes);
hipError_t hipMemsetAsync(void* to, int value, std::size_t bytes, hipStream_t stream = nullptr);
hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, std::size_t count);
hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, std::size_t count,
                            hipStream_t stream = nullptr);
hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, std::size_t count);
hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, std::size_t count,
                             hipStream_t stream = nullptr);
hipError_t hipMemsetD32(hipDeviceptr_t to, int value, std::size_t count);
hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, std::size_t count,
                             hipStream_t stream = nullptr);

// Streams.
hipError_t hipStreamCreate(hipStream_t* stream);
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags);
hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int priority);
hipError_t hipStreamDestroy(hipStream_t stream);
hipError_t hipStreamSynchronize(hipStream_t stream);
hipError_t hipStreamQuery(hipStream_t stream);
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags = 0);
hipError_t hipStreamGetFlags(hipStream_t stream, unsigned* flags);
hipError_t hipStreamGetPriority(hipStream_t stream, int* priority);
hipError_t hipStreamGetDevice(hipStream_t stream, int* device);

// A function of the host, behind what is in the stream so far. It may not call HIP.
hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* user_data);

// Capture: what is put into the stream becomes nodes of a graph. The number that names a capture
// differs between the captures of all ranks.
hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode);
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph);
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status);
hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus* status,
                                   unsigned long long* id);
hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus* status,
                                      unsigned long long* id = nullptr, hipGraph_t* graph = nullptr,
                                      const hipGraphNode_t** dependencies = nullptr,
                                      std::size_t* count = nullptr);
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode);

// Graphs. Arrays of nodes are filled up to *count; with nullptr for the array, *count is set.
hipError_t hipGraphCreate(hipGraph_t* graph, unsigned flags);
hipError_t hipGraphDestroy(hipGraph_t graph);
hipError_t hipGraphAddEmptyNode(hipGraphNode_t* node, hipGraph_t graph,
                                const hipGraphNode_t* dependencies, std::size_t count);
hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* node, hipGraph_t graph,
                                   const hipGraphNode_t* dependencies, std::size_t count, void* to,
                                   const void* from, std::size_t bytes, hipMemcpyKind kind);
hipError_t hipGraphAddMemsetNode(hipGraphNode_t* node, hipGraph_t graph,
                                 const hipGraphNode_t* dependencies, std::size_t count,
                                 const hipMemsetParams* parameters);
// A kernel's parameters have types that `func` hides: the kernel must have been launched, captured
// or asked for its occupancy under its own name before, in this run.
hipError_t hipGraphAddKernelNode(hipGraphNode_t* node, hipGraph_t graph,
                                 const hipGraphNode_t* dependencies, std::size_t count,
                                 const hipKernelNodeParams* parameters);
hipError_t hipGraphAddHostNode(hipGraphNode_t* node, hipGraph_t graph,
                               const hipGraphNode_t* dependencies, std::size_t count,
                               const hipHostNodeParams* parameters);
// A copy of the child, which may not allocate or free memory.
hipError_t hipGraphAddChildGraphNode(hipGraphNode_t* node, hipGraph_t graph,
                                     const hipGraphNode_t* dependencies, std::size_t count,
                                     hipGraph_t child);
hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t* graph);

// What nodes do: asked for, changed in a graph for executable graphs to come, or changed in one
// executable graph that was made from the node's graph, for launches to come.
hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams* parameters);
hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams* parameters);
hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           const hipKernelNodeParams* parameters);
hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams* parameters);
hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams* parameters);
hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                         const hipHostNodeParams* parameters);
hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams* parameters);
hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hipMemsetParams* parameters);
hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           const hipMemsetParams* parameters);
hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void* to, const void* from,
                                         std::size_t bytes, hipMemcpyKind kind);
hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node, void* to,
                                             const void* from, std::size_t bytes,
                                             hipMemcpyKind kind);
hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t* from,
                                   const hipGraphNode_t* to, std::size_t count);
hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, std::size_t* count);
hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t* nodes, std::size_t* count);
hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t* from, hipGraphNode_t* to,
                            std::size_t* count);
hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType* type);
hipError_t hipGraphInstantiate(hipGraphExec_t* exec, hipGraph_t graph, hipGraphNode_t* error_node,
                               char* log, std::size_t log_bytes);
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* exec, hipGraph_t graph,
                                        unsigned long long flags);
hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream);
hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream);
hipError_t hipGraphExecUpdate(hipGraphExec_t exec, hipGraph_t graph, hipGraphNode_t* error_node,
                              hipGraphExecUpdateResult* result);
hipError_t hipGraphExecDestroy(hipGraphExec_t exec);

// Events. Times are virtual: the same in every run of a case.
hipError_t hipEventCreate(hipEvent_t* event);
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags);
hipError_t hipEventDestroy(hipEvent_t event);
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream = nullptr);
hipError_t hipEventSynchronize(hipEvent_t event);
hipError_t hipEventQuery(hipEvent_t event);
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop);

// Symbols: a `__device__` variable is a global of the plugin, of which each rank has its own copy.
hipError_t rankle_sim_copy_symbol(void* symbol, std::size_t symbol_bytes, void* host,
                                  std::size_t bytes, std::size_t offset, bool to_symbol, bool wait,
                                  hipStream_t stream);
}

template <typename T>
hipError_t hipMalloc(T** pointer, std::size_t bytes) {
  return hipMalloc(reinterpret_cast<void**>(pointer), bytes);
}
template <typename T>
hipError_t hipExtMallocWithFlags(T** pointer, std::size_t bytes, unsigned flags) {
  return hipExtMallocWithFlags(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <typename T>
hipError_t hipMallocAsync(T** pointer, std::size_t bytes, hipStream_t stream) {
  return hipMallocAsync(reinterpret_cast<void**>(pointer), bytes, stream);
}
template <typename T>
hipError_t hipHostMalloc(T** pointer, std::size_t bytes, unsigned flags = hipHostMallocDefault) {
  return hipHostMalloc(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <typename T>
hipError_t hipHostGetDevicePointer(T** device_pointer, void* host_pointer, unsigned flags) {
  return hipHostGetDevicePointer(reinterpret_cast<void**>(device_pointer), host_pointer, flags);
}

#define HIP_SYMBOL(x) (x)

template <typename T>
hipError_t hipMemcpyToSymbol(T& symbol, const void* from, std::size_t bytes, std::size_t offset = 0,
                             hipMemcpyKind = hipMemcpyHostToDevice) {
  return rankle_sim_copy_symbol(&symbol, sizeof(T), const_cast<void*>(from), bytes, offset, true,
                                true, nullptr);
}
template <typename T>
hipError_t hipMemcpyToSymbolAsync(T& symbol, const void* from, std::size_t bytes,
                                  std::size_t offset, hipMemcpyKind, hipStream_t stream = nullptr) {
  return rankle_sim_copy_symbol(&symbol, sizeof(T), const_cast<void*>(from), bytes, offset, true,
                                false, stream);
}
template <typename T>
hipError_t hipMemcpyFromSymbol(void* to, const T& symbol, std::size_t bytes, std::size_t offset = 0,
                               hipMemcpyKind = hipMemcpyDeviceToHost) {
  return rankle_sim_copy_symbol(const_cast<T*>(&symbol), sizeof(T), to, bytes, offset, false, true,
                                nullptr);
}
template <typename T>
hipError_t hipMemcpyFromSymbolAsync(void* to, const T& symbol, std::size_t bytes,
                                    std::size_t offset, hipMemcpyKind,
                                    hipStream_t stream = nullptr) {
  return rankle_sim_copy_symbol(const_cast<T*>(&symbol), sizeof(T), to, bytes, offset, false, false,
                                stream);
}
template <typename T>
hipError_t hipGetSymbolAddress(void** pointer, const T& symbol) {
  if (pointer == nullptr) return hipErrorInvalidValue;
  *pointer = const_cast<T*>(&symbol);
  return hipSuccess;
}
template <typename T>
hipError_t hipGetSymbolSize(std::size_t* bytes, const T&) {
  if (bytes == nullptr) return hipErrorInvalidValue;
  *bytes = sizeof(T);
  return hipSuccess;
}
