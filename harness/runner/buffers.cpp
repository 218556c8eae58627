// Allocation, poisoning and checking of one rank's device memory.
#include "harness/runner/buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>

#include "harness/runner/buffer_state.h"
#include "harness/runner/device_data.h"
#include "harness/runner/device_hooks.h"

namespace rankle {
namespace {

bool is_intact(std::byte value) { return value == kRedZoneByte || value == kUndefinedByte; }

}  // namespace

bool HipCalls::ok(hipError_t status, std::string_view call) {
  if (status == hipSuccess) return true;
  if (failure_.empty()) failure_ = fmt::format("{}: {}", call, hipGetErrorString(status));
  return false;
}

bool poison(HipCalls& hip, const kernels::BufferRange& range, DType dtype, Poison kind) {
  if (range.bytes == 0) return true;
  if (device_data::available()) {
    auto* begin = static_cast<std::byte*>(range.begin);
    return hip.ok(device_data::fill(poison_contents(dtype, kind), 0, begin, range.bytes, nullptr),
                  "poisoning memory") &&
           hip.ok(hipStreamSynchronize(nullptr), "hipStreamSynchronize");
  }
  std::vector<std::byte> pattern(range.bytes);
  fill_poison(dtype, kind, pattern);
  if (!hip.ok(hipMemcpy(range.begin, pattern.data(), range.bytes, hipMemcpyHostToDevice),
              "hipMemcpy")) {
    return false;
  }
  if (kind == Poison::scratch) device_hooks::forget(range.begin, range.bytes);
  return true;
}

bool GuardedBuffer::allocate(HipCalls& hip, std::size_t bytes, std::size_t offset_bytes,
                             std::string name) {
  assert(base_ == nullptr);
  name_ = std::move(name);
  bytes_ = bytes;
  // hipMalloc promises 256 bytes of alignment on all platforms, but costs little not to rely on.
  total_ = (kBufferAlignment - 1) + kRedZoneBytes + offset_bytes + bytes + kRedZoneBytes;
  void* base = nullptr;
  if (freed_ != nullptr) device_hooks::prefer_address(freed_);
  if (!hip.ok(hipMalloc(&base, total_), "hipMalloc")) return false;
  base_ = static_cast<std::byte*>(base);
  const auto front = reinterpret_cast<std::uintptr_t>(base_) + kRedZoneBytes;
  const std::uintptr_t aligned = (front + kBufferAlignment - 1) & ~(kBufferAlignment - 1);
  data_ = base_ + (aligned - reinterpret_cast<std::uintptr_t>(base_)) + offset_bytes;
  device_hooks::label(base_, name_);
  if (!hip.ok(hipMemset(base_, int(kRedZoneByte), total_), "hipMemset")) return false;
  // Not for the device, on which another rank's call may be waiting for this rank.
  if (!hip.ok(hipStreamSynchronize(nullptr), "hipStreamSynchronize")) return false;
  device_hooks::forget(base_, total_);
  return true;
}

void GuardedBuffer::release() {
  // A failure here is either the platform's to report or the echo of a run that has ended.
  if (base_ == nullptr) return;
  static_cast<void>(hipFree(base_));
  freed_ = base_;
  base_ = data_ = nullptr;
}

bool GuardedBuffer::write(HipCalls& hip, std::span<const std::byte> from) const {
  assert(from.size() == bytes_);
  if (bytes_ == 0) return true;
  return hip.ok(hipMemcpy(data_, from.data(), bytes_, hipMemcpyHostToDevice), "hipMemcpy");
}

bool GuardedBuffer::read(HipCalls& hip, std::vector<std::byte>& into) const {
  into.resize(bytes_);
  if (bytes_ == 0) return true;
  return hip.ok(hipMemcpy(into.data(), data_, bytes_, hipMemcpyDeviceToHost), "hipMemcpy");
}

bool GuardedBuffer::poison(HipCalls& hip, DType dtype, Poison kind) const {
  return rankle::poison(hip, {data_, bytes_}, dtype, kind);
}

bool GuardedBuffer::queue_write(HipCalls& hip, std::span<const std::byte> from,
                                hipStream_t stream) const {
  assert(from.size() == bytes_);
  return bytes_ == 0 ||
         hip.ok(hipMemcpyAsync(data_, from.data(), bytes_, hipMemcpyHostToDevice, stream),
                "hipMemcpyAsync");
}

bool GuardedBuffer::queue_read(HipCalls& hip, std::span<std::byte> into, hipStream_t stream) const {
  assert(into.size() == bytes_);
  return bytes_ == 0 ||
         hip.ok(hipMemcpyAsync(into.data(), data_, bytes_, hipMemcpyDeviceToHost, stream),
                "hipMemcpyAsync");
}

bool GuardedBuffer::check_red_zones(HipCalls& hip, std::optional<RedZoneDamage>& damage) const {
  damage.reset();
  const auto front = std::size_t(data_ - base_);
  const std::size_t back = total_ - front - bytes_;
  std::vector<std::byte> zone(std::max(front, back));
  if (!hip.ok(hipMemcpy(zone.data(), base_, front, hipMemcpyDeviceToHost), "hipMemcpy")) {
    return false;
  }
  for (std::size_t i = front; i > 0; --i) {
    if (is_intact(zone[i - 1])) continue;
    damage = RedZoneDamage{true, front - i, zone[i - 1]};
    return true;
  }
  if (!hip.ok(hipMemcpy(zone.data(), data_ + bytes_, back, hipMemcpyDeviceToHost), "hipMemcpy")) {
    return false;
  }
  for (std::size_t i = 0; i < back; ++i) {
    if (is_intact(zone[i])) continue;
    damage = RedZoneDamage{false, i, zone[i]};
    return true;
  }
  return true;
}

bool RankBuffers::allocate(HipCalls& hip, const Case& c, int rank, int number,
                           std::string_view prefix) {
  const auto bytes = std::size_t(c.bytes());
  const std::size_t size = size_of(c.dtype);
  const auto index = std::size_t(rank);
  const auto name = [&](std::string_view what) {
    const std::string of_pair = number == 0 ? "" : fmt::format(" {}", number);
    return fmt::format("{}{}{} of rank {}", prefix, what, of_pair, rank);
  };
  in_place_ = c.in_place;
  const std::size_t input_offset = std::size_t(c.input_offset[index]) * size;
  if (!input_.allocate(hip, bytes, input_offset, name(in_place_ ? "buffer" : "input"))) {
    return false;
  }
  if (in_place_) return true;
  const std::size_t output_offset = std::size_t(c.output_offset[index]) * size;
  return output_.allocate(hip, bytes, output_offset, name("output")) &&
         output_.poison(hip, c.dtype, Poison::output);
}

void RankBuffers::release() {
  input_.release();
  output_.release();
}

std::vector<const GuardedBuffer*> RankBuffers::all() const {
  std::vector<const GuardedBuffer*> buffers{&input_};
  if (!in_place_) buffers.push_back(&output_);
  return buffers;
}

}  // namespace rankle
