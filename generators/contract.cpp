// validate(): is a case inside its target's contract and the caps of limits.h? Checks run in the
// order of a case's fields, except that sizes are bounded before anything is computed from them.
#include "generators/contract.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>

#include "generators/accum.h"
#include "generators/limits.h"
#include "generators/names.h"
#include "generators/program.h"

namespace rankle {
namespace {

using Checked = std::optional<Violation>;

// Every message reads "<path>: <value> <why>; <what is allowed>".
template <class... Args>
Violation violation(std::string path, fmt::format_string<Args...> format, Args&&... args) {
  std::string message = path + ": " + fmt::format(format, std::forward<Args>(args)...);
  return Violation{std::move(path), std::move(message)};
}

template <class T>
bool contains(const std::vector<T>& values, const T& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

Checked check_identity(const Case& c, const Contract& contract) {
  if (c.target != contract.target) {
    return violation("case.target", "\"{}\" is not this contract's target; allowed: {}", c.target,
                     contract.target);
  }
  if (!contains(contract.worlds, c.world)) {
    return violation("case.world", "{} is not allowed; {} takes {}", c.world, contract.target,
                     fmt::join(contract.worlds, ", "));
  }
  if (!contains(contract.dtypes, c.dtype)) {
    return violation("case.dtype", "{} is not allowed; {} takes {}", name_of(c.dtype),
                     contract.target, names_of(contract.dtypes));
  }
  const std::vector<Accum> accums = accums_for(contract, c.dtype);
  if (!contains(accums, c.accum)) {
    return violation("case.accum", "{} is not allowed with {}; {} takes {}", name_of(c.accum),
                     name_of(c.dtype), contract.target, names_of(accums));
  }
  return std::nullopt;
}

Checked check_shape(const Case& c, const Contract& contract) {
  if (c.shape.empty() || c.shape.size() > kShapeDimensionsMax) {
    return violation("case.shape", "{} dimensions are not allowed; 1 to {} are", c.shape.size(),
                     kShapeDimensionsMax);
  }
  for (std::size_t i = 0; i < c.shape.size(); ++i) {
    if (c.shape[i] < 0) {
      return violation(fmt::format("case.shape[{}]", i), "{} is negative; 0 or more is allowed",
                       c.shape[i]);
    }
  }
  const std::int64_t bytes = c.bytes();
  if (bytes > contract.bytes_max) {
    return violation("case.shape", "[{}] is {} bytes per rank; {} takes at most {}",
                     fmt::join(c.shape, ", "), bytes, contract.target, contract.bytes_max);
  }
  if (bytes % contract.count_multiple_bytes != 0) {
    return violation("case.shape", "[{}] is {} bytes per rank; {} takes multiples of {} bytes",
                     fmt::join(c.shape, ", "), bytes, contract.target,
                     contract.count_multiple_bytes);
  }
  return std::nullopt;
}

Checked check_geometry(const Case& c, const Contract& contract) {
  const Geometry& g = c.geometry;
  if (g.blocks < 0 || g.blocks > contract.blocks_max) {
    return violation("case.geometry.blocks",
                     "{} is not allowed; 0 (the target's own choice) or 1 to {} is", g.blocks,
                     contract.blocks_max);
  }
  if (g.threads < contract.threads_min || g.threads > contract.threads_max ||
      g.threads % contract.threads_multiple != 0) {
    return violation("case.geometry.threads", "{} is not allowed; {} takes {} to {} in steps of {}",
                     g.threads, contract.target, contract.threads_min, contract.threads_max,
                     contract.threads_multiple);
  }
  if (g.wave != 32 && g.wave != 64) {
    return violation("case.geometry.wave", "{} is not allowed; 32 or 64 is", g.wave);
  }
  if (g.resident_blocks < 0) {
    return violation("case.geometry.resident_blocks",
                     "{} is not allowed; 0 (no limit) or a number of blocks is", g.resident_blocks);
  }
  const int blocks = g.blocks == 0 ? contract.blocks_max : g.blocks;
  const std::int64_t threads = std::int64_t{c.world} * blocks * g.threads;
  const std::int64_t threads_max = std::min(contract.resident_threads_max, kThreadsAtOnceMax);
  if (threads > threads_max) {
    return violation("case.geometry",
                     "{} ranks of {} blocks of {} threads are {} threads at once; at most {} are "
                     "allowed here",
                     c.world, blocks, g.threads, threads, threads_max);
  }
  return std::nullopt;
}

Checked check_offsets(const Case& c, const Contract& contract, std::string_view name,
                      const std::vector<std::int64_t>& offsets) {
  const std::string path = fmt::format("case.{}", name);
  if (offsets.size() != static_cast<std::size_t>(c.world)) {
    return violation(path, "{} entries are not allowed; one per rank, {}, is", offsets.size(),
                     c.world);
  }
  const auto size = static_cast<std::int64_t>(size_of(c.dtype));
  for (std::size_t rank = 0; rank < offsets.size(); ++rank) {
    const std::int64_t offset = offsets[rank];
    if (offset < 0 || offset > kOffsetElementsMax) {
      return violation(fmt::format("{}[{}]", path, rank), "{} is not allowed; 0 to {} elements are",
                       offset, kOffsetElementsMax);
    }
    if (offset * size % contract.alignment_bytes != 0) {
      return violation(fmt::format("{}[{}]", path, rank),
                       "{} elements of {} bytes are not aligned; {} takes multiples of {} bytes",
                       offset, size, contract.target, contract.alignment_bytes);
    }
  }
  return std::nullopt;
}

Checked check_buffers(const Case& c, const Contract& contract) {
  if (auto wrong = check_offsets(c, contract, "input_offset", c.input_offset)) return wrong;
  if (auto wrong = check_offsets(c, contract, "output_offset", c.output_offset)) return wrong;
  if (c.in_place && !contract.in_place) {
    return violation("case.in_place", "true is not allowed; {} takes false only", contract.target);
  }
  if (c.in_place && c.input_offset != c.output_offset) {
    return violation("case.output_offset",
                     "[{}] differs from input_offset; in place both must be [{}]",
                     fmt::join(c.output_offset, ", "), fmt::join(c.input_offset, ", "));
  }
  // Inputs, outputs, and as much scratch: an in-place case is charged like any other.
  const std::int64_t bytes_max = kTotalBytesMax / ((2 * c.buffers() + 1) * std::int64_t{c.world});
  if (c.bytes() > bytes_max) {
    return violation(
        "case.shape",
        "[{}] is {} bytes per rank; with world {} and {} buffers the memory cap of {} bytes allows "
        "{}",
        fmt::join(c.shape, ", "), c.bytes(), c.world, c.buffers(), kTotalBytesMax, bytes_max);
  }
  return std::nullopt;
}

Checked check_call_shape(const Case& c, const Contract& contract, const std::string& path,
                         const CallShape& shape) {
  // As the case would be if it had these values; paths of what is wrong begin with the shape's.
  Case called = c;
  called.dtype = shape.dtype;
  called.accum = shape.accum;
  called.shape = {shape.count};
  called.geometry.blocks = shape.blocks;
  called.geometry.threads = shape.threads;
  for (auto* check : {check_identity, check_shape, check_geometry}) {
    auto wrong = check(called, contract);
    if (!wrong) continue;
    std::string field = wrong->path.substr(wrong->path.rfind('.') + 1);
    if (field.starts_with("shape")) field = "count";
    std::string message =
        fmt::format("{}.{}{}", path, field, wrong->message.substr(wrong->path.size()));
    return Violation{fmt::format("{}.{}", path, field), std::move(message)};
  }
  if (called.bytes() > c.bytes()) {
    return violation(path + ".count", "{} is {} bytes per rank; the case's own {} are the most",
                     shape.count, called.bytes(), c.bytes());
  }
  return std::nullopt;
}

Checked check_call_shapes(const Case& c, const Contract& contract) {
  if (c.call_shapes.size() > kCallShapesMax) {
    return violation("case.call_shapes", "{} entries are not allowed; at most {} are",
                     c.call_shapes.size(), kCallShapesMax);
  }
  const auto own = static_cast<std::int64_t>(size_of(c.dtype));
  for (std::size_t i = 0; i < c.call_shapes.size(); ++i) {
    const CallShape& shape = c.call_shapes[i];
    const std::string path = fmt::format("case.call_shapes[{}]", i);
    if (auto wrong = check_call_shape(c, contract, path, shape)) return wrong;
    for (const auto* offsets : {&c.input_offset, &c.output_offset}) {
      for (const std::int64_t offset : *offsets) {
        const auto size = static_cast<std::int64_t>(size_of(shape.dtype));
        if (offset * own % size == 0) continue;
        return violation(path + ".dtype",
                         "{} is not allowed; an offset of {} bytes takes elements that divide it",
                         name_of(shape.dtype), offset * own);
      }
    }
  }
  return std::nullopt;
}

Checked check_inputs(const Case& c, const Contract& contract) {
  if (c.inputs == Inputs::exact_integers) {
    if (c.same_bits_as.empty()) return std::nullopt;
    return violation("case.same_bits_as",
                     "\"{}\" is not allowed with inputs exact-integers; leave "
                     "it out",
                     c.same_bits_as);
  }
  if (contract.same_bits_as.empty()) {
    return violation("case.inputs",
                     "{} is not allowed; {} names no target with the same bits, so "
                     "it takes exact-integers only",
                     name_of(c.inputs), contract.target);
  }
  if (c.same_bits_as != contract.same_bits_as) {
    return violation("case.same_bits_as", "\"{}\" is not allowed; {} is compared with {}",
                     c.same_bits_as, contract.target, contract.same_bits_as);
  }
  return std::nullopt;
}

// Depth and horizon are there where the policy uses them, and nowhere else.
Checked check_policy(const Schedule& schedule) {
  const bool is_pct = schedule.policy == Policy::pct;
  if (is_pct ? schedule.depth < 1 || schedule.depth > kDepthMax : schedule.depth != 0) {
    return violation("case.schedule.depth",
                     "{} is not allowed with policy {}; pct takes 1 to {}, "
                     "the others 0",
                     schedule.depth, name_of(schedule.policy), kDepthMax);
  }
  const bool wants_horizon = has_horizon(schedule.policy);
  const bool fits = schedule.horizon >= kHorizonMin && schedule.horizon <= kHorizonMax;
  if (wants_horizon ? !fits : schedule.horizon != 0) {
    return violation("case.schedule.horizon",
                     "{} is not allowed with policy {}; pct and starvation take {} to {}, the "
                     "others 0",
                     schedule.horizon, name_of(schedule.policy), kHorizonMin, kHorizonMax);
  }
  return std::nullopt;
}

Checked check_schedule(const Schedule& schedule) {
  if (auto wrong = check_policy(schedule)) return wrong;
  const auto& switches = schedule.switches;
  if (switches.empty()) return std::nullopt;
  if (schedule.policy != Policy::run_to_block) {
    return violation("case.schedule.switches",
                     "{} switches are not allowed with policy {}; only "
                     "run-to-block takes them",
                     switches.size(), name_of(schedule.policy));
  }
  if (switches.size() > kSwitchesMax) {
    return violation("case.schedule.switches", "{} switches are not allowed; at most {} are",
                     switches.size(), kSwitchesMax);
  }
  for (std::size_t i = 1; i < switches.size(); ++i) {
    if (switches[i].step <= switches[i - 1].step) {
      return violation(fmt::format("case.schedule.switches[{}].step", i),
                       "{} is not allowed; steps rise, so more than {} is", switches[i].step,
                       switches[i - 1].step);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Violation> validate(const Case& c, const Contract& contract) {
  assert(contract.count_multiple_bytes > 0 && contract.alignment_bytes > 0);
  assert(contract.threads_multiple > 0);
  if (auto wrong = check_identity(c, contract)) return wrong;
  if (auto wrong = check_shape(c, contract)) return wrong;
  if (auto wrong = check_geometry(c, contract)) return wrong;
  if (auto wrong = check_buffers(c, contract)) return wrong;
  if (auto wrong = check_inputs(c, contract)) return wrong;
  if (auto wrong = check_call_shapes(c, contract)) return wrong;
  if (auto wrong = check_program(c.program, setting_of(c, contract))) return wrong;
  return check_schedule(c.schedule);
}

}  // namespace rankle
