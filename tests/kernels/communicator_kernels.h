// Kernels for the tests of the communicator, which are compiled with the options of plugins.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>

#include "kernels/communicator/communicator.h"

namespace rankle::testing {

// Enqueues a one-stage sum of `count` int32 over two or three ranks.
hipError_t launch_sum(const kernels::Communicator& communicator,
                      const kernels::CallBuffers& buffers, std::int64_t count, hipStream_t stream);

// Every rank writes `value` into each rank's output through the table, with barriers round it.
hipError_t launch_write_to_all(const kernels::Communicator& communicator,
                               const kernels::CallBuffers& buffers, std::int32_t value,
                               hipStream_t stream);

}  // namespace rankle::testing
