// What is known of a kernel's arguments. HIP's graph calls name a kernel by an untyped pointer; its
// runtime looks the arguments up in the code object, which a plugin has not. Here a kernel is known
// once a typed call of the run has had it.
#pragma once

#include <cstddef>

#include "hip/hip_vector_types.h"

struct rankle_sim_kernel_type;

namespace rankle::sim {

// nullptr: not met yet.
const rankle_sim_kernel_type* type_of_kernel(const void* kernel);
void forget_kernel_types();

// Whether a kernel may be launched so at all.
bool is_launchable(const dim3& grid, const dim3& block, std::size_t dynamic_shared_bytes);

}  // namespace rankle::sim
