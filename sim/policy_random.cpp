// Random walk: a uniformly drawn entity runs next, for one of the turns of random_turn.h.
#include "sim/random_turn.h"

namespace rankle::sim {
namespace {

class RandomWalk : public Scheduler {
 public:
  void new_execution(const Config& config, Runnable&) override { random_ = Random(config.seed); }

  Turn next(Runnable& runnable, Entity*, std::uint64_t) override {
    return random_turn(runnable.at(random_.below(runnable.size())), random_);
  }

 private:
  Random random_{0};
};

}  // namespace

std::unique_ptr<Scheduler> make_random() { return std::make_unique<RandomWalk>(); }

}  // namespace rankle::sim
