// See devices.h.
#include "harness/gpu/devices.h"

#include <fmt/format.h>
#include <hip/hip_runtime.h>

#include <algorithm>
#include <limits>

namespace rankle::gpu {
namespace {

struct Count {
  int devices = 0;
  hipError_t error = hipSuccess;
};

const Count& counted() {
  static const Count count = [] {
    Count asked;
    asked.error = hipGetDeviceCount(&asked.devices);
    if (asked.error != hipSuccess) asked.devices = 0;
    return asked;
  }();
  return count;
}

constexpr std::int64_t kRegistersPerThreadMax = 64;
constexpr int kMultiprocessorsKept = 2;

// Of one device.
std::int64_t threads_of(int device) {
  hipDeviceProp_t properties{};
  if (hipGetDeviceProperties(&properties, device) != hipSuccess) return 0;
  const std::int64_t per_multiprocessor = std::min<std::int64_t>(
      properties.regsPerBlock / kRegistersPerThreadMax, properties.maxThreadsPerMultiProcessor);
  return per_multiprocessor * std::max(1, properties.multiProcessorCount - kMultiprocessorsKept);
}

}  // namespace

int device_count() { return counted().devices; }

std::string why_unavailable() {
  const Count& count = counted();
  if (count.devices > 0) return "";
  if (count.error == hipSuccess) return "there is no device here that this worker can use";
  return fmt::format("there is no device here that this worker can use: {} ({})",
                     hipGetErrorString(count.error), hipGetErrorName(count.error));
}

std::vector<std::string> device_names() {
  std::vector<std::string> names;
  for (int device = 0; device < device_count(); ++device) {
    hipDeviceProp_t properties{};
    const bool known = hipGetDeviceProperties(&properties, device) == hipSuccess;
    names.push_back(fmt::format("{} (device {})", known ? properties.name : "unknown", device));
  }
  return names;
}

std::int64_t resident_threads(const std::vector<int>& worlds) {
  static const std::int64_t per_device = [] {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (int device = 0; device < device_count(); ++device) {
      least = std::min(least, threads_of(device));
    }
    return least;
  }();
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const int world : worlds) {
    const int share = (world + device_count() - 1) / device_count();  // ranks of the fullest device
    least = std::min(least, per_device * world / share);
  }
  return least;
}

}  // namespace rankle::gpu
