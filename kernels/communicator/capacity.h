// How much memory a communicator was given, and what fits. All sizes are bytes: a limit that is
// compared with elements or packs lets through more than there is room for.
#pragma once

#include <cstdint>

namespace rankle::kernels {

// The same on all ranks.
struct Capacity {
  std::int64_t scratch_bytes = 0;  // for what kernels keep between their stages
  std::int64_t staging_bytes = 0;  // for the input of a call that is not registered, and its result
  int slots = 128;                 // buffers that can be known to all ranks at a time

  bool operator==(const Capacity&) const = default;
};

// Whether a message of `bytes` per rank can be copied into the staging memory.
constexpr bool fits_staging(const Capacity& capacity, std::int64_t bytes) {
  return bytes >= 0 && bytes <= capacity.staging_bytes;
}

// Whether an algorithm that needs `bytes` of scratch on each rank has room for them.
constexpr bool fits_scratch(const Capacity& capacity, std::int64_t bytes) {
  return bytes >= 0 && bytes <= capacity.scratch_bytes;
}

}  // namespace rankle::kernels
