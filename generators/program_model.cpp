// What steps leave behind; which are allowed is in program_rules.cpp.
#include "generators/program_model.h"

#include <algorithm>
#include <utility>

namespace rankle {

bool captures_stage(const Case& c) {
  const auto size = static_cast<std::int64_t>(size_of(c.dtype));
  const auto is_off = [size](std::int64_t offset) { return offset * size % kPackBytes != 0; };
  return std::any_of(c.input_offset.begin(), c.input_offset.end(), is_off) ||
         (!c.in_place && std::any_of(c.output_offset.begin(), c.output_offset.end(), is_off));
}

ProgramSetting setting_of(const Case& c, const Contract& contract) {
  ProgramSetting setting{c.world, c.in_place, contract.communicator, {}, captures_stage(c)};
  setting.shapes.reserve(1 + c.call_shapes.size());
  setting.shapes.push_back({c.count(), c.dtype, c.accum, c.geometry.blocks, c.geometry.threads});
  setting.shapes.insert(setting.shapes.end(), c.call_shapes.begin(), c.call_shapes.end());
  return setting;
}

ProgramModel::ProgramModel(ProgramSetting setting) : setting_(std::move(setting)) {
  for (BufferModel& buffer : buffers_) buffer.registered = setting_.communicator;
}

bool ProgramModel::quiet() const {
  return !call_under_way_ &&
         std::none_of(buffers_.begin(), buffers_.end(), [](const auto& b) { return b.busy; });
}

bool ProgramModel::graph_uses(int buffer) const {
  return std::any_of(graphs_.begin(), graphs_.end(), [&](const GraphModel& graph) {
    return graph.live && graph.buffers[std::size_t(buffer)].used;
  });
}

bool ProgramModel::any_graph() const {
  return std::any_of(graphs_.begin(), graphs_.end(), [](const auto& graph) { return graph.live; });
}

std::string_view ProgramModel::missing() const {
  if (capturing_ >= 0) return "end-capture";
  if (warming_up_) return "capture after the warm-up";
  if (branched_) return "join";
  if (calls_ == 0) return "call";
  const bool unjudged = std::any_of(buffers_.begin(), buffers_.end(),
                                    [](const BufferModel& buffer) { return buffer.unjudged; });
  if (unjudged || queued_checks_ || call_under_way_) return "check after the last call";
  return "";
}

std::bitset<kBuffersMax> ProgramModel::buffers_of(const Step& step) const {
  std::bitset<kBuffersMax> buffers;
  switch (step.kind) {
    case StepKind::fill:
    case StepKind::poison_output:
    case StepKind::call:
    case StepKind::check:
    case StepKind::overwrite:
      buffers.set(std::size_t(step.buffer));
      break;
    case StepKind::replay:
      for (int b = 0; b < kBuffersMax; ++b) {
        buffers.set(std::size_t(b), graph(step.graph).buffers[std::size_t(b)].used);
      }
      break;
    default:
      break;
  }
  return buffers;
}

bool ProgramModel::may_stage(const Step& call) const {
  if (capturing_ >= 0) return setting_.captures_stage;
  return call.staged || !buffer(call.buffer).registered;
}

std::int64_t ProgramModel::bytes_of_call(const Step& call) const {
  const CallShape& shape = setting_.shapes[std::size_t(call.shape)];
  return shape.count * static_cast<std::int64_t>(size_of(shape.dtype));
}

std::optional<StepRefusal> ProgramModel::next(const Step& step) {
  if (auto refused = refusal(step)) return refused;
  if (step.kind == StepKind::call) {
    const std::int64_t bytes = bytes_of_call(step);
    if (step.refused) {
      refused_bytes_ = std::min(refused_bytes_, bytes);
      return std::nullopt;  // and nothing has happened
    }
    if (may_stage(step)) staged_bytes_ = std::max(staged_bytes_, bytes);
  }
  if (branched_) (step.aside ? other_side_ : main_side_) |= buffers_of(step);
  if (capturing_ >= 0) {
    take_captured(step);
  } else {
    take(step);
  }
  return std::nullopt;
}

void ProgramModel::wait_for_own_work() {
  for (BufferModel& buffer : buffers_) buffer.busy = false;
}

void ProgramModel::take(const Step& step) {
  BufferModel& buffer = buffers_[std::size_t(step.buffer)];
  GraphModel& graph = graphs_[std::size_t(step.graph)];
  switch (step.kind) {
    case StepKind::fill:
      return take_fill(step);
    case StepKind::poison_output:
      buffer.output_round = -1;
      buffer.busy |= step.queued;
      return;
    case StepKind::call:
      return take_call(step);
    case StepKind::sync:
      if (step.rank < 0) wait_for_own_work();
      return;
    case StepKind::check:
      return take_check(step);
    case StepKind::overwrite:
      buffer.input_round = -1;
      buffer.busy = true;
      return;
    case StepKind::capture:
      graph = {};
      capturing_ = step.graph;
      warming_up_ = false;
      return;
    case StepKind::warm_up:
      warming_up_ = true;
      return;
    case StepKind::replay:
      return take_replay(step);
    case StepKind::destroy_graph:
      graph = {};
      return;
    case StepKind::register_buffer:
      buffer.registered = true;
      return;
    case StepKind::deregister_buffer:
      buffer.registered = false;
      return;
    case StepKind::reallocate:
      buffer.input_round = buffer.output_round = -1;
      buffer.used_up = false;
      return;
    case StepKind::stream:
      wait_for_own_work();
      stream_ = step.stream;
      bound_ = true;
      return;
    case StepKind::fork:
      branched_ = true;
      main_side_.reset();
      other_side_.reset();
      return;
    case StepKind::join:
      branched_ = false;
      return;
    case StepKind::reconnect:
      for (BufferModel& b : buffers_) b.registered = true;
      bound_ = false;
      ++communicators_;
      return;
    case StepKind::poison_scratch:
    case StepKind::delay:
    case StepKind::seed_epochs:
    case StepKind::end_capture:  // taken by the capture that goes on
      return;
  }
}

// Nothing runs: what is recorded takes effect at each replay.
void ProgramModel::take_captured(const Step& step) {
  GraphModel& graph = graphs_[std::size_t(capturing_)];
  RecordedBuffer& buffer = graph.buffers[std::size_t(step.buffer)];
  switch (step.kind) {
    case StepKind::call: {
      const auto& shapes = setting_.shapes;
      const bool longest = !buffer.called || shapes[std::size_t(step.shape)].count >
                                                 shapes[std::size_t(buffer.longest_shape)].count;
      if (longest) buffer.longest_shape = step.shape;
      buffer.last_shape = step.shape;
      buffer.used = buffer.called = true;
      buffer.poisons_output = false;
      ++graph.calls;
      return;
    }
    case StepKind::poison_output:
      buffer.used = buffer.poisons_output = true;
      return;
    case StepKind::overwrite:
      buffer.used = buffer.poisons_input = true;
      return;
    case StepKind::fork:
    case StepKind::join:
      return take(step);
    case StepKind::end_capture:
      graph.live = true;
      capturing_ = -1;
      return;
    default:
      return;
  }
}

void ProgramModel::take_fill(const Step& step) {
  BufferModel& buffer = buffers_[std::size_t(step.buffer)];
  filled_.set(std::size_t(step.round));
  buffer.input_round = step.round;
  buffer.input_shape = step.shape;
  buffer.used_up = false;
  buffer.busy |= step.queued;
  if (setting_.in_place) buffer.output_round = -1;
}

void ProgramModel::take_call(const Step& step) {
  BufferModel& buffer = buffers_[std::size_t(step.buffer)];
  buffer.output_round = buffer.input_round;
  buffer.output_shape = step.shape;
  buffer.used_up = setting_.in_place;
  buffer.busy = buffer.unjudged = true;
  call_under_way_ = true;
  // A call of nothing is over before the communicator hears of it.
  bound_ |= setting_.shapes[std::size_t(step.shape)].count > 0;
  ++calls_;
}

void ProgramModel::take_check(const Step& step) {
  BufferModel& buffer = buffers_[std::size_t(step.buffer)];
  buffer.unjudged = false;
  if (step.queued) {
    buffer.busy = queued_checks_ = true;
    return;
  }
  wait_for_own_work();
  call_under_way_ = queued_checks_ = false;
}

void ProgramModel::take_replay(const Step& step) {
  const GraphModel& graph = graphs_[std::size_t(step.graph)];
  const int last_round = step.round + step.times - 1;
  for (int round = step.round; round <= last_round; ++round) filled_.set(std::size_t(round));
  for (std::size_t b = 0; b < buffers_.size(); ++b) {
    const RecordedBuffer& recorded = graph.buffers[b];
    BufferModel& buffer = buffers_[b];
    if (!recorded.used) continue;
    buffer.busy = true;
    if (recorded.called) {
      buffer.input_round = buffer.output_round = last_round;
      buffer.input_shape = recorded.longest_shape;
      buffer.output_shape = recorded.last_shape;
      buffer.used_up = setting_.in_place;
      buffer.unjudged = false;
    }
    if (recorded.poisons_input) buffer.input_round = -1;
    if (recorded.poisons_output) buffer.output_round = -1;
  }
  call_under_way_ = queued_checks_ = true;
  calls_ += graph.calls * step.times;
}

}  // namespace rankle
