// Starvation windows: a random walk in which, for a while, one wave, one block or one rank does not
// run unless nothing else can. Windows are short to long, a fifth of the horizon at most, with
// pauses between them: what a preempted, throttled or paging device looks like to its peers.
#include <algorithm>

#include "sim/random_turn.h"

namespace rankle::sim {
namespace {

constexpr int kTries = 16;

class Starvation : public Scheduler {
 public:
  void new_execution(const Config& config, Runnable&) override {
    random_ = Random(config.seed);
    horizon_ = std::max<std::uint64_t>(config.horizon, 64);
    is_open_ = false;
    boundary_ = random_.below(horizon_);
  }

  Turn next(Runnable& runnable, Entity*, std::uint64_t step) override {
    if (step >= boundary_) turn_page(runnable, step);
    Turn turn = random_turn(pick(runnable), random_);
    turn.steps = std::min(turn.steps, boundary_ - step);
    return turn;
  }

 private:
  // Opens a window on a victim, or closes the one that is open.
  void turn_page(const Runnable& runnable, std::uint64_t step) {
    is_open_ = !is_open_;
    if (!is_open_) {
      boundary_ = step + random_.log_uniform(16, horizon_);
      return;
    }
    victim_ = runnable.at(random_.below(runnable.size()))->id;
    constexpr std::uint64_t kParts[] = {wave_part, block_part, rank_part};
    part_ = (victim_ >> 60) == 0 ? rank_part : kParts[random_.below(3)];
    boundary_ = step + random_.log_uniform(8, std::max<std::uint64_t>(horizon_ / 5, 8));
  }

  bool is_victim(std::uint64_t id) const {
    if (!is_open_) return false;
    if (part_ == rank_part) return rank_of(id) == rank_of(victim_);
    return (id & part_) == (victim_ & part_);
  }

  Entity* pick(const Runnable& runnable) {
    for (int i = 0; i < kTries; ++i) {
      Entity* const drawn = runnable.at(random_.below(runnable.size()));
      if (!is_victim(drawn->id)) return drawn;
    }
    for (std::size_t i = 0; i < runnable.size(); ++i) {
      if (!is_victim(runnable.at(i)->id)) return runnable.at(i);
    }
    return runnable.at(random_.below(runnable.size()));
  }

  // Bits of an id (entity.h) that a victim's companions share with it.
  static constexpr std::uint64_t wave_part = ~std::uint64_t{0};
  static constexpr std::uint64_t block_part = ~std::uint64_t{0xff};
  static constexpr std::uint64_t rank_part = 0;

  Random random_{0};
  std::uint64_t horizon_ = 0;
  std::uint64_t boundary_ = 0;  // step at which the window opens or closes
  bool is_open_ = false;
  std::uint64_t victim_ = 0;
  std::uint64_t part_ = wave_part;
};

}  // namespace

std::unique_ptr<Scheduler> make_starvation() { return std::make_unique<Starvation>(); }

}  // namespace rankle::sim
