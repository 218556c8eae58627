// Chunks that are pinned once and handed out from the front.
#include "harness/runner/host_images.h"

#include <algorithm>
#include <utility>

#include "harness/runner/device_hooks.h"

namespace rankle {
namespace {

constexpr std::size_t kChunkBytesMin = std::size_t{64} << 10;
constexpr std::size_t kAlignment = 64;

}  // namespace

std::size_t HostImages::room_for(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

HostImages::~HostImages() {
  for (const Chunk& chunk : chunks_) device_hooks::unpin(chunk.memory, chunk.bytes);
}

bool HostImages::reserve(HipCalls& hip, std::size_t bytes) {
  if (!chunks_.empty() && chunks_.back().bytes - chunks_.back().used >= bytes) return true;
  Chunk chunk;
  chunk.bytes =
      std::max(room_for(bytes), kChunkBytesMin << std::min<std::size_t>(chunks_.size(), 8));
  constexpr std::size_t kTo = device_hooks::kPinAlignment;
  chunk.bytes = (chunk.bytes + kTo - 1) / kTo * kTo;
  void* memory = device_hooks::pin(chunk.bytes);
  if (memory == nullptr) return hip.ok(hipErrorOutOfMemory, "pinning host memory");
  chunk.memory = static_cast<std::byte*>(memory);
  chunks_.push_back(chunk);
  return true;
}

bool HostImages::take(HipCalls& hip, std::size_t bytes, std::span<std::byte>& image) {
  const std::size_t room = room_for(bytes);
  auto chunk = std::find_if(chunks_.begin(), chunks_.end(),
                            [room](const Chunk& c) { return c.bytes - c.used >= room; });
  if (chunk == chunks_.end()) {
    if (!reserve(hip, room)) return false;
    chunk = std::prev(chunks_.end());
  }
  image = {chunk->memory + chunk->used, bytes};
  chunk->used += room;
  taken_ += room;
  return true;
}

void HostImages::recycle() {
  for (Chunk& chunk : chunks_) chunk.used = 0;
  taken_ = 0;
}

void HostImages::release(HipCalls& hip) {
  for (const Chunk& chunk : std::exchange(chunks_, {})) {
    if (!device_hooks::unpin(chunk.memory, chunk.bytes)) {
      static_cast<void>(hip.ok(hipErrorInvalidValue, "unpinning host memory"));
    }
  }
  taken_ = 0;
}

}  // namespace rankle
