// The set of runnable entities, and which policy a configuration names.
#include "sim/schedule.h"

namespace rankle::sim {

void Runnable::add(Entity* entity) {
  if (entity->is_runnable()) return;
  entity->position = by_position_.size();
  by_position_.push_back(entity);
  link_back(entity);
  if (listener_ != nullptr) listener_->became_runnable(entity);
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
  for (Queue& queue : by_rank_) queue = {};
  now_ = 0;
  listener_ = nullptr;
}

Entity* Runnable::oldest() const {
  Entity* first = nullptr;
  for (const Queue& queue : by_rank_) {
    if (queue.head != nullptr && (first == nullptr || queue.head->since < first->since)) {
      first = queue.head;
    }
  }
  return first;
}

Entity* Runnable::oldest_of_lowest_rank() const {
  for (const Queue& queue : by_rank_) {
    if (queue.head != nullptr) return queue.head;
  }
  return nullptr;
}

Entity* Runnable::find(std::uint64_t id) const {
  for (Entity* entity : by_position_) {
    if (entity->id == id) return entity;
  }
  return nullptr;
}

void Runnable::move_to_back(Entity* entity) {
  unlink(entity);
  link_back(entity);
}

void Runnable::link_back(Entity* entity) {
  Queue& queue = by_rank_[rank_of(entity->id)];
  entity->since = now_++;
  entity->previous = queue.tail;
  entity->next = nullptr;
  (queue.tail == nullptr ? queue.head : queue.tail->next) = entity;
  queue.tail = entity;
}

void Runnable::unlink(Entity* entity) {
  Queue& queue = by_rank_[rank_of(entity->id)];
  (entity->previous == nullptr ? queue.head : entity->previous->next) = entity->next;
  (entity->next == nullptr ? queue.tail : entity->next->previous) = entity->previous;
  entity->previous = entity->next = nullptr;
}

std::unique_ptr<Scheduler> make_scheduler(const Config& config) {
  switch (config.policy) {
    case Policy::run_to_block:
      return make_run_to_block();
    case Policy::round_robin:
      return make_round_robin();
    case Policy::random:
      return make_random();
    case Policy::pct:
      return make_pct();
    case Policy::starvation:
      return make_starvation();
    case Policy::rank_late:
      return make_rank_late();
    case Policy::rank_early:
      return make_rank_early();
  }
  return make_run_to_block();
}

}  // namespace rankle::sim
