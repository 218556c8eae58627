// See complexity.h.
#include "generators/complexity.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace rankle {
namespace {

constexpr std::uint64_t kOwnBlocks = std::uint64_t{1} << 32;

template <class Value>
std::uint64_t number(Value value) {
  return value < 0 ? std::uint64_t{0} : static_cast<std::uint64_t>(value);
}

std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::uint64_t>::max() : sum;
}

std::uint64_t saturating_sum(const std::vector<std::int64_t>& values) {
  std::uint64_t sum = 0;
  for (const std::int64_t value : values) sum = saturating_sum(sum, number(value));
  return sum;
}

// What steps say beyond their kinds.
std::uint64_t detail_of(const Case& c) {
  std::uint64_t detail = 16 * number(c.buffers() - 1) + 8 * c.call_shapes.size();
  for (const Step& step : c.program) {
    detail += number(step.times - 1) + number(step.graph) + number(step.stream) +
              (step.queued ? 1 : 0) + (step.aside ? 1 : 0) + (step.staged ? 1 : 0) +
              (step.copied ? 1 : 0) + (step.refused ? 1 : 0) + (step.shape > 0 ? 1 : 0);
    if (step.kind == StepKind::sync && step.rank >= 0) ++detail;
  }
  return detail;
}

std::uint64_t shape_bytes(const Case& c) {
  std::uint64_t bytes = 0;
  for (const CallShape& shape : c.call_shapes) {
    std::uint64_t own = 0;
    if (__builtin_mul_overflow(number(shape.count), size_of(shape.dtype), &own)) {
      own = std::numeric_limits<std::uint64_t>::max();
    }
    bytes = saturating_sum(bytes, own);
  }
  return bytes;
}

std::uint64_t shape_differences(const Case& c) {
  std::uint64_t differences = 0;
  for (const CallShape& shape : c.call_shapes) {
    differences += (shape.dtype != c.dtype ? 1 : 0) + (shape.accum != c.accum ? 1 : 0) +
                   (shape.blocks != c.geometry.blocks ? 1 : 0) +
                   (shape.threads != c.geometry.threads ? 1 : 0);
  }
  return differences;
}

// How much disturbs the run.
std::uint64_t disturbance(const Perturbation& perturbation) {
  const std::uint64_t delays =
      saturating_sum(number(perturbation.host_delay_max), number(perturbation.device_delay_max));
  return saturating_sum(delays, number(perturbation.traffic_blocks) +
                                    number(perturbation.occupier_blocks) +
                                    (perturbation.warm_graphs ? 1 : 0));
}

}  // namespace

std::uint64_t rank_of(DType dtype) {
  switch (dtype) {
    case DType::fp32:
      return 0;
    case DType::int32:
      return 1;
    case DType::bf16:
      return 2;
    case DType::fp16:
      return 3;
    case DType::int64:
      return 4;
    case DType::fp64:
      return 5;
    case DType::int8:
      return 6;
  }
  return 7;
}

Complexity complexity(const Case& c) {
  std::uint64_t rounds = 0;
  std::uint64_t delays = 0;
  for (const Step& step : c.program) {
    rounds += number(step.round);
    if (step.kind == StepKind::delay) delays = saturating_sum(delays, number(step.amount));
  }
  return {c.program.size(),
          detail_of(c),
          number(c.world),
          c.geometry.blocks == 0 ? kOwnBlocks : number(c.geometry.blocks),
          number(c.geometry.threads),
          rank_of(c.dtype),
          number(c.bytes()),
          shape_bytes(c),
          shape_differences(c),
          c.shape.size(),
          c.accum == Accum::fp32 ? 0u : 1u,
          c.in_place ? 1u : 0u,
          saturating_sum(saturating_sum(c.input_offset), saturating_sum(c.output_offset)),
          static_cast<std::uint64_t>(c.inputs),
          static_cast<std::uint64_t>(c.schedule.policy),
          number(c.schedule.depth),
          c.schedule.switches.size(),
          static_cast<std::uint64_t>(c.schedule.granularity),
          c.schedule.weak_memory == 0 ? 0u : 1u,
          number(c.geometry.resident_blocks),
          c.geometry.wave == 64 ? 0u : 1u,
          static_cast<std::uint64_t>(c.schedule.barrier_model),
          delays,
          rounds,
          disturbance(c.perturbation),
          c.perturbation.seed,
          c.schedule.seed,
          c.seed};
}

}  // namespace rankle
