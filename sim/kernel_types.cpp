// The kernels of a run, by address (kernel_types.h).
#include "sim/kernel_types.h"

#include <unordered_map>

#include "hip/hip_runtime_api.h"
#include "sim_device/launch.h"

namespace rankle::sim {
namespace {

std::unordered_map<const void*, const rankle_sim_kernel_type*>& types() {
  static std::unordered_map<const void*, const rankle_sim_kernel_type*> the_types;
  return the_types;
}

}  // namespace

const rankle_sim_kernel_type* type_of_kernel(const void* kernel) {
  const auto found = types().find(kernel);
  return found == types().end() ? nullptr : found->second;
}

// A plugin may go between runs, and another one come to its addresses.
void forget_kernel_types() { types().clear(); }

}  // namespace rankle::sim

#pragma GCC visibility push(default)
extern "C" void rankle_sim_know_kernel(const void* kernel, const rankle_sim_kernel_type* type) {
  rankle::sim::types()[kernel] = type;
}
#pragma GCC visibility pop
