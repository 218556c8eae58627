// The simulator's provider of <hip/hip_runtime.h>: host API and device built-ins in one header, as
// in HIP. Names, values and semantics follow AMD's HIP documentation; what is declared here is
// simulated and nothing else exists, so a call outside the subset does not compile, link or run
// unnoticed.
#pragma once

#define __HIP_PLATFORM_RANKLE_SIM__ 1

#include <hip/hip_runtime_api.h>

#include "sim_device/atomics.h"
#include "sim_device/clock.h"
#include "sim_device/launch.h"
#include "sim_device/legacy_atomics.h"
#include "sim_device/math.h"
#include "sim_device/threads.h"
#include "sim_device/unsupported.h"
#include "sim_device/wave.h"
