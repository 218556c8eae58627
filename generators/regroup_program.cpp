// See regroup_program.h.
#include "generators/regroup_program.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "generators/limits.h"

namespace rankle::detail {
namespace {

using Program = std::vector<Step>;

// A capture and its end, as positions in the program.
struct Span {
  std::size_t begin;
  std::size_t end;

  bool holds(std::size_t at) const { return begin <= at && at <= end; }
};

std::vector<Span> captures_of(const Program& program) {
  std::vector<Span> captures;
  std::optional<std::size_t> begin;
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (program[i].kind == StepKind::capture) begin = i;
    if (program[i].kind != StepKind::end_capture || !begin) continue;
    captures.push_back({*begin, i});
    begin.reset();
  }
  return captures;
}

// Neither graph is destroyed: what is left may need it until the end.
Program merged(const Program& program, const Span& first, const Span& second, bool both_replayed) {
  const int kept = program[first.begin].graph;
  const int gone = program[second.begin].graph;  // may be the same, once the first is destroyed
  Program one;
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (i == first.end) {
      for (std::size_t j = second.begin + 1; j < second.end; ++j) one.push_back(program[j]);
    }
    if (second.holds(i)) continue;
    Step step = program[i];
    const bool is_of_second = i > second.end && step.graph == gone;
    const bool is_of_first = i > first.end && !is_of_second && step.graph == kept;
    if (step.kind == StepKind::destroy_graph && (is_of_first || is_of_second)) continue;
    if (step.kind == StepKind::replay && is_of_second) {
      if (!both_replayed) continue;
      step.graph = kept;
    }
    one.push_back(step);
  }
  return one;
}

// The last fill of the buffer of the call at `at`, unless a call has read it since. program.size()
// if there is none.
std::size_t own_fill(const Program& program, std::size_t at) {
  for (std::size_t i = at; i-- > 0;) {
    const Step& step = program[i];
    if (step.buffer != program[at].buffer) continue;
    if (step.kind == StepKind::fill) return i;
    if (step.kind == StepKind::call) break;
  }
  return program.size();
}

// The call at `from` recorded in front of the step at `to`.
Program recorded(const Program& program, std::size_t from, std::size_t to) {
  const std::size_t fill = own_fill(program, from);
  Step call = program[from];
  call.staged = false;
  Program one;
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (i == to) one.push_back(call);
    if (i != from && i != fill) one.push_back(program[i]);
  }
  return one;
}

}  // namespace

std::vector<Program> with_two_graphs_as_one(const Program& program) {
  const std::vector<Span> captures = captures_of(program);
  std::vector<Program> found;
  for (std::size_t i = 0; i < captures.size(); ++i) {
    for (std::size_t j = i + 1; j < captures.size(); ++j) {
      found.push_back(merged(program, captures[i], captures[j], false));
      found.push_back(merged(program, captures[i], captures[j], true));
    }
  }
  return found;
}

std::vector<Program> with_a_call_recorded(const Program& program) {
  const std::vector<Span> captures = captures_of(program);
  std::vector<Program> found;
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (program[i].kind != StepKind::call) continue;
    std::optional<Span> before, after;
    bool is_eager = true;
    for (const Span& capture : captures) {
      if (capture.holds(i)) is_eager = false;
      if (capture.end < i) before = capture;
      if (capture.begin > i && !after) after = capture;
    }
    if (!is_eager) continue;
    if (after) found.push_back(recorded(program, i, after->begin + 1));
    if (before) found.push_back(recorded(program, i, before->end));
  }
  return found;
}

std::vector<Program> with_a_replay_for_a_call(const Program& program) {
  int free_round = 0;
  for (const Step& step : program) free_round = std::max(free_round, step.round + step.times);
  std::vector<Program> found;
  for (const Span& capture : captures_of(program)) {
    std::vector<std::size_t> calls;
    for (std::size_t i = capture.begin; i < capture.end; ++i) {
      if (program[i].kind == StepKind::call) calls.push_back(i);
    }
    if (calls.size() < 2) continue;
    Program longer = program;
    int round = free_round;
    for (std::size_t i = capture.end; i < longer.size(); ++i) {
      Step& step = longer[i];
      if (step.kind == StepKind::capture && step.graph == program[capture.begin].graph) break;
      if (step.kind != StepKind::replay || step.graph != program[capture.begin].graph) continue;
      step.times = std::min(step.times + 1, kReplayTimesMax);
      step.round = round;
      round += step.times;
    }
    for (const std::size_t call : calls) {
      found.push_back(longer);
      found.back().erase(found.back().begin() + static_cast<std::ptrdiff_t>(call));
    }
  }
  return found;
}

}  // namespace rankle::detail
