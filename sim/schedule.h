// Scheduling policies: who runs at the next step. One file per policy; a policy sees the runnable
// entities and the one that ran last, and picks. (The shape is shuttle's Scheduler.)
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/entity.h"
#include "sim/machine.h"

namespace rankle::sim {

// Hears of every entity that becomes runnable.
class RunnableListener {
 public:
  virtual ~RunnableListener() = default;
  virtual void became_runnable(Entity* entity) = 0;
};

// The runnable entities, by position (for random picks) and, for each rank, in order of becoming
// runnable.
class Runnable {
 public:
  void add(Entity* entity);
  void remove(Entity* entity);
  void clear();
  void listen(RunnableListener* listener) { listener_ = listener; }

  bool empty() const { return by_position_.empty(); }
  std::size_t size() const { return by_position_.size(); }
  Entity* at(std::size_t position) const { return by_position_[position]; }
  // Runnable longest, of all ranks, of one rank, or of the lowest rank that has any. Not called
  // when empty; nullptr if the one rank has none.
  Entity* oldest() const;
  Entity* oldest_of(int rank) const { return by_rank_[rank].head; }
  Entity* oldest_of_lowest_rank() const;
  // The runnable entity of that id; nullptr if there is none.
  Entity* find(std::uint64_t id) const;
  // Puts an entity behind all others.
  void move_to_back(Entity* entity);

 private:
  void link_back(Entity* entity);
  void unlink(Entity* entity);

  std::vector<Entity*> by_position_;
  struct Queue {
    Entity* head = nullptr;
    Entity* tail = nullptr;
  };
  Queue by_rank_[16];
  std::uint64_t now_ = 0;
  RunnableListener* listener_ = nullptr;
};

// A decision: `entity` runs until it waits or ends, or has passed `steps` switch points. Of a wave,
// `lanes` lanes get such a turn one after another, before `next` is asked again.
struct Turn {
  static constexpr std::uint64_t kUntilItWaits = ~std::uint64_t{0};
  static constexpr int kWholeWave = 64;

  Entity* entity = nullptr;
  std::uint64_t steps = kUntilItWaits;
  int lanes = 1;
  // What run-to-block would have chosen anyway: needs no switch to be repeated.
  bool is_default = false;
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;

  // A run starts. Everything that the policy draws comes from config.seed. A policy that wants to
  // hear of entities becoming runnable says so to `runnable`.
  virtual void new_execution(const Config& config, Runnable& runnable) = 0;

  // Picks from `runnable`, which is not empty. `current` ran last; it may have become unrunnable,
  // and is nullptr if it is gone.
  virtual Turn next(Runnable& runnable, Entity* current, std::uint64_t step) = 0;
};

std::unique_ptr<Scheduler> make_scheduler(const Config& config);

std::unique_ptr<Scheduler> make_run_to_block();
std::unique_ptr<Scheduler> make_round_robin();
std::unique_ptr<Scheduler> make_random();
std::unique_ptr<Scheduler> make_pct();
std::unique_ptr<Scheduler> make_starvation();
std::unique_ptr<Scheduler> make_rank_late();
std::unique_ptr<Scheduler> make_rank_early();

}  // namespace rankle::sim
