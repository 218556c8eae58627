// What HIP says of a pointer: where it points, and to which allocation. A pointer into an IPC
// mapping is answered in terms of the mapping: its base is the address that the open call returned.
#include "sim/hip_call.h"
#include "sim/host_memory.h"

using rankle::sim::Allocation;
using rankle::sim::finish_call;
using rankle::sim::kHostRegion;
using rankle::sim::memory;

namespace {

struct Target {
  bool known = false;
  hipMemoryType type = hipMemoryTypeUnregistered;
  int device = 0;
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  unsigned flags = 0;
};

Target look_up(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (const auto* const r = rankle::sim::find_registration(address)) {
    return {true, hipMemoryTypeHost, r->device, r->begin, r->bytes, r->flags};
  }
  const Allocation* const a = memory().find(address);
  if (a == nullptr || a->freed || a->region == rankle::sim::kSharedRegion) return {};
  // From the owner's region to where the pointer lies.
  const std::uintptr_t shift = address - rankle::sim::owner_address(address);
  const std::uintptr_t begin = a->begin + shift;
  if (address < begin || address - begin >= a->bytes) return {};
  if (a->region == kHostRegion) {
    return {true, hipMemoryTypeHost, a->device, begin, a->bytes, a->flags};
  }
  return {true, hipMemoryTypeDevice, a->region, begin, a->bytes, a->flags};
}

template <typename T>
hipError_t give(void* data, T value) {
  *static_cast<T*>(data) = value;
  return hipSuccess;
}

}  // namespace

extern "C" {

hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* pointer) {
  RANKLE_ENTER_CALL(host);
  if (attributes == nullptr || pointer == nullptr) return finish_call(hipErrorInvalidValue);
  *attributes = {};
  attributes->type = hipMemoryTypeUnregistered;
  const Target target = look_up(pointer);
  if (!target.known) return finish_call(hipErrorInvalidValue);
  attributes->type = target.type;
  attributes->device = target.device;
  attributes->devicePointer = const_cast<void*>(pointer);
  attributes->hostPointer = target.type == hipMemoryTypeHost ? const_cast<void*>(pointer) : nullptr;
  attributes->allocationFlags = target.flags;
  return hipSuccess;
}

hipError_t hipPointerGetAttribute(void* data, hipPointer_attribute attribute,
                                  hipDeviceptr_t pointer) {
  RANKLE_ENTER_CALL(host);
  if (data == nullptr || pointer == nullptr) return finish_call(hipErrorInvalidValue);
  const Target target = look_up(pointer);
  if (!target.known) return finish_call(hipErrorInvalidValue);
  const bool is_host = target.type == hipMemoryTypeHost;
  switch (attribute) {
    case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return give<unsigned>(data, target.type);
    case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return give<void*>(data, pointer);
    case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
      if (!is_host) return finish_call(hipErrorInvalidValue);
      return give<void*>(data, pointer);
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
      return give<bool>(data, false);
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return give<int>(data, target.device);
    case HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE:
      return give<bool>(data, !is_host);
    case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return give<void*>(data, reinterpret_cast<void*>(target.begin));
    case HIP_POINTER_ATTRIBUTE_RANGE_SIZE:
      return give<std::size_t>(data, target.bytes);
    case HIP_POINTER_ATTRIBUTE_MAPPED:
      return give<bool>(data, true);
    case HIP_POINTER_ATTRIBUTE_CONTEXT:
    case HIP_POINTER_ATTRIBUTE_P2P_TOKENS:
    case HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case HIP_POINTER_ATTRIBUTE_BUFFER_ID:
      return finish_call(hipErrorNotSupported);
  }
  return finish_call(hipErrorInvalidValue);
}

hipError_t hipMemGetAddressRange(hipDeviceptr_t* base, std::size_t* bytes, hipDeviceptr_t pointer) {
  RANKLE_ENTER_CALL(host);
  if (base == nullptr && bytes == nullptr) return finish_call(hipErrorInvalidValue);
  const Target target = look_up(pointer);
  if (!target.known) return finish_call(hipErrorInvalidDevicePointer);
  if (base != nullptr) *base = reinterpret_cast<void*>(target.begin);
  if (bytes != nullptr) *bytes = target.bytes;
  return hipSuccess;
}
}
