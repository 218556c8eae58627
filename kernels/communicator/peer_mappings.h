// Memory of peers, opened through IPC handles. A handle stands for a whole allocation wherever in
// it a pointer lay, so every buffer travels as a handle plus its offset. An allocation is opened
// once, however many buffers of it are in use, and closed with the last of them: an opening that is
// kept longer would show memory that its owner may have freed since.
#pragma once

#include <hip/hip_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace rankle::kernels {

// A buffer as it is told to other ranks; plain bytes.
struct ExportedBuffer {
  hipIpcMemHandle_t allocation;
  std::uint64_t offset;
};

// Fails for memory that cannot be exported, and for a range that leaves its allocation.
inline hipError_t export_buffer(void* pointer, std::size_t bytes, ExportedBuffer& exported) {
  hipDeviceptr_t base{};
  std::size_t allocated = 0;
  const auto address = reinterpret_cast<hipDeviceptr_t>(pointer);
  if (const auto error = hipMemGetAddressRange(&base, &allocated, address); error != hipSuccess) {
    return error;
  }
  exported.offset =
      reinterpret_cast<std::uintptr_t>(pointer) - reinterpret_cast<std::uintptr_t>(base);
  if (exported.offset + bytes > allocated) return hipErrorInvalidValue;
  return hipIpcGetMemHandle(&exported.allocation, reinterpret_cast<void*>(base));
}

// What one rank has open of all others.
class PeerMappings {
 public:
  // Sets `pointer` to the buffer as seen from here, and `mapping` to what close() takes.
  hipError_t open(int peer, const ExportedBuffer& buffer, void*& pointer, int& mapping) {
    mapping = find(peer, buffer.allocation);
    if (mapping < 0) {
      Mapping opened{peer, buffer.allocation, nullptr, 0};
      const hipError_t error =
          hipIpcOpenMemHandle(&opened.base, buffer.allocation, hipIpcMemLazyEnablePeerAccess);
      if (error != hipSuccess) return error;
      mapping = keep(opened);
    }
    ++mappings_[static_cast<std::size_t>(mapping)].uses;
    pointer =
        static_cast<std::byte*>(mappings_[static_cast<std::size_t>(mapping)].base) + buffer.offset;
    return hipSuccess;
  }

  // Gives up one use; the last one closes the allocation.
  hipError_t close(int mapping) {
    Mapping& closing = mappings_[static_cast<std::size_t>(mapping)];
    if (--closing.uses > 0) return hipSuccess;
    return hipIpcCloseMemHandle(closing.base);
  }

  // Allocations that are open now.
  int open_count() const {
    int count = 0;
    for (const Mapping& mapping : mappings_) count += mapping.uses > 0 ? 1 : 0;
    return count;
  }

 private:
  struct Mapping {
    int peer;
    hipIpcMemHandle_t allocation;
    void* base;
    int uses;  // 0: closed, the entry is free
  };

  // By the bytes of the handle, not by an address: an address may come back as other memory.
  int find(int peer, const hipIpcMemHandle_t& allocation) const {
    for (std::size_t i = 0; i < mappings_.size(); ++i) {
      const Mapping& known = mappings_[i];
      if (known.uses > 0 && known.peer == peer &&
          std::memcmp(&known.allocation, &allocation, sizeof allocation) == 0) {
        return static_cast<int>(i);
      }
    }
    return -1;
  }

  int keep(const Mapping& opened) {
    for (std::size_t i = 0; i < mappings_.size(); ++i) {
      if (mappings_[i].uses == 0) {
        mappings_[i] = opened;
        return static_cast<int>(i);
      }
    }
    mappings_.push_back(opened);
    return static_cast<int>(mappings_.size()) - 1;
  }

  std::vector<Mapping> mappings_;
};

}  // namespace rankle::kernels
