// Types of the host API: error codes, enumerations, handles, property records. Names and values are
// HIP's own, as ROCm 6 documents them; records hold the fields that the simulator can fill.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hip/hip_vector_types.h"

enum hipError_t {
  hipSuccess = 0,
  hipErrorInvalidValue = 1,
  hipErrorOutOfMemory = 2,
  hipErrorMemoryAllocation = 2,
  hipErrorNotInitialized = 3,
  hipErrorInitializationError = 3,
  hipErrorDeinitialized = 4,
  hipErrorInvalidConfiguration = 9,
  hipErrorInvalidSymbol = 13,
  hipErrorInvalidDevicePointer = 17,
  hipErrorInvalidMemcpyDirection = 21,
  hipErrorInsufficientDriver = 35,
  hipErrorPriorLaunchFailure = 53,
  hipErrorInvalidDeviceFunction = 98,
  hipErrorNoDevice = 100,
  hipErrorInvalidDevice = 101,
  hipErrorInvalidContext = 201,
  hipErrorMapFailed = 205,
  hipErrorInvalidHandle = 400,
  hipErrorInvalidResourceHandle = 400,
  hipErrorIllegalState = 401,
  hipErrorNotFound = 500,
  hipErrorNotReady = 600,
  hipErrorIllegalAddress = 700,
  hipErrorPeerAccessAlreadyEnabled = 704,
  hipErrorPeerAccessNotEnabled = 705,
  hipErrorContextIsDestroyed = 709,
  hipErrorHostMemoryAlreadyRegistered = 712,
  hipErrorHostMemoryNotRegistered = 713,
  hipErrorLaunchFailure = 719,
  hipErrorCooperativeLaunchTooLarge = 720,
  hipErrorNotSupported = 801,
  hipErrorStreamCaptureUnsupported = 900,
  hipErrorStreamCaptureInvalidated = 901,
  hipErrorStreamCaptureMerge = 902,
  hipErrorStreamCaptureUnmatched = 903,
  hipErrorStreamCaptureUnjoined = 904,
  hipErrorStreamCaptureIsolation = 905,
  hipErrorStreamCaptureImplicit = 906,
  hipErrorCapturedEvent = 907,
  hipErrorStreamCaptureWrongThread = 908,
  hipErrorGraphExecUpdateFailure = 910,
  hipErrorUnknown = 999,
};

enum hipMemcpyKind {
  hipMemcpyHostToHost = 0,
  hipMemcpyHostToDevice = 1,
  hipMemcpyDeviceToHost = 2,
  hipMemcpyDeviceToDevice = 3,
  hipMemcpyDefault = 4,
};

enum hipMemoryType {
  hipMemoryTypeUnregistered = 0,
  hipMemoryTypeHost = 1,
  hipMemoryTypeDevice = 2,
  hipMemoryTypeManaged = 3,
  hipMemoryTypeArray = 10,
  hipMemoryTypeUnified = 11,
};

enum hipPointer_attribute {
  HIP_POINTER_ATTRIBUTE_CONTEXT = 1,
  HIP_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  HIP_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
  HIP_POINTER_ATTRIBUTE_HOST_POINTER = 4,
  HIP_POINTER_ATTRIBUTE_P2P_TOKENS = 5,
  HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS = 6,
  HIP_POINTER_ATTRIBUTE_BUFFER_ID = 7,
  HIP_POINTER_ATTRIBUTE_IS_MANAGED = 8,
  HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
  HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE = 10,
  HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
  HIP_POINTER_ATTRIBUTE_RANGE_SIZE = 12,
  HIP_POINTER_ATTRIBUTE_MAPPED = 13,
};

enum hipFuncAttribute {
  hipFuncAttributeMaxDynamicSharedMemorySize = 8,
  hipFuncAttributePreferredSharedMemoryCarveout = 9,
};

// Those that the simulator answers; HIP's numbers.
enum hipDeviceAttribute_t {
  hipDeviceAttributeEccEnabled = 0,
  hipDeviceAttributeCanMapHostMemory = 3,
  hipDeviceAttributeClockRate = 5,
  hipDeviceAttributeConcurrentKernels = 8,
  hipDeviceAttributeCooperativeLaunch = 10,
  hipDeviceAttributeIntegrated = 16,
  hipDeviceAttributeComputeCapabilityMajor = 23,
  hipDeviceAttributeMaxBlockDimX = 26,
  hipDeviceAttributeMaxBlockDimY = 27,
  hipDeviceAttributeMaxBlockDimZ = 28,
  hipDeviceAttributeMaxGridDimX = 29,
  hipDeviceAttributeMaxGridDimY = 30,
  hipDeviceAttributeMaxGridDimZ = 31,
  hipDeviceAttributeMaxThreadsPerBlock = 56,
  hipDeviceAttributeMaxThreadsPerMultiProcessor = 57,
  hipDeviceAttributeComputeCapabilityMinor = 61,
  hipDeviceAttributeMultiprocessorCount = 63,
  hipDeviceAttributeMaxSharedMemoryPerBlock = 74,
  hipDeviceAttributeWarpSize = 87,
  hipDeviceAttributeMemoryPoolsSupported = 88,
  hipDeviceAttributeMaxSharedMemoryPerMultiprocessor = 10002,
  hipDeviceAttributeFineGrainSupport = 10016,
};

struct ihipStream_t;
struct ihipEvent_t;
using hipStream_t = ihipStream_t*;
using hipEvent_t = ihipEvent_t*;
using hipDeviceptr_t = void*;

inline constexpr unsigned hipStreamDefault = 0;
inline constexpr unsigned hipStreamNonBlocking = 1;

enum hipStreamCaptureStatus {
  hipStreamCaptureStatusNone = 0,
  hipStreamCaptureStatusActive = 1,
  hipStreamCaptureStatusInvalidated = 2,
};

// Which calls a capture forbids that have nothing to do with it: those of all threads, those of its
// own thread, none.
enum hipStreamCaptureMode {
  hipStreamCaptureModeGlobal = 0,
  hipStreamCaptureModeThreadLocal = 1,
  hipStreamCaptureModeRelaxed = 2,
};

struct ihipGraph;
struct hipGraphNode;
struct hipGraphExec;
using hipGraph_t = ihipGraph*;
using hipGraphNode_t = hipGraphNode*;
using hipGraphExec_t = hipGraphExec*;

enum hipGraphNodeType {
  hipGraphNodeTypeKernel = 0,
  hipGraphNodeTypeMemcpy = 1,
  hipGraphNodeTypeMemset = 2,
  hipGraphNodeTypeHost = 3,
  hipGraphNodeTypeGraph = 4,
  hipGraphNodeTypeEmpty = 5,
  hipGraphNodeTypeWaitEvent = 6,
  hipGraphNodeTypeEventRecord = 7,
  hipGraphNodeTypeMemAlloc = 10,
  hipGraphNodeTypeMemFree = 11,
};

enum hipGraphInstantiateFlags {
  hipGraphInstantiateFlagAutoFreeOnLaunch = 1,
  hipGraphInstantiateFlagUpload = 2,
  hipGraphInstantiateFlagDeviceLaunch = 4,
  hipGraphInstantiateFlagUseNodePriority = 8,
};

enum hipGraphExecUpdateResult {
  hipGraphExecUpdateSuccess = 0,
  hipGraphExecUpdateError = 1,
  hipGraphExecUpdateErrorTopologyChanged = 2,
  hipGraphExecUpdateErrorNodeTypeChanged = 3,
  hipGraphExecUpdateErrorFunctionChanged = 4,
  hipGraphExecUpdateErrorParametersChanged = 5,
  hipGraphExecUpdateErrorNotSupported = 6,
  hipGraphExecUpdateErrorUnsupportedFunctionChange = 7,
};

// In HIP's order, so that it may be initialised in it.
struct hipKernelNodeParams {
  dim3 blockDim;
  void** extra;  // outside of the subset
  void* func;
  dim3 gridDim;
  void** kernelParams;  // one pointer for each argument
  unsigned sharedMemBytes;
};

using hipHostFn_t = void (*)(void* user_data);

struct hipHostNodeParams {
  hipHostFn_t fn;
  void* userData;
};

struct hipMemsetParams {
  void* dst;
  unsigned elementSize;  // bytes: 1, 2 or 4
  std::size_t height;    // rows
  std::size_t pitch;     // bytes from row to row; unused with one row
  unsigned value;
  std::size_t width;  // elements in a row
};

inline constexpr unsigned hipEventDefault = 0x0;
inline constexpr unsigned hipEventBlockingSync = 0x1;
inline constexpr unsigned hipEventDisableTiming = 0x2;
inline constexpr unsigned hipEventInterprocess = 0x4;
inline constexpr unsigned hipEventDisableSystemFence = 0x20000000;
inline constexpr unsigned hipEventReleaseToDevice = 0x40000000;
inline constexpr unsigned hipEventReleaseToSystem = 0x80000000;

inline constexpr unsigned hipHostMallocDefault = 0x0;
inline constexpr unsigned hipHostMallocPortable = 0x1;
inline constexpr unsigned hipHostMallocMapped = 0x2;
inline constexpr unsigned hipHostMallocWriteCombined = 0x4;
inline constexpr unsigned hipHostMallocNumaUser = 0x20000000;
inline constexpr unsigned hipHostMallocCoherent = 0x40000000;
inline constexpr unsigned hipHostMallocNonCoherent = 0x80000000;

inline constexpr unsigned hipHostRegisterDefault = 0x0;
inline constexpr unsigned hipHostRegisterPortable = 0x1;
inline constexpr unsigned hipHostRegisterMapped = 0x2;
inline constexpr unsigned hipHostRegisterReadOnly = 0x8;

inline constexpr unsigned hipDeviceMallocDefault = 0x0;
inline constexpr unsigned hipDeviceMallocFinegrained = 0x1;
inline constexpr unsigned hipMallocSignalMemory = 0x2;
inline constexpr unsigned hipDeviceMallocUncached = 0x3;

inline constexpr unsigned hipIpcMemLazyEnablePeerAccess = 0x1;
inline constexpr std::size_t HIP_IPC_HANDLE_SIZE = 64;

struct hipIpcMemHandle_t {
  char reserved[HIP_IPC_HANDLE_SIZE];
};

struct hipPointerAttribute_t {
  union {
    hipMemoryType type;        // since ROCm 6
    hipMemoryType memoryType;  // before
  };
  int device;
  void* devicePointer;
  void* hostPointer;
  int isManaged;
  unsigned allocationFlags;
};

struct hipFuncAttributes {
  std::size_t sharedSizeBytes;
  int maxThreadsPerBlock;
  int maxDynamicSharedSizeBytes;
};

struct hipDeviceProp_t {
  char name[256];
  std::size_t totalGlobalMem;
  std::size_t sharedMemPerBlock;
  int regsPerBlock;
  int warpSize;
  std::size_t memPitch;
  int maxThreadsPerBlock;
  int maxThreadsDim[3];
  int maxGridSize[3];
  int clockRate;  // kHz
  int major;
  int minor;
  int multiProcessorCount;
  int integrated;
  int canMapHostMemory;
  int concurrentKernels;
  int ECCEnabled;
  int pciBusID;
  int pciDeviceID;
  int pciDomainID;
  int memoryClockRate;  // kHz
  int memoryBusWidth;   // bits
  int l2CacheSize;
  int maxThreadsPerMultiProcessor;
  int managedMemory;
  int isMultiGpuBoard;
  int cooperativeLaunch;
  std::size_t sharedMemPerMultiprocessor;
  int maxBlocksPerMultiProcessor;
  char gcnArchName[256];
  std::size_t maxSharedMemoryPerMultiProcessor;
  int clockInstructionRate;  // kHz of clock64() and wall_clock64()
  int isLargeBar;
};
