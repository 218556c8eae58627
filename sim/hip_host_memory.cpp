// Pinned host memory. It counts as written from the start: host code that was not compiled for the
// simulator writes it unseen, so nobody can tell what it has left out.
#include <cstring>

#include <fmt/format.h>

#include "sim/capture.h"
#include "sim/hip_call.h"
#include "sim/host_memory.h"

using rankle::sim::Allocation;
using rankle::sim::find_registration;
using rankle::sim::finish_call;
using rankle::sim::kHostRegion;
using rankle::sim::Memory;
using rankle::sim::memory;
using rankle::sim::misuse;
using rankle::sim::Registration;
using rankle::sim::registrations;

namespace rankle::sim {

std::vector<Registration>& registrations() {
  static std::vector<Registration> all;
  return all;
}

const Registration* find_registration(std::uintptr_t address) {
  for (const Registration& r : registrations()) {
    if (address >= r.begin && address < r.begin + r.bytes) return &r;
  }
  return nullptr;
}

bool is_pageable(const void* pointer) {
  return !Memory::contains(pointer) &&
         find_registration(reinterpret_cast<std::uintptr_t>(pointer)) == nullptr;
}

}  // namespace rankle::sim

namespace {

constexpr unsigned kMallocFlags = hipHostMallocPortable | hipHostMallocMapped |
                                  hipHostMallocWriteCombined | hipHostMallocNumaUser |
                                  hipHostMallocCoherent | hipHostMallocNonCoherent;
constexpr unsigned kRegisterFlags =
    hipHostRegisterPortable | hipHostRegisterMapped | hipHostRegisterReadOnly;

std::uintptr_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

// The live pinned allocation that holds an address; nullptr if none.
Allocation* pinned_at(std::uintptr_t address) {
  Allocation* const a = memory().find(address);
  const bool holds = a != nullptr && a->region == kHostRegion && !a->freed && address >= a->begin &&
                     address < a->end;
  return holds ? a : nullptr;
}

}  // namespace

extern "C" {

hipError_t hipHostMalloc(void** pointer, std::size_t bytes, unsigned flags) {
  RANKLE_ENTER_CALL(host);
  if (pointer == nullptr || (flags & ~kMallocFlags) != 0) return finish_call(hipErrorInvalidValue);
  const unsigned coherence = hipHostMallocCoherent | hipHostMallocNonCoherent;
  if ((flags & coherence) == coherence) return finish_call(hipErrorInvalidValue);
  const hipError_t refused = rankle::sim::may_call_unsafe(*host);
  if (refused != hipSuccess) return finish_call(refused);
  *pointer = nullptr;
  if (bytes == 0) return hipSuccess;
  const std::uintptr_t address = memory().allocate(kHostRegion, bytes);
  if (address == 0) return finish_call(hipErrorOutOfMemory);
  Allocation& a = *memory().find(address);
  a.rank = host->rank;
  a.device = host->device;
  a.flags = flags;
  a.site = RANKLE_CALLER;
  *pointer = reinterpret_cast<void*>(address);
  std::memset(*pointer, rankle::sim::kPoisonByte, bytes);
  memory().mark_initialised(address, bytes);
  return hipSuccess;
}

hipError_t hipHostFree(void* pointer) {
  RANKLE_ENTER_CALL(host);
  if (pointer == nullptr) return hipSuccess;
  const hipError_t refused = rankle::sim::may_call_unsafe(*host);
  if (refused != hipSuccess) return finish_call(refused);
  const std::uintptr_t address = address_of(pointer);
  const Allocation* const a = pinned_at(address);
  if (a == nullptr || a->begin != address) {
    misuse(fmt::format("hipHostFree of {}, which is not the start of live pinned memory",
                       memory().describe(address)),
           RANKLE_CALLER);
    return finish_call(hipErrorInvalidValue);
  }
  const std::size_t bytes = a->bytes;
  if (!rankle::sim::wait_for_device(host->device, "hipHostFree")) {
    return finish_call(hipErrorLaunchFailure);
  }
  if (const auto* const op = rankle::sim::Engine::instance().pending_transfer(address, bytes)) {
    misuse(fmt::format("hipHostFree of {}, which an operation of rank {} still uses",
                       memory().describe(address), op->stream->rank),
           RANKLE_CALLER);
  }
  memory().release(address);
  return hipSuccess;
}

hipError_t hipHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  RANKLE_ENTER_CALL(host);
  if (pointer == nullptr || bytes == 0 || (flags & ~kRegisterFlags) != 0) {
    return finish_call(hipErrorInvalidValue);
  }
  const std::uintptr_t begin = address_of(pointer);
  for (const Registration& r : registrations()) {
    if (begin < r.begin + r.bytes && r.begin < begin + bytes) {
      return finish_call(hipErrorHostMemoryAlreadyRegistered);
    }
  }
  if (Memory::contains(pointer)) return finish_call(hipErrorHostMemoryAlreadyRegistered);
  registrations().push_back({begin, bytes, flags, host->rank, host->device, RANKLE_CALLER});
  return hipSuccess;
}

hipError_t hipHostUnregister(void* pointer) {
  RANKLE_ENTER_CALL(host);
  if (pointer == nullptr) return finish_call(hipErrorInvalidValue);
  const std::uintptr_t begin = address_of(pointer);
  const std::size_t ended =
      std::erase_if(registrations(), [begin](const Registration& r) { return r.begin == begin; });
  return finish_call(ended == 0 ? hipErrorHostMemoryNotRegistered : hipSuccess);
}

hipError_t hipHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned flags) {
  RANKLE_ENTER_CALL(host);
  if (device_pointer == nullptr || flags != 0) return finish_call(hipErrorInvalidValue);
  const std::uintptr_t address = address_of(host_pointer);
  if (pinned_at(address) == nullptr && find_registration(address) == nullptr) {
    return finish_call(hipErrorInvalidValue);
  }
  *device_pointer = host_pointer;
  return hipSuccess;
}

hipError_t hipHostGetFlags(unsigned* flags, void* pointer) {
  RANKLE_ENTER_CALL(host);
  if (flags == nullptr) return finish_call(hipErrorInvalidValue);
  const Allocation* const a = pinned_at(address_of(pointer));
  if (a == nullptr) return finish_call(hipErrorInvalidValue);
  *flags = a->flags;
  return hipSuccess;
}
}
