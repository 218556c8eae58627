// Round-robin: at every switch point the entity goes to the back of the queue, so that all ranks,
// blocks and waves advance at the same rate. The closest to lock step that the simulator has.
#include "sim/schedule.h"

namespace rankle::sim {
namespace {

class RoundRobin : public Scheduler {
 public:
  void new_execution(const Config&) override {}

  std::uint64_t next_interrupt() const override { return 0; }

  Entity* next(Runnable& runnable, Entity*, std::uint64_t) override {
    Entity* const chosen = runnable.oldest();
    runnable.move_to_back(chosen);
    return chosen;
  }
};

}  // namespace

std::unique_ptr<Scheduler> make_round_robin() { return std::make_unique<RoundRobin>(); }

}  // namespace rankle::sim
