// Streams of a rank, and writing its buffers.
#include "harness/runner/rank_state.h"

#include <algorithm>

#include "harness/runner/device_data.h"
#include "harness/runner/device_hooks.h"

namespace rankle {

bool RankState::create_streams() {
  int number = 0;
  const auto create = [&](hipStream_t& made) {
    if (number == device_hooks::kDataStream) ++number;
    return hip.ok(device_hooks::open_stream(number++, made), "making a stream");
  };
  const auto create_event = [&](hipEvent_t& made) {
    return hip.ok(hipEventCreateWithFlags(&made, hipEventDisableTiming), "hipEventCreateWithFlags");
  };
  for (int i = 0; i < plan.streams; ++i) {
    if (!create(streams.emplace_back(nullptr))) return false;
  }
  stream = streams.front();
  if (device_data::available() &&
      !hip.ok(device_hooks::open_stream(device_hooks::kDataStream, data), "making a stream")) {
    return false;
  }
  if (plan.host_delays && !create(idle)) return false;
  return !plan.branches || (create(branch) && create_event(forked) && create_event(joined));
}

void RankState::release() {
  images.release(hip);
  poison_memory_.release(hip);
  for (hipEvent_t* event : {&forked, &joined}) {
    if (*event != nullptr) static_cast<void>(hip.ok(hipEventDestroy(*event), "hipEventDestroy"));
    *event = nullptr;
  }
  for (hipStream_t made : {branch, idle}) {
    if (made != nullptr) streams.push_back(made);
  }
  for (hipStream_t made : streams) {
    if (made != nullptr)
      static_cast<void>(hip.ok(device_hooks::close_stream(made), "closing a stream"));
  }
  streams.clear();
  stream = branch = idle = nullptr;
}

bool RankState::wait() {
  const bool done = hip.ok(hipStreamSynchronize(stream), "hipStreamSynchronize");
  return branch == nullptr ? done
                           : hip.ok(hipStreamSynchronize(branch), "hipStreamSynchronize") && done;
}

bool RankState::write(const Contents& contents, Half half, int buffer) {
  if (device_data::available() && device_data::can_make(contents)) {
    return queue_fill(contents, half, buffer, data) &&
           hip.ok(hipStreamSynchronize(data), "hipStreamSynchronize");
  }
  scratch_.resize(std::size_t(c.bytes()));
  write_contents(contents, rank, scratch_);
  return std::all_of(sides.begin(), sides.end(), [&](const RankSide* side) {
    return buffer_of(*side, half, buffer).write(hip, scratch_);
  });
}

bool RankState::queue_write(const Contents& contents, Half half, int buffer, HostImages& owner,
                            hipStream_t to) {
  if (device_data::available() && device_data::can_make(contents)) {
    return queue_fill(contents, half, buffer, to);
  }
  std::span<const std::byte> image;
  if (contents.kind == Contents::Kind::poison) {
    if (!poison_image(contents, image)) return false;
  } else {
    std::span<std::byte> fresh;
    if (!owner.take(hip, std::size_t(c.bytes()), fresh)) return false;
    write_contents(contents, rank, fresh);
    image = fresh;
  }
  return std::all_of(sides.begin(), sides.end(), [&](const RankSide* side) {
    return buffer_of(*side, half, buffer).queue_write(hip, image, to);
  });
}

bool RankState::queue_fill(const Contents& contents, Half half, int buffer, hipStream_t to) {
  return std::all_of(sides.begin(), sides.end(), [&](const RankSide* side) {
    const GuardedBuffer& filled = buffer_of(*side, half, buffer);
    return hip.ok(device_data::fill(contents, rank, filled.data(), filled.bytes(), to),
                  "filling a buffer");
  });
}

bool RankState::poison_image(const Contents& poison, std::span<const std::byte>& image) {
  const auto known = std::find_if(poison_images_.begin(), poison_images_.end(),
                                  [&](const auto& entry) { return entry.first == poison; });
  if (known != poison_images_.end()) {
    image = known->second;
    return true;
  }
  std::span<std::byte> fresh;
  if (!poison_memory_.take(hip, std::size_t(c.bytes()), fresh)) return false;
  write_contents(poison, rank, fresh);
  poison_images_.emplace_back(poison, fresh);
  image = fresh;
  return true;
}

}  // namespace rankle
