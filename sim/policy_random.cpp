// Random walk: at every switch point a uniformly drawn entity runs next, and inside a wave a
// uniformly drawn lane in a quarter of the steps (lanes of a wave rarely drift far apart on a GPU).
#include <bit>

#include "sim/schedule.h"

namespace rankle::sim {
namespace {

class RandomWalk : public Scheduler {
 public:
  void new_execution(const Config& config) override { random_ = Random(config.seed); }

  std::uint64_t next_interrupt() const override { return 0; }

  Entity* next(Runnable& runnable, Entity*, std::uint64_t) override {
    return runnable.at(random_.below(runnable.size()));
  }

  int next_lane(std::uint64_t ready, int last) override {
    const std::uint64_t draw = random_.next();
    if ((draw & 3) != 0) return Scheduler::next_lane(ready, last);
    auto skip = (draw >> 32) % static_cast<unsigned>(std::popcount(ready));
    for (; skip > 0; --skip) ready &= ready - 1;
    return std::countr_zero(ready);
  }

 private:
  Random random_{0};
};

}  // namespace

std::unique_ptr<Scheduler> make_random() { return std::make_unique<RandomWalk>(); }

}  // namespace rankle::sim
