// A rank's way from its first allocation to its last free.
#include "harness/runner/rank_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "harness/runner/device_hooks.h"

namespace rankle {

RankProgram::RankProgram(ProgramRun& run, int rank)
    : run_(run),
      case_(run.case_),
      rank_(rank),
      state_(run.case_, run.plan_, run.board_, rank),
      side_(*run.targets_[std::size_t(rank)].target, case_.target, ""),
      judge_(run, state_),
      device_checks_(state_, run.oracle_),
      checks_(state_, judge_),
      graphs_(state_, checks_) {
  state_.sides.push_back(&side_);
  const Target* reference = run.targets_[std::size_t(rank)].reference;
  if (reference == nullptr) return;
  reference_ = std::make_unique<RankSide>(*reference, case_.same_bits_as, "reference ");
  state_.sides.push_back(reference_.get());
}

void RankProgram::run() {
  const bool well = start() && steps();
  if (!parting_) meet(well);
  finish();
  report_leftovers();
}

// A check that did not come to its end has told nobody what it found before.
void RankProgram::report_leftovers() {
  std::vector<Finding> left;
  for (CheckFinding& found : run_.check_by_rank_[std::size_t(rank_)]) {
    left.push_back(std::move(found.finding));
  }
  run_.file(std::move(left));
  run_.check_by_rank_[std::size_t(rank_)].clear();
  if (device_hooks::stopped() || state_.hip.failure().empty()) return;
  Finding finding;
  finding.kind = FindingKind::api_error;
  finding.message = fmt::format("on rank {}, {}", rank_, state_.hip.failure());
  finding.actors.push_back({rank_, -1, -1, state_.step_index});
  run_.file({std::move(finding)});
}

bool RankProgram::meet(bool well) {
  std::vector<char> all(std::size_t(case_.world));
  if (!state_.group.all_gather_value(char(well), std::span(all))) {
    parting_ = true;
    return false;
  }
  parting_ = std::find(all.begin(), all.end(), char(false)) != all.end();
  return !parting_;
}

bool RankProgram::start() {
  state_.states.assign(std::size_t(state_.plan.buffers), BufferState(case_.in_place, case_.dtype));
  bool well = state_.create_streams();
  for (RankSide* side : state_.sides) {
    well = well && side->allocate(state_.hip, case_, state_.plan, rank_);
  }
  if (!meet(well)) return false;
  for (RankSide* side : state_.sides) {
    well = well && side->connect(state_.hip, case_, state_.plan, state_.group);
  }
  return meet(well);
}

bool RankProgram::steps() {
  for (std::size_t index = 0; index < case_.program.size(); ++index) {
    state_.step_index = int(index);
    device_hooks::note_step(state_.step_index);
    if (device_hooks::stopped() || !step(index)) return false;
  }
  state_.step_index = -1;
  return true;
}

bool RankProgram::step(std::size_t index) {
  const Step& step = case_.program[index];
  const CallShape& shape = state_.plan.shapes[index];
  switch (step.kind) {
    case StepKind::fill:
      state_.rounds.push_back(step.round);
      return write(step, Half::input, payload_contents(payload_of(case_, shape), step.round));
    case StepKind::poison_output:
      return write(step, Half::output, poison_contents(shape.dtype, Poison::output));
    case StepKind::overwrite:
      return write(step, Half::input, poison_contents(shape.dtype, Poison::input));
    case StepKind::poison_scratch:
      return poison_scratch();
    case StepKind::call:
      return call(step, shape);
    case StepKind::sync:
      return sync(step);
    case StepKind::check:
      return step.queued ? queue_check(step) : check(step);
    case StepKind::warm_up:
      return graphs_.warm_up();
    case StepKind::capture:
      return graphs_.begin(index);
    case StepKind::end_capture:
      return end_capture();
    case StepKind::replay:
      return graphs_.replay(step);
    case StepKind::destroy_graph:
      return destroy_graph(step.graph);
    case StepKind::register_buffer:
    case StepKind::deregister_buffer:
      return change_registration(step);
    case StepKind::reallocate:
      return reallocate(step.buffer);
    case StepKind::delay:
      return delay(step);
    case StepKind::stream:
      return switch_stream(step.stream);
    case StepKind::fork:
      return order(state_.stream, state_.forked, state_.branch);
    case StepKind::join:
      return order(state_.branch, state_.joined, state_.stream);
    case StepKind::reconnect:
      return reconnect();
    case StepKind::seed_epochs:
      return seed_epochs(step.amount);
  }
  return false;
}

void RankProgram::finish() {
  // Own work first, then everybody's: after the barrier nobody touches this rank's memory. In a run
  // that has been stopped all of this returns at once.
  device_hooks::note_step(-1);
  graphs_.abandon_capture();
  for (hipStream_t stream : state_.streams) {
    if (stream == nullptr) continue;
    static_cast<void>(state_.hip.ok(hipStreamSynchronize(stream), "hipStreamSynchronize"));
  }
  if (state_.branch != nullptr) {
    static_cast<void>(state_.hip.ok(hipStreamSynchronize(state_.branch), "hipStreamSynchronize"));
  }
  graphs_.destroy_all();
  state_.group.barrier();
  for (RankSide* side : state_.sides) side->disconnect(state_.hip);
  graphs_.release_all();
  for (RankSide* side : state_.sides) side->release();
  state_.release();
}

}  // namespace rankle
