// What a device does only once, and waits for all of its kernels to do it, done before the first
// run: a rank that comes to it later would wait for a peer's kernel, which waits for this rank.
#pragma once

#include <hip/hip_runtime.h>

namespace rankle::gpu {

// Makes every device set aside local memory for kernels that spill, as much as ours do.
hipError_t reserve_local_memory(int devices);

// Waits for it.
hipError_t run_empty_kernel(hipStream_t stream);

}  // namespace rankle::gpu
