// See describe_case.h.
#include "repro/describe_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "generators/limits.h"
#include "generators/names.h"
#include "repro/describe_program.h"

namespace rankle {
namespace {

constexpr std::size_t kSwitchesShown = 8;

std::string plural(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", with_commas(count), noun, count == 1 ? "" : "s");
}

bool any_nonzero(const std::vector<std::int64_t>& values) {
  return std::any_of(values.begin(), values.end(), [](std::int64_t v) { return v != 0; });
}

std::string data_line(const Case& c) {
  const PackSplit split = split_of(c);
  std::string line = fmt::format(
      "{}, {} summed in {}: {} per rank ({}, {}", plural(c.world, "rank"), name_of(c.dtype),
      c.accum == Accum::native ? "its own type" : name_of(c.accum), plural(c.count(), "element"),
      plural(c.bytes(), "byte"), plural(split.packs, "pack"));
  if (split.loose_elements != 0)
    line += fmt::format(" and {}", plural(split.loose_elements, "element"));
  line += ")";
  if (c.shape.size() > 1) line += fmt::format(", shape {}", fmt::join(c.shape, " x "));
  return line;
}

std::string split_line(const Case& c) {
  const PackSplit split = split_of(c);
  std::string line = fmt::format("each rank owns {}", plural(split.part, "pack"));
  if (split.part_last != split.part) {
    line += fmt::format(", the last rank {}", with_commas(split.part_last));
  }
  line += fmt::format("; at {} packs to a tile ({} threads over {} ranks) that is {}", split.tile,
                      c.geometry.threads, c.world, plural(split.tiles, "tile"));
  if (split.tail != 0) {
    line += fmt::format(", the last one partial ({} of {} packs)", split.tail, split.tile);
  }
  return line;
}

std::string grid_line(const Case& c) {
  const std::string blocks = c.geometry.blocks == 0
                                 ? std::string("as many blocks as the target picks")
                                 : plural(c.geometry.blocks, "block");
  std::string line = fmt::format("grid: {} of {} threads, waves of {}", blocks, c.geometry.threads,
                                 c.geometry.wave);
  if (c.geometry.resident_blocks == 0) return line;
  return line +
         fmt::format("; {} of a device at a time", plural(c.geometry.resident_blocks, "block"));
}

std::string buffers_line(const Case& c) {
  std::string line = c.in_place ? "buffers: output in place of the input" : "buffers: output apart";
  if (any_nonzero(c.input_offset)) {
    line += fmt::format(", inputs {} elements off 256 bytes", fmt::join(c.input_offset, ", "));
  }
  if (any_nonzero(c.output_offset)) {
    line += fmt::format(", outputs {} elements off 256 bytes", fmt::join(c.output_offset, ", "));
  }
  switch (c.inputs) {
    case Inputs::exact_integers:
      return line + "; values: integers whose sums are exact";
    case Inputs::rounding:
      return line + fmt::format("; values: full-range floats, same bits as {}", c.same_bits_as);
    case Inputs::special:
      return line +
             fmt::format("; values: zeros, infinities, NaNs, same bits as {}", c.same_bits_as);
  }
  return line;
}

std::string schedule_line(const Case& c) {
  const Schedule& s = c.schedule;
  std::string line = "schedule: ";
  switch (s.policy) {
    case Policy::run_to_block:
      line += "each wave runs until it must wait";
      break;
    case Policy::round_robin:
      line += "round robin over the waves";
      break;
    case Policy::random:
      line += fmt::format("random switches, seed {}", s.seed);
      break;
    case Policy::pct:
      line += fmt::format("PCT of depth {} over {} steps, seed {}", s.depth, s.horizon, s.seed);
      break;
    case Policy::starvation:
      line += fmt::format("starvation windows within {} steps, seed {}", s.horizon, s.seed);
      break;
    case Policy::rank_late:
      line += fmt::format("one rank late, seed {}", s.seed);
      break;
    case Policy::rank_early:
      line += fmt::format("one rank early, seed {}", s.seed);
      break;
  }
  if (s.granularity == Granularity::access) line += ", also between plain accesses";
  if (s.weak_memory != 0) line += fmt::format("; weak memory, seed {}", s.weak_memory);
  line +=
      fmt::format("; barriers as on {}", s.barrier_model == BarrierModel::amd ? "AMD" : "NVIDIA");
  for (std::size_t i = 0; i < std::min(s.switches.size(), kSwitchesShown); ++i) {
    line += fmt::format("; at step {} to {}", s.switches[i].step, s.switches[i].entity);
  }
  if (s.switches.size() > kSwitchesShown) {
    line += fmt::format("; and {} more switches", s.switches.size() - kSwitchesShown);
  }
  return line;
}

std::string perturbation_line(const Perturbation& p) {
  std::string line = "perturbed by ";
  const auto add = [&](const std::string& what) {
    if (!line.ends_with("by ")) line += ", ";
    line += what;
  };
  if (p.host_delay_max > 0) add(fmt::format("host delays up to {} ns", p.host_delay_max));
  if (p.device_delay_max > 0) add(fmt::format("device delays up to {} ns", p.device_delay_max));
  if (p.traffic_blocks > 0) add(fmt::format("{} of traffic", plural(p.traffic_blocks, "block")));
  if (p.occupier_blocks > 0) add(fmt::format("{} that idle", plural(p.occupier_blocks, "block")));
  if (p.warm_graphs) add("graphs uploaded before their first launch");
  if (p.seed != 0) line += fmt::format("; seed {}", p.seed);
  return line;
}

}  // namespace

PackSplit split_of(const Case& c) {
  PackSplit split;
  const std::int64_t bytes = c.bytes();
  const std::int64_t world = std::max(c.world, 1);
  split.packs = bytes / kPackBytes;
  split.loose_elements = bytes % kPackBytes / static_cast<std::int64_t>(size_of(c.dtype));
  split.part = split.packs / world;
  split.part_last = split.part + split.packs % world;
  split.tile = std::max<std::int64_t>(c.geometry.threads / world, 1);
  split.tiles = (split.part_last + split.tile - 1) / split.tile;
  split.tail = split.part_last % split.tile;
  return split;
}

std::vector<std::string> describe_case(const Case& c, const StepNotes& notes) {
  std::vector<std::string> lines = {data_line(c)};
  if (c.count() > 0) lines.push_back(split_line(c));
  lines.push_back(grid_line(c));
  lines.push_back(buffers_line(c));
  for (std::string& line : describe_program(c, notes)) lines.push_back(std::move(line));
  lines.push_back(schedule_line(c));
  if (c.perturbation != Perturbation{}) lines.push_back(perturbation_line(c.perturbation));
  return lines;
}

std::string summarise_case(const Case& c) {
  const std::string blocks =
      c.geometry.blocks == 0 ? std::string("own grid") : plural(c.geometry.blocks, "block");
  return fmt::format("{}, {}, {} ({}), {} of {} threads", plural(c.world, "rank"), name_of(c.dtype),
                     plural(c.count(), "element"), plural(split_of(c).packs, "pack"), blocks,
                     c.geometry.threads);
}

std::string with_commas(std::int64_t value) {
  std::string digits = fmt::format("{}", value);
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t place = digits.size(); place > first + 3; place -= 3) {
    digits.insert(place - 3, ",");
  }
  return digits;
}

}  // namespace rankle
