// HIP calls outside of the simulated subset. They compile with any arguments, so that a file that
// only mentions one still builds; called, they report an `api-error` that names them and return
// hipErrorNotSupported.
#pragma once

#include "hip/hip_runtime_api.h"

extern "C" hipError_t rankle_sim_unsupported(const char* name);

#define RANKLE_SIM_UNSUPPORTED_NAME(name)  \
  template <typename... Arguments>         \
  inline hipError_t name(Arguments&&...) { \
    return rankle_sim_unsupported(#name);  \
  }

#include "sim_device/unsupported_names.inc"

#undef RANKLE_SIM_UNSUPPORTED_NAME
