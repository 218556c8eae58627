#include "sim/schedule.h"

#include <bit>

namespace rankle::sim {

void Runnable::add(Entity* entity) {
  if (entity->is_runnable()) return;
  entity->position = by_position_.size();
  by_position_.push_back(entity);
  link_back(entity);
}

void Runnable::remove(Entity* entity) {
  if (!entity->is_runnable()) return;
  Entity* const last = by_position_.back();
  by_position_[entity->position] = last;
  last->position = entity->position;
  by_position_.pop_back();
  entity->position = Entity::npos;
  unlink(entity);
}

void Runnable::clear() {
  by_position_.clear();
  head_ = tail_ = nullptr;
}

void Runnable::move_to_back(Entity* entity) {
  unlink(entity);
  link_back(entity);
}

void Runnable::link_back(Entity* entity) {
  entity->previous = tail_;
  entity->next = nullptr;
  (tail_ == nullptr ? head_ : tail_->next) = entity;
  tail_ = entity;
}

void Runnable::unlink(Entity* entity) {
  (entity->previous == nullptr ? head_ : entity->previous->next) = entity->next;
  (entity->next == nullptr ? tail_ : entity->next->previous) = entity->previous;
  entity->previous = entity->next = nullptr;
}

int Scheduler::next_lane(std::uint64_t ready, int last) {
  const std::uint64_t above = last >= 63 ? 0 : ready & (~std::uint64_t{0} << (last + 1));
  return std::countr_zero(above != 0 ? above : ready);
}

std::unique_ptr<Scheduler> make_scheduler(const Config& config) {
  switch (config.policy) {
    case Policy::run_to_block:
      return make_run_to_block();
    case Policy::round_robin:
      return make_round_robin();
    case Policy::random:
      return make_random();
  }
  return make_run_to_block();
}

}  // namespace rankle::sim
