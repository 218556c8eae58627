// One rank late, one rank early: a drawn rank runs only when no other rank can, or whenever it can.
// The others, or it, take random turns. Collectives assume that ranks arrive together; most of
// their bugs need one that does not.
#include "sim/random_turn.h"

namespace rankle::sim {
namespace {

class RankSkew : public Scheduler {
 public:
  explicit RankSkew(bool early) : early_(early) {}

  void new_execution(const Config& config, Runnable&) override {
    random_ = Random(config.seed);
    rank_ = static_cast<int>(random_.below(static_cast<std::uint64_t>(config.devices)));
  }

  Turn next(Runnable& runnable, Entity*, std::uint64_t) override {
    return random_turn(pick(runnable), random_);
  }

 private:
  Entity* pick(Runnable& runnable) {
    Entity* const skewed = runnable.oldest_of(rank_);
    if (early_ && skewed != nullptr) {
      runnable.move_to_back(skewed);
      return skewed;
    }
    constexpr int kTries = 8;
    for (int i = 0; i < kTries; ++i) {
      Entity* const drawn = runnable.at(random_.below(runnable.size()));
      if (rank_of(drawn->id) != rank_) return drawn;
    }
    for (std::size_t i = 0; i < runnable.size(); ++i) {
      if (rank_of(runnable.at(i)->id) != rank_) return runnable.at(i);
    }
    runnable.move_to_back(skewed);
    return skewed;
  }

  const bool early_;
  Random random_{0};
  int rank_ = 0;
};

}  // namespace

std::unique_ptr<Scheduler> make_rank_late() { return std::make_unique<RankSkew>(false); }
std::unique_ptr<Scheduler> make_rank_early() { return std::make_unique<RankSkew>(true); }

}  // namespace rankle::sim
