// Programs of many rounds, cut into parts.
#include "repro/repeat.h"

#include <algorithm>

#include "generators/limits.h"

namespace rankle {
namespace {

// Payload over all ranks and iterations of one part: about four seconds of the simulator, and far
// from its bound on accesses.
constexpr std::int64_t kPartBytesMax = std::int64_t{32} << 20;
constexpr int kStepsPerEagerCall = 4;
constexpr int kEagerCallsMax = int(kProgramStepsMax) / kStepsPerEagerCall;
// Two graphs, each replayed by one step.
constexpr int kReplaysMax = 2 * kReplayTimesMax;
static_assert(kReplaysMax <= kRoundMax + 1);

int iterations_per_part(const Case& c, RepeatMode mode) {
  const std::int64_t bytes = std::max<std::int64_t>(1, c.bytes() * c.world);
  const int most = mode == RepeatMode::eager ? kEagerCallsMax : kReplaysMax;
  // At least two: the second is the first one that meets what another has left behind.
  return int(std::clamp<std::int64_t>(kPartBytesMax / bytes, 2, most));
}

bool stages(const Case& c) {
  const auto call = std::find_if(c.program.begin(), c.program.end(), [](const Step& step) {
    return step.kind == StepKind::call && !step.refused;
  });
  return call != c.program.end() && call->staged;
}

std::vector<Step> eager_program(const Case& c, int iterations) {
  std::vector<Step> program;
  for (int round = 0; round < iterations; ++round) {
    program.push_back({.kind = StepKind::fill, .round = round});
    if (!c.in_place) program.push_back({.kind = StepKind::poison_output});
    program.push_back({.kind = StepKind::call, .staged = stages(c)});
    program.push_back({.kind = StepKind::check, .round = round});
  }
  return program;
}

void add_capture(std::vector<Step>& program, int graph, bool copied) {
  program.push_back({.kind = StepKind::capture, .graph = graph});
  program.push_back({.kind = StepKind::call, .copied = copied});
  program.push_back({.kind = StepKind::end_capture, .graph = graph});
}

void add_replays(std::vector<Step>& program, int graph, int first, int times) {
  if (times == 0) return;
  program.push_back({.kind = StepKind::replay, .round = first, .graph = graph, .times = times});
  program.push_back({.kind = StepKind::check, .round = first + times - 1});
}

std::vector<Step> graph_program(const Case& c, int iterations) {
  std::vector<Step> program;
  add_capture(program, 0, false);
  add_capture(program, 1, !c.in_place);
  const int direct = (iterations + 1) / 2;
  add_replays(program, 0, 0, direct);
  add_replays(program, 1, direct, iterations - direct);
  return program;
}

}  // namespace

std::string_view name_of(RepeatMode mode) { return mode == RepeatMode::eager ? "eager" : "graph"; }

std::optional<RepeatMode> repeat_mode_from(std::string_view name) {
  for (const RepeatMode mode : {RepeatMode::eager, RepeatMode::graph}) {
    if (name_of(mode) == name) return mode;
  }
  return std::nullopt;
}

std::vector<RepeatPart> repeat(const Case& c, RepeatMode mode, int iterations) {
  std::vector<RepeatPart> parts;
  const int most = iterations_per_part(c, mode);
  for (int done = 0; done < iterations;) {
    RepeatPart part{c, std::min(most, iterations - done)};
    part.c.program = mode == RepeatMode::eager ? eager_program(c, part.iterations)
                                               : graph_program(c, part.iterations);
    part.c.call_shapes.clear();
    part.c.schedule.switches.clear();  // they are places in another run
    part.c.seed += parts.size();
    done += part.iterations;
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace rankle
