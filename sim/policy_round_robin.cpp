// Round-robin: every entity makes one step, each lane of a wave one, and goes to the back of the
// queue, so that all ranks, blocks and waves advance at the same rate. The closest to lock step
// that the simulator has.
#include "sim/schedule.h"

namespace rankle::sim {
namespace {

class RoundRobin : public Scheduler {
 public:
  void new_execution(const Config&, Runnable&) override {}

  Turn next(Runnable& runnable, Entity*, std::uint64_t) override {
    Entity* const chosen = runnable.oldest();
    runnable.move_to_back(chosen);
    return {chosen, 1, Turn::kWholeWave};
  }
};

}  // namespace

std::unique_ptr<Scheduler> make_round_robin() { return std::make_unique<RoundRobin>(); }

}  // namespace rankle::sim
