// See schedule_minimiser.h.
#include "repro/schedule_minimiser.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "generators/limits.h"

namespace rankle {
namespace {

Case with_switches(const Case& c, std::vector<Switch> switches) {
  Case other = c;
  other.schedule.policy = Policy::run_to_block;
  other.schedule.seed = 0;
  other.schedule.depth = 0;
  other.schedule.horizon = 0;
  other.schedule.switches = std::move(switches);
  return other;
}

class SwitchList {
 public:
  SwitchList(const Case& c, std::vector<Switch> switches, const FailingRun& run)
      : case_(c), kept_(std::move(switches)), run_(run) {}

  // Drops parts, halves first, down to single switches.
  std::vector<Switch> minimise() {
    if (!kept_.empty()) drop(0, kept_.size());
    std::size_t part = (kept_.size() + 1) / 2;
    while (part > 0 && !kept_.empty()) {
      const bool dropped = drop_parts(part);
      if (part == 1 && !dropped) break;
      part = dropped ? std::min(part, (kept_.size() + 1) / 2) : (part + 1) / 2;
    }
    return kept_;
  }

 private:
  bool drop_parts(std::size_t part) {
    bool any = false;
    // From the end: what comes after a dropped switch changes its meaning.
    for (std::size_t end = kept_.size(); end > 0;) {
      const std::size_t begin = end > part ? end - part : 0;
      if (drop(begin, end)) any = true;
      end = std::min(begin, kept_.size());
    }
    return any;
  }

  bool drop(std::size_t begin, std::size_t end) {
    std::vector<Switch> fewer(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(begin));
    fewer.insert(fewer.end(), kept_.begin() + static_cast<std::ptrdiff_t>(end), kept_.end());
    const std::optional<Verdict> verdict = run_(with_switches(case_, fewer));
    if (!verdict) return false;
    // Of those that are left some may have come to nothing.
    kept_ = verdict->switches.size() <= fewer.size() ? verdict->switches : fewer;
    return true;
  }

  const Case& case_;
  std::vector<Switch> kept_;
  const FailingRun& run_;
};

}  // namespace

std::optional<Case> minimise_schedule(const Case& c, const FailingRun& run) {
  const std::optional<Verdict> recorded = run(c);
  if (!recorded || recorded->switches.size() > kSwitchesMax) return std::nullopt;
  const std::optional<Verdict> repeated = run(with_switches(c, recorded->switches));
  if (!repeated) return std::nullopt;
  return with_switches(c, SwitchList(c, repeated->switches, run).minimise());
}

Certainty find_certainty(std::uint64_t steps, int runs, const Continuation& fails) {
  const auto failed_after = [&](std::uint64_t step) {
    int failed = 0;
    for (int i = 0; i < runs; ++i) failed += fails(step, static_cast<std::uint64_t>(i)) ? 1 : 0;
    return failed;
  };
  const int at_once = failed_after(0);
  if (at_once == runs) return {0, runs, runs};
  std::uint64_t open = 0;  // not certain yet
  int failed_open = at_once;
  std::uint64_t certain = steps;
  while (certain - open > 1) {
    const std::uint64_t middle = open + (certain - open) / 2;
    const int failed = failed_after(middle);
    if (failed == runs) {
      certain = middle;
    } else {
      open = middle;
      failed_open = failed;
    }
  }
  return {certain, runs, failed_open};
}

}  // namespace rankle
