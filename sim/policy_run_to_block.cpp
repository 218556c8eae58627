// Run-to-block: an entity runs until it waits or ends; then the one of the lowest rank that has
// been runnable longest goes on. With an explicit list of switches this is also the form in which
// minimised schedules are kept: at step s the named entity runs next, if it can. A switch to the
// wave that runs already passes on to its next lane.
#include <algorithm>

#include "sim/random_turn.h"

namespace rankle::sim {
namespace {

class RunToBlock : public Scheduler {
 public:
  void new_execution(const Config& config, Runnable&) override {
    switches_ = config.switches;
    position_ = 0;
    random_from_ = config.random_from;
    random_ = Random(config.seed);
  }

  Turn next(Runnable& runnable, Entity* current, std::uint64_t step) override {
    if (step >= random_from_) {
      return random_turn(runnable.at(random_.below(runnable.size())), random_);
    }
    const bool goes_on = current != nullptr && current->is_runnable();
    Turn turn;
    turn.entity = goes_on ? current : runnable.oldest_of_lowest_rank();
    turn.is_default = true;
    while (position_ < switches_.size() && switches_[position_].step <= step) {
      Entity* const wanted = runnable.find(switches_[position_++].entity);
      if (wanted == nullptr) continue;
      turn.is_default = !goes_on && wanted == turn.entity;
      turn.entity = wanted;
    }
    std::uint64_t until = random_from_;
    if (position_ < switches_.size()) until = std::min(until, switches_[position_].step);
    if (until != ~std::uint64_t{0}) turn.steps = until - std::min(until, step + 1);
    return turn;
  }

 private:
  std::vector<Switch> switches_;
  std::size_t position_ = 0;
  std::uint64_t random_from_ = 0;
  Random random_{0};
};

}  // namespace

std::unique_ptr<Scheduler> make_run_to_block() { return std::make_unique<RunToBlock>(); }

}  // namespace rankle::sim
