// Passes over the steps of a program.
#include "harness/runner/program_plan.h"

#include <algorithm>
#include <map>
#include <optional>

#include "generators/program_model.h"
#include "harness/runner/payload.h"

namespace rankle {
namespace {

// Of a captured call: its input and its output, of which a kernel lets peers use one or both.
constexpr int kSlotsPerCapturedCall = 2;

// Follows what is registered and captured, as the communicator will have it.
class Needs {
 public:
  Needs(const Case& c, ProgramPlan& plan)
      : plan_(plan), buffers_each_(c.in_place ? 1 : 2), captured_calls_stage_(captures_stage(c)) {
    register_all();
    note_slots();
  }

  void next(const Step& step, const CallShape& shape) {
    switch (step.kind) {
      case StepKind::call:
        call(step, bytes_of(shape));
        break;
      case StepKind::capture:
        capturing_ = step.graph;
        captured_[step.graph] = 0;
        break;
      case StepKind::end_capture:
        capturing_.reset();
        break;
      case StepKind::destroy_graph:
        captured_.erase(step.graph);
        break;
      case StepKind::reconnect:
        captured_.clear();
        register_all();
        break;
      case StepKind::register_buffer:
        registered_ += buffers_each_;
        is_registered_[std::size_t(step.buffer)] = true;
        break;
      case StepKind::deregister_buffer:
        registered_ -= buffers_each_;
        is_registered_[std::size_t(step.buffer)] = false;
        break;
      default:
        break;
    }
    note_slots();
  }

 private:
  void register_all() {
    is_registered_.assign(std::size_t(plan_.buffers), plan_.registers);
    registered_ = plan_.registers ? plan_.buffers * buffers_each_ : 0;
  }

  void call(const Step& step, std::int64_t bytes) {
    if (step.refused) return;
    if (capturing_) captured_[*capturing_] += kSlotsPerCapturedCall;
    const bool may_stage = capturing_ ? captured_calls_stage_
                                      : step.staged || !is_registered_[std::size_t(step.buffer)];
    if (may_stage) plan_.staging_bytes = std::max(plan_.staging_bytes, bytes);
  }

  void note_slots() {
    int slots = registered_;
    for (const auto& [graph, taken] : captured_) slots += taken;
    plan_.slots = std::max(plan_.slots, slots);
  }

  ProgramPlan& plan_;
  const int buffers_each_;
  const bool captured_calls_stage_;
  std::vector<bool> is_registered_;
  int registered_ = 0;           // entries taken
  std::map<int, int> captured_;  // entries that each graph has taken
  std::optional<int> capturing_;
};

// The shape that a poison or an overwrite goes with: of the next call on its buffer (of an
// overwrite, the last one) that is captured together with it, or like it is not captured.
std::optional<CallShape> neighbour(const Case& c, const std::vector<int>& capture_of,
                                   std::size_t index) {
  const Step& step = c.program[index];
  const auto matches = [&](std::size_t at) {
    const Step& other = c.program[at];
    return other.kind == StepKind::call && !other.refused && other.buffer == step.buffer &&
           capture_of[at] == capture_of[index];
  };
  if (step.kind == StepKind::overwrite) {
    for (std::size_t at = index; at-- > 0;) {
      if (matches(at)) return shape_of(c, c.program[at].shape);
    }
    return std::nullopt;
  }
  for (std::size_t at = index + 1; at < c.program.size(); ++at) {
    if (matches(at)) return shape_of(c, c.program[at].shape);
  }
  return std::nullopt;
}

void plan_shapes(const Case& c, ProgramPlan& plan) {
  std::vector<int> capture_of;  // by step; -1: not captured
  int capturing = -1;
  for (const Step& step : c.program) {
    if (step.kind == StepKind::capture) capturing = step.graph;
    capture_of.push_back(capturing);
    if (step.kind == StepKind::end_capture) capturing = -1;
  }
  for (std::size_t i = 0; i < c.program.size(); ++i) {
    const Step& step = c.program[i];
    plan.shapes.push_back(shape_of(c, step.shape));
    if (step.kind != StepKind::poison_output && step.kind != StepKind::overwrite) continue;
    if (const auto shape = neighbour(c, capture_of, i)) plan.shapes.back() = *shape;
  }
}

}  // namespace

// Scratch is there for refused calls too, so that it is the staging memory alone that refuses them.
kernels::Capacity ProgramPlan::capacity(const Case& c, const Target& target) const {
  kernels::Capacity capacity;
  for (std::size_t i = 0; i < c.program.size(); ++i) {
    if (c.program[i].kind != StepKind::call) continue;
    capacity.scratch_bytes =
        std::max(capacity.scratch_bytes, target.scratch_bytes(c.world, bytes_of(shapes[i])));
  }
  capacity.staging_bytes = staging_bytes;
  capacity.slots = slots;
  return capacity;
}

ProgramPlan plan_program(const Case& c) {
  ProgramPlan plan;
  bool capturing = false;
  for (const Step& step : c.program) {
    plan.buffers = std::max(plan.buffers, step.buffer + 1);
    plan.streams = std::max(plan.streams, step.stream + 1);
    if (step.kind == StepKind::capture) {
      capturing = true;
      plan.graphs = std::max(plan.graphs, step.graph + 1);
    }
    if (step.kind == StepKind::end_capture) capturing = false;
    plan.branches |= step.kind == StepKind::fork;
    plan.host_delays |= step.kind == StepKind::delay && !step.queued;
    plan.registers |= (step.kind == StepKind::call && !step.staged && !capturing) ||
                      step.kind == StepKind::register_buffer ||
                      step.kind == StepKind::deregister_buffer;
  }
  plan_shapes(c, plan);
  Needs needs(c, plan);
  for (std::size_t i = 0; i < c.program.size(); ++i) needs.next(c.program[i], plan.shapes[i]);
  if (plan.staging_bytes > 0) ++plan.slots;  // one entry for good
  return plan;
}

StepRange captured_steps(const Case& c, std::size_t begin) {
  const auto first = c.program.begin() + std::ptrdiff_t(begin) + 1;
  const auto end = std::find_if(first, c.program.end(),
                                [](const Step& s) { return s.kind == StepKind::end_capture; });
  return {begin + 1, std::size_t(end - c.program.begin())};
}

}  // namespace rankle
