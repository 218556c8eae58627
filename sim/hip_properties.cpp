// Properties of the simulated devices. Sizes are an MI300X's, so that code which chooses a path by
// them takes the one of MI300; what the configuration decides follows the configuration.
#include <cstdio>
#include <cstring>

#include "sim/hip_call.h"
#include "sim/occupancy.h"
#include "sim/shared_memory.h"

using rankle::sim::Config;
using rankle::sim::Engine;
using rankle::sim::finish_call;
using rankle::sim::is_device;
using rankle::sim::memory;

namespace {

constexpr int kVersion = 60'443'484;  // ROCm 6.4: major * 10^7 + minor * 10^5 + patch
constexpr char kName[] = "Rankle simulated device";
constexpr int kGridMax = (1 << 24) - 1;
constexpr int kClockKilohertz = 1'000'000;  // clock64() counts nanoseconds of virtual time
constexpr int kMemoryClockKilohertz = 1'300'000;
constexpr int kMemoryBusBits = 8192;
constexpr int kCacheBytes = 4 << 20;
constexpr int kRegisters = 65536;

// A wave of 32 lanes is RDNA's, one of 64 CDNA's.
const char* architecture(const Config& config) {
  return config.wave == 32 ? "gfx1100" : "gfx942:sramecc+:xnack-";
}
int major_version(const Config& config) { return config.wave == 32 ? 11 : 9; }
int minor_version(const Config& config) { return config.wave == 32 ? 0 : 4; }

void fill(hipDeviceProp_t& p, const Config& config, int device) {
  std::snprintf(p.name, sizeof p.name, "%s", kName);
  std::snprintf(p.gcnArchName, sizeof p.gcnArchName, "%s", architecture(config));
  p.totalGlobalMem = config.bytes_max;
  p.sharedMemPerBlock = rankle::sim::kSharedBytesMax;
  p.regsPerBlock = kRegisters;
  p.warpSize = config.wave;
  p.memPitch = rankle::sim::kRegionBytes;
  p.maxThreadsPerBlock = rankle::sim::kThreadsPerBlockMax;
  for (int axis = 0; axis < 3; ++axis) {
    p.maxThreadsDim[axis] = rankle::sim::kThreadsPerBlockMax;
    p.maxGridSize[axis] = kGridMax;
  }
  p.clockRate = p.clockInstructionRate = kClockKilohertz;
  p.major = major_version(config);
  p.minor = minor_version(config);
  p.multiProcessorCount = rankle::sim::multiprocessors(config);
  p.canMapHostMemory = p.concurrentKernels = p.ECCEnabled = p.cooperativeLaunch = p.isLargeBar = 1;
  p.pciBusID = device + 1;
  p.memoryClockRate = kMemoryClockKilohertz;
  p.memoryBusWidth = kMemoryBusBits;
  p.l2CacheSize = kCacheBytes;
  p.maxThreadsPerMultiProcessor = rankle::sim::kThreadsPerMultiprocessor;
  p.sharedMemPerMultiprocessor = rankle::sim::kSharedPerMultiprocessor;
  p.maxSharedMemoryPerMultiProcessor = rankle::sim::kSharedPerMultiprocessor;
  p.maxBlocksPerMultiProcessor = rankle::sim::kBlocksPerMultiprocessorMax;
}

// False for an attribute outside of the subset.
bool answer(int& value, hipDeviceAttribute_t attribute, const Config& config) {
  switch (attribute) {
    case hipDeviceAttributeCanMapHostMemory:
    case hipDeviceAttributeConcurrentKernels:
    case hipDeviceAttributeCooperativeLaunch:
    case hipDeviceAttributeEccEnabled:
    case hipDeviceAttributeFineGrainSupport:
    case hipDeviceAttributeMemoryPoolsSupported:
      value = 1;
      return true;
    case hipDeviceAttributeIntegrated:
      value = 0;
      return true;
    case hipDeviceAttributeClockRate:
      value = kClockKilohertz;
      return true;
    case hipDeviceAttributeComputeCapabilityMajor:
      value = major_version(config);
      return true;
    case hipDeviceAttributeComputeCapabilityMinor:
      value = minor_version(config);
      return true;
    case hipDeviceAttributeMaxBlockDimX:
    case hipDeviceAttributeMaxBlockDimY:
    case hipDeviceAttributeMaxBlockDimZ:
    case hipDeviceAttributeMaxThreadsPerBlock:
      value = rankle::sim::kThreadsPerBlockMax;
      return true;
    case hipDeviceAttributeMaxGridDimX:
    case hipDeviceAttributeMaxGridDimY:
    case hipDeviceAttributeMaxGridDimZ:
      value = kGridMax;
      return true;
    case hipDeviceAttributeMaxThreadsPerMultiProcessor:
      value = rankle::sim::kThreadsPerMultiprocessor;
      return true;
    case hipDeviceAttributeMultiprocessorCount:
      value = rankle::sim::multiprocessors(config);
      return true;
    case hipDeviceAttributeMaxSharedMemoryPerBlock:
    case hipDeviceAttributeMaxSharedMemoryPerMultiprocessor:
      value = static_cast<int>(rankle::sim::kSharedBytesMax);
      return true;
    case hipDeviceAttributeWarpSize:
      value = config.wave;
      return true;
  }
  return false;
}

}  // namespace

extern "C" {

hipError_t hipInit(unsigned flags) {
  RANKLE_ENTER_CALL(host);
  return finish_call(flags == 0 ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipRuntimeGetVersion(int* version) {
  RANKLE_ENTER_CALL(host);
  if (version == nullptr) return finish_call(hipErrorInvalidValue);
  *version = kVersion;
  return hipSuccess;
}

hipError_t hipDriverGetVersion(int* version) { return hipRuntimeGetVersion(version); }

hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
  RANKLE_ENTER_CALL(host);
  if (properties == nullptr) return finish_call(hipErrorInvalidValue);
  if (!is_device(device)) return finish_call(hipErrorInvalidDevice);
  *properties = {};
  fill(*properties, Engine::instance().config(), device);
  return hipSuccess;
}

hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device) {
  RANKLE_ENTER_CALL(host);
  if (value == nullptr) return finish_call(hipErrorInvalidValue);
  if (!is_device(device)) return finish_call(hipErrorInvalidDevice);
  const bool known = answer(*value, attribute, Engine::instance().config());
  return finish_call(known ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipDeviceGetName(char* name, int length, int device) {
  RANKLE_ENTER_CALL(host);
  if (name == nullptr || length <= 0) return finish_call(hipErrorInvalidValue);
  if (!is_device(device)) return finish_call(hipErrorInvalidDevice);
  std::snprintf(name, static_cast<std::size_t>(length), "%s", kName);
  return hipSuccess;
}

hipError_t hipDeviceTotalMem(std::size_t* bytes, int device) {
  RANKLE_ENTER_CALL(host);
  if (bytes == nullptr) return finish_call(hipErrorInvalidValue);
  if (!is_device(device)) return finish_call(hipErrorInvalidDevice);
  *bytes = Engine::instance().config().bytes_max;
  return hipSuccess;
}

// The cap is one for all devices together, and so is what is left of it.
hipError_t hipMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  RANKLE_ENTER_CALL(host);
  if (free_bytes == nullptr && total_bytes == nullptr) return finish_call(hipErrorInvalidValue);
  const std::size_t total = Engine::instance().config().bytes_max;
  if (total_bytes != nullptr) *total_bytes = total;
  if (free_bytes != nullptr) *free_bytes = total - memory().bytes_live();
  return hipSuccess;
}
}
