// IPC memory handles. A handle stands for a whole allocation, wherever in it the pointer lay from
// which it was made: offsets have to travel beside it. Opened, it gives another address than the
// owner's (windows.h).
#include <cstring>

#include <fmt/format.h>

#include "sim/hip_call.h"
#include "sim/windows.h"

using rankle::sim::Allocation;
using rankle::sim::finish_call;
using rankle::sim::memory;
using rankle::sim::misuse;
using rankle::sim::windows;

namespace {

constexpr std::uint64_t kMagic = 0x656c646e61687069;  // tells a handle from other bytes

struct HandleContent {
  std::uint64_t magic = 0;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::int64_t rank = 0;
};
static_assert(sizeof(HandleContent) <= sizeof(hipIpcMemHandle_t));

// The allocation that a handle was made of, freed or not; nullptr if the bytes are no handle of
// this run.
const Allocation* allocation_of(const HandleContent& content) {
  if (content.magic != kMagic || rankle::sim::in_window(content.begin)) return nullptr;
  const Allocation* const a = memory().find(content.begin);
  const bool same = a != nullptr && a->begin == content.begin && a->bytes == content.bytes &&
                    a->rank == content.rank;
  return same ? a : nullptr;
}

}  // namespace

extern "C" {

hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* pointer) {
  RANKLE_ENTER_CALL(host);
  if (handle == nullptr || pointer == nullptr) return finish_call(hipErrorInvalidValue);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const Allocation* const a = rankle::sim::in_window(address) ? nullptr : memory().find(address);
  const bool exportable = a != nullptr && !a->freed && a->region < rankle::sim::kHostRegion &&
                          address >= a->begin && address < a->begin + a->bytes;
  if (!exportable) return finish_call(hipErrorInvalidDevicePointer);
  const HandleContent content{kMagic, a->begin, a->bytes, a->rank};
  std::memset(handle, 0, sizeof *handle);
  std::memcpy(handle, &content, sizeof content);
  return hipSuccess;
}

hipError_t hipIpcOpenMemHandle(void** pointer, hipIpcMemHandle_t handle, unsigned flags) {
  RANKLE_ENTER_CALL(host);
  if (pointer == nullptr || flags != hipIpcMemLazyEnablePeerAccess) {
    return finish_call(hipErrorInvalidValue);
  }
  HandleContent content;
  std::memcpy(&content, &handle, sizeof content);
  const Allocation* const a = allocation_of(content);
  if (a == nullptr) return finish_call(hipErrorInvalidHandle);
  if (a->rank == host->rank) return finish_call(hipErrorInvalidContext);
  if (a->freed) {
    misuse(fmt::format("hipIpcOpenMemHandle of a handle of {}", memory().describe(a->begin)),
           RANKLE_CALLER);
    return finish_call(hipErrorMapFailed);
  }
  const std::uintptr_t at = windows().open(host->rank, a->begin, RANKLE_CALLER);
  *pointer = reinterpret_cast<void*>(at);
  return hipSuccess;
}

hipError_t hipIpcCloseMemHandle(void* pointer) {
  RANKLE_ENTER_CALL(host);
  if (pointer == nullptr) return finish_call(hipErrorInvalidValue);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (windows().close(host->rank, address)) return hipSuccess;
  misuse(fmt::format("hipIpcCloseMemHandle of {}, which is not the start of a mapping that rank {} "
                     "has open",
                     memory().describe(address), host->rank),
         RANKLE_CALLER);
  return finish_call(hipErrorInvalidValue);
}
}
