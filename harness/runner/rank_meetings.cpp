// The steps that ranks carry out together.
#include <algorithm>
#include <utility>

#include "harness/case_slot.h"
#include "harness/runner/device_hooks.h"
#include "harness/runner/rank_program.h"

namespace rankle {

bool RankProgram::poison_scratch() {
  return meet(std::all_of(state_.sides.begin(), state_.sides.end(), [&](const RankSide* side) {
    return side->poison_scratch(state_.hip, case_.dtype);
  }));
}

bool RankProgram::check(const Step& step) {
  if (!meet(state_.wait())) return false;
  // No rank calls anything before all have compared, so one phase of the process fits all.
  enter_phase(Phase::checking);
  const bool go_on = compare(place_of(step));
  enter_phase(Phase::running);
  return go_on;
}

bool RankProgram::compare(const CheckPlace& place) {
  bool clean = false;
  const bool looked = device_checks_.look(place, state_.state(place.buffer), clean);
  if (!meet(looked && (clean || read_back(place)) && judge_red_zones(place))) return false;
  if (!checks_.judge_all(true) || (!clean && !judge_pair(place))) return false;
  state_.images.recycle();
  if (!state_.group.barrier()) return false;
  if (rank_ == 0) {
    std::vector<Finding> merged = merge_ranks(run_.check_by_rank_);
    for (auto& of_rank : run_.check_by_rank_) of_rank.clear();
    run_.leave_ = !merged.empty() && !run_.options_.keep_going;
    run_.file(std::move(merged));
  }
  // All ranks learn of `leave_` at the same step.
  if (!state_.group.barrier()) return false;
  parting_ = run_.leave_;
  return !parting_;
}

bool RankProgram::read_back(const CheckPlace& place) {
  const RankBuffers& own = side_.buffers(place.buffer);
  HipCalls& hip = state_.hip;
  if (!own.output().read(hip, output_bytes_)) return false;
  if (!case_.in_place && !own.input().read(hip, input_bytes_)) return false;
  return !reference_ || reference_->buffers(place.buffer).output().read(hip, promised_bytes_);
}

bool RankProgram::judge_red_zones(const CheckPlace& place) {
  for (const RankSide* side : state_.sides) {
    if (!judge_.judge_red_zones(place, side->buffers(place.buffer))) return false;
  }
  return graphs_.judge_red_zones(judge_, place);
}

bool RankProgram::judge_pair(const CheckPlace& place) {
  CheckCopies copies;
  copies.output = output_bytes_;
  if (!case_.in_place) copies.input = input_bytes_;
  if (reference_) copies.promised = promised_bytes_;
  return judge_.judge(place, state_.state(place.buffer), copies, true);
}

bool RankProgram::end_capture() { return meet(graphs_.end()) && meet(graphs_.share()); }

bool RankProgram::destroy_graph(int graph) {
  if (!meet(state_.wait() && graphs_.destroy(graph))) return false;
  if (!meet(graphs_.give_up(graph))) return false;
  graphs_.release(graph);
  return !device_hooks::ranks_share_devices(case_.world) || meet(true);
}

// No call on the buffer may be under way, here or on another rank.
bool RankProgram::change_registration(const Step& step) {
  if (!meet(state_.wait())) return false;
  return meet(std::all_of(state_.sides.begin(), state_.sides.end(), [&](const RankSide* side) {
    return step.kind == StepKind::register_buffer
               ? side->register_buffer(state_.hip, step.buffer)
               : side->deregister_buffer(state_.hip, step.buffer);
  }));
}

bool RankProgram::reallocate(int buffer) {
  if (!meet(state_.wait())) return false;
  state_.state(buffer) = BufferState(case_.in_place, case_.dtype);
  return meet(std::all_of(state_.sides.begin(), state_.sides.end(), [&](RankSide* side) {
    return side->reallocate(state_.hip, case_, rank_, buffer);
  }));
}

// Ending a communicator waits for the calls made through it.
bool RankProgram::reconnect() {
  if (!meet(true)) return false;
  graphs_.forget_communicators();
  is_bound_ = false;
  return meet(std::all_of(state_.sides.begin(), state_.sides.end(), [&](RankSide* side) {
    return side->disconnect(state_.hip) &&
           side->connect(state_.hip, case_, state_.plan, state_.group);
  }));
}

bool RankProgram::seed_epochs(std::int64_t epoch) {
  if (!meet(true)) return false;
  return meet(std::all_of(state_.sides.begin(), state_.sides.end(), [&](const RankSide* side) {
    return side->seed_epochs(state_.hip, std::uint32_t(epoch));
  }));
}

}  // namespace rankle
