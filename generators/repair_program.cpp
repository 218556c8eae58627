// See repair_program.h.
#include "generators/repair_program.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>

#include "generators/limits.h"
#include "generators/step_fields.h"

namespace rankle::detail {
namespace {

using Program = std::vector<Step>;

bool is_call(const Step& step) { return step.kind == StepKind::call; }

// Without captures that do not end or record no call, and without forks that are not joined.
Program without_open_ends(const Program& steps) {
  std::vector<bool> drop(steps.size());
  const auto find_end = [&](std::size_t begin, StepKind end, StepKind again) {
    std::size_t at = begin + 1;
    while (at < steps.size() && steps[at].kind != end && steps[at].kind != again) ++at;
    return at < steps.size() && steps[at].kind == end ? at : steps.size();
  };
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].kind == StepKind::capture) {
      const std::size_t end = find_end(i, StepKind::end_capture, StepKind::capture);
      const auto first = steps.begin() + static_cast<std::ptrdiff_t>(i);
      const auto last = steps.begin() + static_cast<std::ptrdiff_t>(end);
      if (end == steps.size()) {
        drop[i] = true;
      } else if (std::none_of(first, last, is_call)) {
        std::fill(drop.begin() + static_cast<std::ptrdiff_t>(i),
                  drop.begin() + static_cast<std::ptrdiff_t>(end) + 1, true);
      }
    }
    if (steps[i].kind == StepKind::fork &&
        find_end(i, StepKind::join, StepKind::fork) == steps.size()) {
      drop[i] = true;
    }
  }
  Program kept;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!drop[i]) kept.push_back(steps[i]);
  }
  return kept;
}

// Without those that no capture follows, or another one first.
Program without_idle_warm_ups(Program steps) {
  bool has_capture = false;
  std::vector<bool> drop(steps.size());
  for (std::size_t i = steps.size(); i-- > 0;) {
    if (steps[i].kind == StepKind::capture) has_capture = true;
    if (steps[i].kind != StepKind::warm_up) continue;
    drop[i] = !has_capture;
    has_capture = false;
  }
  std::size_t at = 0;
  std::erase_if(steps, [&](const Step&) { return drop[at++]; });
  return steps;
}

// New numbers from 0, in the order in which old ones are first asked for.
class Numbering {
 public:
  int of(int old) { return numbers_.emplace(old, static_cast<int>(numbers_.size())).first->second; }

 private:
  std::map<int, int> numbers_;
};

void renumber_shapes(Case& c) {
  Numbering numbering;
  std::vector<CallShape> used;
  for (Step& step : c.program) {
    if (step.shape <= 0) continue;
    const auto old = static_cast<std::size_t>(step.shape) - 1;
    step.shape = 1 + numbering.of(step.shape);
    if (static_cast<std::size_t>(step.shape) > used.size()) used.push_back(c.call_shapes[old]);
  }
  c.call_shapes = std::move(used);
}

}  // namespace

Program repaired(const Program& steps, const ProgramSetting& setting) {
  ProgramModel model(setting);
  Program kept;
  const auto check = [&](int buffer) {
    const Step step{
        .kind = StepKind::check, .round = model.buffer(buffer).output_round, .buffer = buffer};
    if (!model.next(step)) kept.push_back(step);
  };
  for (Step step : without_idle_warm_ups(without_open_ends(steps))) {
    if (step.kind == StepKind::check) {
      step.round = std::max(model.buffer(step.buffer).output_round, 0);
    }
    if (!model.next(step)) kept.push_back(step);
  }
  for (int b = 0; b < kBuffersMax; ++b) {
    if (model.buffer(b).unjudged && model.buffer(b).output_round >= 0) check(b);
  }
  // What was queued last needs a check that waits, whatever buffer that is for.
  for (int b = 0; b < kBuffersMax && !model.missing().empty(); ++b) {
    if (model.buffer(b).output_round >= 0) check(b);
  }
  return model.missing().empty() ? kept : Program{};
}

void renumber(Case& c) {
  Numbering buffers, graphs;
  std::map<int, int> rounds;
  int next_round = 0;
  for (Step& step : c.program) {
    if (takes(step.kind, StepField::buffer)) step.buffer = buffers.of(step.buffer);
    if (takes(step.kind, StepField::graph)) step.graph = graphs.of(step.graph);
    if (!takes(step.kind, StepField::round)) continue;
    const int old = step.round;
    if (rounds.find(old) == rounds.end()) {
      for (int i = 0; i < step.times; ++i) rounds[old + i] = next_round++;
    }
    step.round = rounds[old];
  }
  renumber_shapes(c);
}

Program without_graphs(const Program& program) {
  std::array<Program, kGraphsMax> recorded;
  std::optional<std::size_t> capturing;
  Program eager;
  int free_round = 0;
  for (const Step& step : program) free_round = std::max(free_round, step.round + step.times);
  for (const Step& step : program) {
    const auto graph = static_cast<std::size_t>(step.graph);
    if (step.kind == StepKind::capture) {
      capturing = graph;
      recorded[graph].clear();
    } else if (step.kind == StepKind::end_capture) {
      capturing.reset();
    } else if (capturing) {
      recorded[*capturing].push_back(step);
    } else if (step.kind == StepKind::replay) {
      std::map<int, int> shapes;
      for (const Step& r : recorded[graph]) {
        if (is_call(r)) shapes.emplace(r.buffer, r.shape);
      }
      for (const auto& [buffer, shape] : shapes) {
        eager.push_back({.kind = StepKind::fill,
                         .round = free_round++,
                         .buffer = buffer,
                         .queued = true,
                         .shape = shape});
      }
      for (Step r : recorded[graph]) {
        r.copied = false;
        eager.push_back(r);
      }
    } else if (step.kind != StepKind::destroy_graph && step.kind != StepKind::warm_up) {
      eager.push_back(step);
    }
  }
  return eager;
}

}  // namespace rankle::detail
