// HIP calls outside of the simulated subset. They compile with any arguments, so that a file that only
// mentions one still builds; called, they report an `api-error` that names them and return
// hipErrorNotSupported.
#pragma once

#include "hip/hip_runtime_api.h"

extern "C" hipError_t rankle_sim_unsupported(const char* name);

#define RANKLE_SIM_UNSUPPORTED(name)          \
  template <typename... Arguments>            \
  inline hipError_t name(Arguments&&...) {    \
    return rankle_sim_unsupported(#name);     \
  }

RANKLE_SIM_UNSUPPORTED(hipMallocManaged)
RANKLE_SIM_UNSUPPORTED(hipMallocPitch)
RANKLE_SIM_UNSUPPORTED(hipMalloc3D)
RANKLE_SIM_UNSUPPORTED(hipMallocArray)
RANKLE_SIM_UNSUPPORTED(hipMemAdvise)
RANKLE_SIM_UNSUPPORTED(hipMemPrefetchAsync)
RANKLE_SIM_UNSUPPORTED(hipMemcpy2D)
RANKLE_SIM_UNSUPPORTED(hipMemcpy2DAsync)
RANKLE_SIM_UNSUPPORTED(hipMemcpy3D)
RANKLE_SIM_UNSUPPORTED(hipMemcpyPeer)
RANKLE_SIM_UNSUPPORTED(hipMemcpyPeerAsync)
RANKLE_SIM_UNSUPPORTED(hipMemcpyToSymbol)
RANKLE_SIM_UNSUPPORTED(hipMemcpyFromSymbol)
RANKLE_SIM_UNSUPPORTED(hipMemcpyToSymbolAsync)
RANKLE_SIM_UNSUPPORTED(hipGetSymbolAddress)
RANKLE_SIM_UNSUPPORTED(hipMemset2D)
RANKLE_SIM_UNSUPPORTED(hipMemsetD16)
RANKLE_SIM_UNSUPPORTED(hipMemsetD32)
RANKLE_SIM_UNSUPPORTED(hipMemAddressReserve)
RANKLE_SIM_UNSUPPORTED(hipMemCreate)
RANKLE_SIM_UNSUPPORTED(hipMemMap)
RANKLE_SIM_UNSUPPORTED(hipMemUnmap)
RANKLE_SIM_UNSUPPORTED(hipMemSetAccess)
RANKLE_SIM_UNSUPPORTED(hipModuleLoad)
RANKLE_SIM_UNSUPPORTED(hipModuleLoadData)
RANKLE_SIM_UNSUPPORTED(hipModuleGetFunction)
RANKLE_SIM_UNSUPPORTED(hipModuleLaunchKernel)
RANKLE_SIM_UNSUPPORTED(hipModuleUnload)
RANKLE_SIM_UNSUPPORTED(hipLaunchHostFunc)
RANKLE_SIM_UNSUPPORTED(hipStreamAddCallback)
RANKLE_SIM_UNSUPPORTED(hipStreamAttachMemAsync)
RANKLE_SIM_UNSUPPORTED(hipStreamWriteValue32)
RANKLE_SIM_UNSUPPORTED(hipStreamWriteValue64)
RANKLE_SIM_UNSUPPORTED(hipStreamWaitValue32)
RANKLE_SIM_UNSUPPORTED(hipStreamWaitValue64)
RANKLE_SIM_UNSUPPORTED(hipStreamCreateWithPriority)
RANKLE_SIM_UNSUPPORTED(hipExtStreamCreateWithCUMask)
RANKLE_SIM_UNSUPPORTED(hipExtLaunchMultiKernelMultiDevice)
RANKLE_SIM_UNSUPPORTED(hipLaunchCooperativeKernelMultiDevice)
RANKLE_SIM_UNSUPPORTED(hipDeviceReset)
RANKLE_SIM_UNSUPPORTED(hipDeviceSetCacheConfig)
RANKLE_SIM_UNSUPPORTED(hipDeviceSetLimit)
RANKLE_SIM_UNSUPPORTED(hipFuncSetAttribute)
RANKLE_SIM_UNSUPPORTED(hipFuncGetAttributes)
RANKLE_SIM_UNSUPPORTED(hipCreateTextureObject)
RANKLE_SIM_UNSUPPORTED(hipImportExternalMemory)
RANKLE_SIM_UNSUPPORTED(hipProfilerStart)
RANKLE_SIM_UNSUPPORTED(hipProfilerStop)

#undef RANKLE_SIM_UNSUPPORTED
