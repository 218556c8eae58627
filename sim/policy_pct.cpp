// PCT: probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS
// 2010). Every entity has a random priority and the highest runnable one runs; at depth - 1 steps
// drawn below the horizon, the entity that runs falls behind all others. A bug that needs d
// ordering constraints, among n entities and k steps, is hit with a probability of at least 1/(n
// k^(d-1)).
//
// Departures: the lanes of a wave share its priority and run one after another; an entity that
// spins is parked and gives way, which is what makes spinning kernels end and voids the bound.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "sim/hot.h"
#include "sim/random.h"
#include "sim/schedule.h"

namespace rankle::sim {
namespace {

class Pct : public Scheduler, public RunnableListener {
 public:
  void new_execution(const Config& config, Runnable& runnable) override {
    seed_ = config.seed;
    Random random(config.seed);
    points_.clear();
    // The i-th drawn point lowers to priority i: which fall is the deepest is independent of which
    // comes first.
    for (int i = 1; i < config.depth; ++i) {
      points_.emplace_back(1 + random.below(std::max<std::uint64_t>(config.horizon, 1)), i);
    }
    std::sort(points_.begin(), points_.end());
    passed_ = 0;
    lowered_.clear();
    queue_.clear();
    running_ = 0;
    runnable.listen(this);
  }

  void became_runnable(Entity* entity) override {
    const std::uint64_t priority = priority_of(entity->id);
    queue_.push_back({priority, entity->id, entity});
    std::push_heap(queue_.begin(), queue_.end());
    if (priority > running_) g_hot.interrupt_at = 0;
  }

  Turn next(Runnable& runnable, Entity* current, std::uint64_t step) override {
    while (passed_ < points_.size() && points_[passed_].first <= step) {
      const auto priority = static_cast<std::uint64_t>(points_[passed_++].second);
      if (current == nullptr) continue;
      lowered_[current->id] = priority;
      if (current->is_runnable()) became_runnable(current);
    }
    while (is_stale(queue_.front())) {
      std::pop_heap(queue_.begin(), queue_.end());
      queue_.pop_back();
    }
    static_cast<void>(runnable);
    running_ = queue_.front().priority;
    Turn turn{queue_.front().entity};
    if (passed_ < points_.size()) turn.steps = points_[passed_].first - step - 1;
    return turn;
  }

 private:
  struct Entry {
    std::uint64_t priority;
    std::uint64_t id;  // storage is used again: the entity may be another one by now
    Entity* entity;
    friend bool operator<(const Entry& a, const Entry& b) { return a.priority < b.priority; }
  };

  // Above all that a change point gives.
  std::uint64_t priority_of(std::uint64_t id) const {
    const auto lowered = lowered_.find(id);
    if (lowered != lowered_.end()) return lowered->second;
    return Random::mixed(seed_ ^ Random::mixed(id)) | std::uint64_t{1} << 63;
  }
  bool is_stale(const Entry& entry) const {
    return entry.entity->id != entry.id || !entry.entity->is_runnable() ||
           entry.priority != priority_of(entry.id);
  }

  std::uint64_t seed_ = 0;
  std::vector<std::pair<std::uint64_t, int>> points_;  // step, priority from then on
  std::size_t passed_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> lowered_;
  std::vector<Entry> queue_;  // a heap; entries of what has stopped running are dropped late
  std::uint64_t running_ = 0;
};

}  // namespace

std::unique_ptr<Scheduler> make_pct() { return std::make_unique<Pct>(); }

}  // namespace rankle::sim
