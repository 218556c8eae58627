// Turns: who runs next and for how long, and how a wave passes its turn from lane to lane. What a
// step is, and what counts as one, is decided here, so that a schedule can be repeated as switches.
#include <algorithm>
#include <bit>

#include "sim/engine.h"

namespace rankle::sim {

// The wave that ran may have lanes whose turn is still to come.
bool Engine::turn_goes_on() {
  if (lanes_left_ <= 0 || give_way_ || current_ == nullptr || !current_->is_runnable())
    return false;
  start_lane_turn();
  return true;
}

void Engine::take_decision() {
  Turn turn{nullptr, 1};
  if (give_way_) {
    if (current_ != nullptr && current_->is_runnable()) runnable_.move_to_back(current_);
    turn.entity = runnable_.oldest();
    turn.is_default = true;
  } else {
    turn = scheduler_->next(runnable_, current_, g_hot.step);
  }
  give_way_ = false;
  if (turn.entity != current_) mix(turn.entity->id);
  current_ = turn.entity;
  count_decision(turn.is_default);
  turn_steps_ = turn.steps;
  lanes_left_ = kAnyLanes;
  if (turn.lanes > 1 && current_->kind == EntityKind::wave) {
    lanes_left_ = std::min(turn.lanes, std::popcount(static_cast<Wave*>(current_)->ready)) - 1;
  }
  interrupt_after(turn_steps_);
}

void Engine::start_lane_turn() {
  --lanes_left_;
  count_decision(false);
  interrupt_after(turn_steps_);
}

// A moment in which a lane stops and another one may go on is a step of its own, or a switch at
// that step would come too early, at the lane's last switch point before it.
void Engine::count_stop() {
  ++g_hot.step;
  ++decisions_;
}

// Every decision counts as a step, so that a step names one decision.
void Engine::count_decision(bool is_default) {
  if (config_.record_switches && !is_default) {
    result_.switches.push_back({g_hot.step, current_->id});
  }
  ++g_hot.step;
  ++decisions_;
}

void Engine::interrupt_after(std::uint64_t steps) {
  g_hot.interrupt_at = steps < ~g_hot.step ? g_hot.step + steps : ~std::uint64_t{0};
}

// The lane that ran waits, has ended or has used its steps up: whether another one of its wave goes
// on without the scheduler. Where steps are left run-to-block would do the same; that counts as a
// step too, or two moments in which a lane stops might have the same number.
bool Engine::next_lane_may_run() {
  if (stopped_ || give_way_) return false;
  const bool used_up = g_hot.step >= g_hot.interrupt_at;
  if (lanes_left_ == 0 ||
      (used_up && (lanes_left_ == kAnyLanes || virtual_time() >= next_timer_))) {
    return false;
  }
  if (used_up) {
    start_lane_turn();
    return true;
  }
  count_decision(true);
  if (lanes_left_ != kAnyLanes) {
    --lanes_left_;
    interrupt_after(turn_steps_);
  }
  return true;
}

}  // namespace rankle::sim
