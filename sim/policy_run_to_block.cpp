// Run-to-block: an entity runs until it waits or ends; then the one that has been runnable longest
// goes on. With an explicit list of switches this is also the form in which minimised schedules are
// kept: at step s the named entity runs next, if it can.
#include "sim/schedule.h"

namespace rankle::sim {
namespace {

class RunToBlock : public Scheduler {
 public:
  void new_execution(const Config& config) override {
    switches_ = config.switches;
    position_ = 0;
  }

  std::uint64_t next_interrupt() const override {
    return position_ < switches_.size() ? switches_[position_].step : ~std::uint64_t{0};
  }

  Entity* next(Runnable& runnable, Entity* current, std::uint64_t step) override {
    Entity* chosen = nullptr;
    while (position_ < switches_.size() && switches_[position_].step <= step) {
      const std::uint64_t wanted = switches_[position_++].entity;
      for (std::size_t i = 0; i < runnable.size(); ++i) {
        if (runnable.at(i)->id == wanted) chosen = runnable.at(i);
      }
    }
    if (chosen != nullptr) return chosen;
    if (current != nullptr && current->is_runnable()) return current;
    return runnable.oldest_of_lowest_rank();
  }

 private:
  std::vector<Switch> switches_;
  std::size_t position_ = 0;
};

}  // namespace

std::unique_ptr<Scheduler> make_run_to_block() { return std::make_unique<RunToBlock>(); }

}  // namespace rankle::sim
