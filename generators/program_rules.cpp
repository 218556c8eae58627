// Which step may come next: the preconditions of program_model.h, from what a step says to where it
// stands and what it finds.
#include <fmt/format.h>

#include <utility>

#include "generators/names.h"
#include "generators/program_model.h"
#include "generators/step_fields.h"

namespace rankle {
namespace {

StepRefusal refuse(const Step& step, std::string_view why) {
  return {"kind", fmt::format("{} {}", name_of(step.kind), why)};
}

template <class Value>
StepRefusal refuse_value(StepField field, const Value& value, std::string_view why) {
  return {name_of(field), fmt::format("{} {}", value, why)};
}

// The value of a field as a number; flags are 0 and 1.
std::int64_t value_of(const Step& step, StepField field) {
  switch (field) {
    case StepField::round:
      return step.round;
    case StepField::staged:
      return step.staged;
    case StepField::buffer:
      return step.buffer;
    case StepField::queued:
      return step.queued;
    case StepField::aside:
      return step.aside;
    case StepField::shape:
      return step.shape;
    case StepField::copied:
      return step.copied;
    case StepField::refused:
      return step.refused;
    case StepField::graph:
      return step.graph;
    case StepField::times:
      return step.times;
    case StepField::rank:
      return step.rank;
    case StepField::stream:
      return step.stream;
    case StepField::amount:
      return step.amount;
  }
  return 0;
}

bool needs_communicator(StepKind kind) {
  return kind == StepKind::register_buffer || kind == StepKind::deregister_buffer ||
         kind == StepKind::reconnect || kind == StepKind::seed_epochs || kind == StepKind::warm_up;
}

bool is_on_stream(const Step& step) {
  return step.queued || step.kind == StepKind::call || step.kind == StepKind::overwrite ||
         step.kind == StepKind::replay;
}

// Whether the communicator may be between the two halves of the beginning of a capture.
bool fits_warm_up(StepKind kind) {
  return !needs_communicator(kind) && kind != StepKind::destroy_graph &&
         kind != StepKind::reallocate && kind != StepKind::stream;
}

bool is_recorded(StepKind kind) {
  return kind == StepKind::call || kind == StepKind::overwrite || kind == StepKind::poison_output ||
         kind == StepKind::delay;
}

}  // namespace

std::optional<StepRefusal> ProgramModel::refusal(const Step& step) const {
  if (auto wrong = wrong_field(step)) return wrong;
  if (auto wrong = wrong_range(step)) return wrong;
  if (auto wrong = wrong_place(step)) return wrong;
  if (auto wrong = wrong_side(step)) return wrong;
  if (step.kind == StepKind::call) {
    if (auto wrong = wrong_room(step)) return wrong;
  }
  return wrong_state(step);
}

std::optional<StepRefusal> ProgramModel::wrong_field(const Step& step) const {
  for (const StepField field : all_step_fields()) {
    if (takes(step.kind, field) || is_default(step, field)) continue;
    return refuse_value(
        field, value_of(step, field),
        fmt::format("is not allowed; {} takes no {}", name_of(step.kind), name_of(field)));
  }
  if (needs_communicator(step.kind) && !setting_.communicator) {
    return refuse(step, "needs a communicator, which this target does not have");
  }
  return std::nullopt;
}

std::optional<StepRefusal> ProgramModel::wrong_range(const Step& step) const {
  const bool delays = step.kind == StepKind::delay;
  const std::array ranges{
      std::tuple{StepField::round, std::int64_t{0}, std::int64_t{kRoundMax}},
      std::tuple{StepField::buffer, std::int64_t{0}, std::int64_t{kBuffersMax - 1}},
      std::tuple{StepField::shape, std::int64_t{0},
                 static_cast<std::int64_t>(setting_.shapes.size()) - 1},
      std::tuple{StepField::graph, std::int64_t{0}, std::int64_t{kGraphsMax - 1}},
      std::tuple{StepField::times, std::int64_t{1}, std::int64_t{kReplayTimesMax}},
      std::tuple{StepField::rank, std::int64_t{delays ? 0 : -1}, std::int64_t{setting_.world - 1}},
      std::tuple{StepField::stream, std::int64_t{0}, std::int64_t{kStreamsMax - 1}},
      std::tuple{StepField::amount, std::int64_t{delays ? 1 : 0},
                 delays ? kDelayNanosecondsMax : kEpochMax}};
  for (const auto& [field, min, max] : ranges) {
    if (!takes(step.kind, field)) continue;
    const std::int64_t value = value_of(step, field);
    if (value < min || value > max) {
      return refuse_value(field, value, fmt::format("is not allowed; {} to {} is", min, max));
    }
  }
  return std::nullopt;
}

// Inside a capture or a branch, or outside of them.
std::optional<StepRefusal> ProgramModel::wrong_place(const Step& step) const {
  const bool captures = capturing_ >= 0;
  if (captures) {
    const bool is_own = step.kind == StepKind::fork || step.kind == StepKind::join ||
                        step.kind == StepKind::end_capture;
    if (!is_own && !is_recorded(step.kind)) {
      return refuse(step, "cannot be recorded; end-capture must come first");
    }
    if (takes(step.kind, StepField::queued) && !step.queued) {
      return refuse_value(StepField::queued, false, "is not allowed in a capture; true is");
    }
  }
  if (warming_up_ && !fits_warm_up(step.kind)) {
    return refuse(step, "is not allowed in a warm-up; a capture must come first");
  }
  if (step.aside && !branched_) {
    return refuse_value(StepField::aside, true, "is not allowed; a fork must come first");
  }
  if (step.aside && takes(step.kind, StepField::queued) && !step.queued) {
    return refuse_value(StepField::queued, false, "is not allowed on a branch; true is");
  }
  const bool fits_branch =
      is_on_stream(step) || step.kind == StepKind::delay || step.kind == StepKind::join;
  if (branched_ && !fits_branch) {
    return refuse(step, "is not allowed while a branch is open; a join must come first");
  }
  if (step.copied && (!captures || setting_.in_place)) {
    return refuse_value(StepField::copied, true,
                        "is not allowed; only a call in a capture and out of place takes it");
  }
  if (step.staged && captures) {
    return refuse_value(StepField::staged, true, "is not allowed in a capture; false is");
  }
  return std::nullopt;
}

// What is to be refused has to be larger than all that is not, because the communicator is made as
// large as those need.
std::optional<StepRefusal> ProgramModel::wrong_room(const Step& step) const {
  const std::int64_t bytes = bytes_of_call(step);
  if (step.refused && (!step.staged || !setting_.communicator)) {
    return refuse_value(StepField::refused, true,
                        "is not allowed; only a staged call through a communicator takes it");
  }
  if (step.refused && bytes <= staged_bytes_) {
    return refuse_value(StepField::shape, step.shape,
                        fmt::format("is no reason to refuse the call: the communicator has room "
                                    "for {} bytes and it needs {}",
                                    staged_bytes_, bytes));
  }
  if (!step.refused && may_stage(step) && bytes >= refused_bytes_) {
    return refuse_value(StepField::shape, step.shape,
                        fmt::format("may be staged and would make room for the {} bytes that were "
                                    "to be refused",
                                    refused_bytes_));
  }
  return std::nullopt;
}

std::optional<StepRefusal> ProgramModel::wrong_side(const Step& step) const {
  if (!branched_) return std::nullopt;
  const auto taken = buffers_of(step) & (step.aside ? main_side_ : other_side_);
  if (taken.none()) return std::nullopt;
  return refuse(step, fmt::format("uses a buffer that is in use {}; a join must come first",
                                  step.aside ? "beside the branch" : "on the branch"));
}

std::optional<StepRefusal> ProgramModel::wrong_state(const Step& step) const {
  switch (step.kind) {
    case StepKind::fill:
      return wrong_fill(step);
    case StepKind::poison_output:
      return wrong_poison_output(step);
    case StepKind::poison_scratch:
      if (!call_under_way_) return std::nullopt;
      return refuse(step, "may overtake a peer's call; a check must come first");
    case StepKind::call:
      if (step.refused) return std::nullopt;  // reads nothing
      return capturing_ < 0 ? wrong_call(step) : wrong_captured_call(step);
    case StepKind::check:
      return wrong_check(step);
    case StepKind::overwrite:
      return wrong_overwrite(step);
    case StepKind::capture:
      if (!graph(step.graph).live) return std::nullopt;
      return refuse_value(StepField::graph, step.graph, "is live; a destroy-graph must come first");
    case StepKind::end_capture:
      if (capturing_ < 0) return refuse(step, "ends no capture; one must come first");
      if (branched_) return refuse(step, "finds a branch open; a join must come first");
      if (step.graph != capturing_) {
        return refuse_value(StepField::graph, step.graph,
                            fmt::format("is not the one that is captured; {} is", capturing_));
      }
      if (graph(step.graph).calls > 0) return std::nullopt;
      return refuse(step, "has recorded no call; one must come first");
    case StepKind::replay:
      return wrong_replay(step);
    case StepKind::register_buffer:
    case StepKind::deregister_buffer:
      return wrong_registration(step);
    case StepKind::reallocate:
      return wrong_reallocate(step);
    case StepKind::stream:
      return wrong_stream(step);
    case StepKind::fork:
      if (!branched_) return std::nullopt;
      return refuse(step, "does not nest; a join must come first");
    case StepKind::join:
      if (branched_) return std::nullopt;
      return refuse(step, "has no branch to join; a fork must come first");
    case StepKind::destroy_graph:
      if (!graph(step.graph).live) {
        return refuse_value(StepField::graph, step.graph, "is not live; a capture must come first");
      }
      break;
    case StepKind::reconnect:
      if (any_graph()) return refuse(step, "would strand a graph; a destroy-graph must come first");
      break;
    case StepKind::seed_epochs:
      break;
    case StepKind::sync:
    case StepKind::delay:
    case StepKind::warm_up:
      return std::nullopt;
  }
  if (quiet()) return std::nullopt;
  return refuse(step, "may overtake what is under way; a check must come first");
}

std::optional<StepRefusal> ProgramModel::wrong_fill(const Step& step) const {
  if (!step.queued && buffer(step.buffer).busy) {
    return refuse(step, "may overtake the last call; a sync or check must come first");
  }
  if (is_filled(step.round)) {
    return refuse_value(StepField::round, step.round,
                        "is filled twice; each fill takes a round of its own");
  }
  return std::nullopt;
}

std::optional<StepRefusal> ProgramModel::wrong_poison_output(const Step& step) const {
  if (capturing_ >= 0) {
    if (setting_.in_place) return refuse(step, "would poison the input of an in-place call");
    if (!graph(capturing_).buffers[std::size_t(step.buffer)].called) return std::nullopt;
    return refuse(step, "would poison the output of a recorded call; it must come before that");
  }
  const BufferModel& state = buffer(step.buffer);
  if (!step.queued && state.busy) {
    return refuse(step, "may overtake the last call; a sync or check must come first");
  }
  if (setting_.in_place && state.input_round >= 0 && !state.used_up) {
    return refuse(step, "would poison the input of an in-place call; it must come before fill");
  }
  return std::nullopt;
}

bool ProgramModel::fits(int call_shape, int filled_shape) const {
  const CallShape& call = setting_.shapes[std::size_t(call_shape)];
  const CallShape& filled = setting_.shapes[std::size_t(filled_shape)];
  return call.dtype == filled.dtype && call.accum == filled.accum && call.count <= filled.count;
}

std::optional<StepRefusal> ProgramModel::wrong_call(const Step& step) const {
  const BufferModel& state = buffer(step.buffer);
  if (state.input_round < 0) return refuse(step, "has no input; a fill must come first");
  if (state.used_up) {
    return refuse(step, "has used this in-place input up; a fill must come first");
  }
  if (fits(step.shape, state.input_shape)) return std::nullopt;
  return refuse_value(StepField::shape, step.shape,
                      fmt::format("does not fit the input, which was filled for shape {}: dtype "
                                  "and accum must agree and count be no more",
                                  state.input_shape));
}

std::optional<StepRefusal> ProgramModel::wrong_captured_call(const Step& step) const {
  const GraphModel& recorded = graph(capturing_);
  const RecordedBuffer& state = recorded.buffers[std::size_t(step.buffer)];
  if (recorded.calls >= kGraphCallsMax) {
    return refuse(step, fmt::format("is one too many; a graph takes {} calls", kGraphCallsMax));
  }
  if (state.poisons_input) return refuse(step, "would read what the graph has overwritten");
  if (!state.called) return std::nullopt;
  if (setting_.in_place) {
    return refuse(step, "would read what this graph's call has written in place");
  }
  if (fits(step.shape, state.longest_shape) || fits(state.longest_shape, step.shape)) {
    return std::nullopt;
  }
  return refuse_value(StepField::shape, step.shape,
                      fmt::format("does not fit the graph's call of shape {} on this buffer: dtype "
                                  "and accum must agree",
                                  state.longest_shape));
}

std::optional<StepRefusal> ProgramModel::wrong_check(const Step& step) const {
  const BufferModel& state = buffer(step.buffer);
  if (!is_filled(step.round)) {
    return refuse_value(StepField::round, step.round, "was never filled; a fill must come first");
  }
  if (state.output_round < 0) {
    return refuse(step, "finds no output of a call; one must come after the last fill or poison");
  }
  if (state.output_round != step.round) {
    return refuse_value(
        StepField::round, step.round,
        fmt::format("is not the round that was called last; {} is", state.output_round));
  }
  return std::nullopt;
}

std::optional<StepRefusal> ProgramModel::wrong_overwrite(const Step& step) const {
  if (!setting_.in_place) return std::nullopt;
  return refuse(step,
                "would poison the output of an in-place call; only out of place it is "
                "allowed");
}

std::optional<StepRefusal> ProgramModel::wrong_replay(const Step& step) const {
  if (!graph(step.graph).live) {
    return refuse_value(StepField::graph, step.graph, "is not live; a capture must come first");
  }
  const int last_round = step.round + step.times - 1;
  if (last_round > kRoundMax) {
    return refuse_value(StepField::times, step.times,
                        fmt::format("ends at round {}; {} is the last", last_round, kRoundMax));
  }
  for (int round = step.round; round <= last_round; ++round) {
    if (!is_filled(round)) continue;
    return refuse_value(
        StepField::round, step.round,
        fmt::format("leads to {}, which is filled twice; each round is filled once", round));
  }
  return std::nullopt;
}

std::optional<StepRefusal> ProgramModel::wrong_registration(const Step& step) const {
  const bool registers = step.kind == StepKind::register_buffer;
  if (buffer(step.buffer).registered == registers) {
    return refuse_value(StepField::buffer, step.buffer,
                        registers ? "is registered; a deregister must come first"
                                  : "is not registered; a register must come first");
  }
  if (registers || quiet()) return std::nullopt;
  return refuse(step, "may overtake what is under way; a check must come first");
}

std::optional<StepRefusal> ProgramModel::wrong_reallocate(const Step& step) const {
  if (buffer(step.buffer).registered) {
    return refuse_value(StepField::buffer, step.buffer,
                        "is registered; a deregister must come first");
  }
  if (graph_uses(step.buffer)) {
    return refuse_value(StepField::buffer, step.buffer,
                        "is in use by a live graph; a destroy-graph must come first");
  }
  if (quiet()) return std::nullopt;
  return refuse(step, "may overtake what is under way; a check must come first");
}

std::optional<StepRefusal> ProgramModel::wrong_stream(const Step& step) const {
  bool busy = false;
  for (const BufferModel& state : buffers_) busy |= state.busy;
  if (bound_ || !busy) return std::nullopt;
  return refuse(step,
                "finds work that no call has told the communicator of; a sync must come "
                "first");
}

}  // namespace rankle
