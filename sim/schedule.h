// Scheduling policies: who runs at the next step. One file per policy; a policy sees the runnable
// entities and the one that ran last, and picks. (The shape is shuttle's Scheduler.)
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/entity.h"
#include "sim/machine.h"

namespace rankle::sim {

// The runnable entities, by position (for random picks) and, for each rank, in order of becoming
// runnable.
class Runnable {
 public:
  void add(Entity* entity);
  void remove(Entity* entity);
  void clear();

  bool empty() const { return by_position_.empty(); }
  std::size_t size() const { return by_position_.size(); }
  Entity* at(std::size_t position) const { return by_position_[position]; }
  // Runnable longest, of all ranks or of the lowest rank that has any. Not called when empty.
  Entity* oldest() const;
  Entity* oldest_of_lowest_rank() const;
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
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;

  // A run starts. Everything that the policy draws comes from config.seed.
  virtual void new_execution(const Config& config) = 0;

  // First step at which a running entity has to be interrupted and `next` asked. Before it, only
  // entities that block, end or park give way. Asked again after each `next`.
  virtual std::uint64_t next_interrupt() const = 0;

  // Picks from `runnable`, which is not empty. `current` ran last; it may have become unrunnable.
  virtual Entity* next(Runnable& runnable, Entity* current, std::uint64_t step) = 0;

  // Picks among the ready lanes of a wave. `ready` is not 0; `last` ran last.
  virtual int next_lane(std::uint64_t ready, int last);
};

std::unique_ptr<Scheduler> make_scheduler(const Config& config);

std::unique_ptr<Scheduler> make_run_to_block();
std::unique_ptr<Scheduler> make_round_robin();
std::unique_ptr<Scheduler> make_random();

// splitmix64: the simulator's only source of random numbers, seeded by the configuration.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // Uniform in [0, bound), bound > 0; the bias of the multiply-shift is below 2^-32 here.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }

 private:
  std::uint64_t state_;
};

}  // namespace rankle::sim
