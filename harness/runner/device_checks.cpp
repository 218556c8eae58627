// See device_checks.h.
#include "harness/runner/device_checks.h"

#include <algorithm>
#include <array>
#include <new>

namespace rankle {

using device_data::Difference;

bool DeviceChecks::can_judge(const CheckPlace& place, const BufferState& known) const {
  if (!device_data::available() || state_.sides.size() > 1) return false;
  if (!oracle_.reduces || !oracle_.same_on_all_ranks) return false;
  const PayloadSpec spec = payload_of(state_.c, place.shape);
  if (!device_data::can_make(payload_contents(spec, place.round))) return false;
  const auto can_make = [](const Contents& contents) {
    return contents.kind == Contents::Kind::unknown || device_data::can_make(contents);
  };
  return can_make(known.input()) && can_make(known.rest()) &&
         known.reach() % std::int64_t(size_of(known.rest().spec.dtype)) == 0;
}

bool DeviceChecks::look(const CheckPlace& place, const BufferState& known, bool& clean) {
  clean = false;
  if (!can_judge(place, known)) return true;
  constexpr std::size_t kCount = 3;  // output, rest, input
  std::span<std::byte> memory;
  if (!state_.images.take(state_.hip, kCount * sizeof(Difference), memory)) return false;
  std::array<Difference*, kCount> found{};
  for (std::size_t i = 0; i < kCount; ++i) {
    found[i] = new (memory.data() + i * sizeof(Difference)) Difference;
  }
  const RankBuffers& pair = state_.sides.front()->buffers(place.buffer);
  const GuardedBuffer& output = pair.output();
  const GuardedBuffer& input = pair.input();
  const auto compares = [&](const Contents& contents, const GuardedBuffer& buffer,
                            std::size_t begin, Difference* into) {
    return contents.kind == Contents::Kind::unknown ||
           state_.hip.ok(device_data::compare(contents, state_.rank, buffer.data(), begin,
                                              buffer.bytes(), into, state_.stream),
                         "comparing a buffer");
  };
  const std::int64_t count = oracle_.output_count(place.shape.count, state_.c.world);
  const bool queued =
      state_.hip.ok(device_data::compare_sums(payload_of(state_.c, place.shape), place.round,
                                              output.data(), count, found[0], state_.stream),
                    "comparing an output") &&
      compares(known.rest(), output, std::size_t(known.reach()), found[1]) &&
      (state_.c.in_place || compares(known.input(), input, 0, found[2])) &&
      state_.hip.ok(hipStreamSynchronize(state_.stream), "hipStreamSynchronize");
  if (!queued) return false;
  clean =
      std::all_of(found.begin(), found.end(), [](const Difference* d) { return d->count == 0; });
  return true;
}

}  // namespace rankle
