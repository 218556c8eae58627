// Candidates by what they leave out: graphs, whole rounds, kinds of steps, buffers, windows of
// steps, groups; then by what the remaining steps say. Each is put in order by repaired(), so that
// a step takes with it what cannot be without it: a capture its end and its replays, a fork its
// join.
#include "generators/shrink_program.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <utility>

#include "generators/limits.h"
#include "generators/names.h"
#include "generators/program_model.h"
#include "generators/regroup_program.h"
#include "generators/repair_program.h"
#include "generators/tiling.h"

namespace rankle::detail {
namespace {

using Program = std::vector<Step>;

constexpr std::size_t kSingleEditsMax = 64;  // longer programs lose steps first and come back

class ProgramShrinker {
 public:
  ProgramShrinker(const Case& from, const Contract& contract)
      : from_(from), contract_(contract), setting_(setting_of(from, contract)) {}

  std::vector<Case> operator()() {
    const bool has_graphs = std::any_of(from_.program.begin(), from_.program.end(),
                                        [](const Step& s) { return s.kind == StepKind::capture; });
    if (has_graphs) offer(without_graphs(from_.program));
    drop_rounds();
    drop_kinds();
    drop_buffers();
    drop_windows();
    merge_replays();
    for (const Program& regrouped : with_two_graphs_as_one(from_.program)) offer(regrouped);
    for (const Program& regrouped : with_a_call_recorded(from_.program)) offer(regrouped);
    for (const Program& regrouped : with_a_replay_for_a_call(from_.program)) offer(regrouped);
    say_less();
    if (!from_.call_shapes.empty()) simplify_shapes();
    offer(from_.program);  // renumbered
    return std::move(found_);
  }

 private:
  void offer(const Program& steps) {
    Program program = repaired(steps, setting_);
    if (program.empty()) return;
    Case candidate = from_;
    candidate.program = std::move(program);
    renumber(candidate);
    found_.push_back(std::move(candidate));
  }

  template <class Dropped>
  void offer_without(Dropped dropped) {
    Program kept;
    std::copy_if(from_.program.begin(), from_.program.end(), std::back_inserter(kept),
                 [&](const Step& step) { return !dropped(step); });
    if (kept.size() < from_.program.size()) offer(kept);
  }

  template <class Edit>
  void offer_with(Edit edit) {
    Program edited = from_.program;
    for (Step& step : edited) edit(step);
    if (edited != from_.program) offer(edited);
  }

  // Rounds end with a check that waits.
  void drop_rounds() {
    std::vector<Program> rounds(1);
    for (const Step& step : from_.program) {
      rounds.back().push_back(step);
      if (step.kind == StepKind::check && !step.queued) rounds.emplace_back();
    }
    if (rounds.back().empty()) rounds.pop_back();
    const auto joined = [&](std::size_t begin, std::size_t end, std::size_t without) {
      Program program;
      for (std::size_t i = begin; i < end; ++i) {
        if (i != without) program.insert(program.end(), rounds[i].begin(), rounds[i].end());
      }
      return program;
    };
    const std::size_t count = rounds.size();
    for (std::size_t keep = 1; keep < count; keep = std::max(keep + 1, (keep + count) / 2)) {
      offer(joined(0, keep, count));
      offer(joined(count - keep, count, count));
    }
    // One round out of the middle: the earlier one prepares what the later one finds.
    for (std::size_t drop = 1; drop + 1 < count; ++drop) offer(joined(0, count, drop));
  }

  // Each kind alone and together with those before it. A sync or check of the last call lets later
  // steps go, so poison goes before sync.
  void drop_kinds() {
    using enum StepKind;
    std::vector<StepKind> gone;
    for (const StepKind kind : {delay, poison_scratch, poison_output, sync, seed_epochs, stream,
                                reconnect, overwrite, reallocate, deregister_buffer,
                                register_buffer, warm_up, destroy_graph, replay, capture}) {
      offer_without([&](const Step& step) { return step.kind == kind; });
      gone.push_back(kind);
      offer_without([&](const Step& step) {
        return std::find(gone.begin(), gone.end(), step.kind) != gone.end();
      });
    }
    // Without branches, and with what they did made in line.
    Program straight;
    for (Step step : from_.program) {
      step.aside = false;
      if (step.kind != fork && step.kind != join) straight.push_back(step);
    }
    if (straight.size() < from_.program.size()) offer(straight);
  }

  void drop_buffers() {
    const int buffers = from_.buffers();
    for (int b = 0; buffers > 1 && b < buffers; ++b) {
      offer_without([b](const Step& step) { return step.buffer == b; });
      offer_with([b](Step& step) {
        if (step.buffer == b) step.buffer = 0;
      });
    }
  }

  void drop_windows() {
    const std::size_t count = from_.program.size();
    for (std::size_t length = (count + 1) / 2; length > 0; length /= 2) {
      // Overlapping by half where there are few, so that no group is cut by every window.
      const std::size_t stride = count > kSingleEditsMax ? length : (length + 1) / 2;
      for (std::size_t begin = 0; begin < count; begin += stride) {
        const auto first = from_.program.begin() + static_cast<std::ptrdiff_t>(begin);
        Program kept(from_.program.begin(), first);
        kept.insert(
            kept.end(),
            from_.program.begin() + static_cast<std::ptrdiff_t>(std::min(begin + length, count)),
            from_.program.end());
        offer(kept);
      }
    }
  }

  // Two replays of one graph as one of so many times.
  void merge_replays() {
    const Program& program = from_.program;
    for (std::size_t i = 0; i < program.size(); ++i) {
      if (program[i].kind != StepKind::replay) continue;
      for (std::size_t j = i + 1; j < program.size(); ++j) {
        const Step& later = program[j];
        if (later.kind != StepKind::replay || later.graph != program[i].graph) continue;
        Program fewer = program;
        fewer[i].times = std::min(fewer[i].times + later.times, kReplayTimesMax);
        fewer[i].round = free_round();
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(j));
        offer(fewer);
        break;
      }
    }
  }

  int free_round() const {
    int free = 0;
    for (const Step& step : from_.program) free = std::max(free, step.round + step.times);
    return free;
  }

  // One thing less said by all steps that say it, then by each alone.
  template <class Edit>
  void say_less_by(Edit edit) {
    offer_with(edit);
    std::size_t edits = 0;
    for (std::size_t i = 0; i < from_.program.size() && edits < kSingleEditsMax; ++i) {
      Program edited = from_.program;
      edit(edited[i]);
      if (edited == from_.program) continue;
      ++edits;
      offer(edited);
    }
  }

  void say_less() {
    say_less_by([](Step& step) { step.times = 1; });
    say_less_by([](Step& step) { step.times = std::max(step.times - 1, 1); });
    say_less_by([](Step& step) { step.shape = 0; });
    say_less_by([](Step& step) { step.staged = false; });
    say_less_by([](Step& step) { step.copied = false; });
    say_less_by([](Step& step) { step.queued = false; });
    say_less_by([](Step& step) {
      if (step.kind == StepKind::sync) step.rank = -1;
    });
    for (const std::int64_t divisor : {16, 2}) {
      say_less_by([divisor](Step& step) {
        if (step.kind == StepKind::delay) {
          step.amount = std::max<std::int64_t>(step.amount / divisor, 1);
        }
      });
    }
  }

  void simplify_shapes() {
    for (std::size_t s = 0; s < from_.call_shapes.size(); ++s) {
      const auto number = static_cast<int>(s) + 1;
      for (int other = 0; other < number; ++other) {
        offer_with([=](Step& step) {
          if (step.shape == number) step.shape = other;
        });
      }
      const auto with = [&](auto edit) {
        Case candidate = from_;
        edit(candidate.call_shapes[s]);
        if (candidate != from_) found_.push_back(std::move(candidate));
      };
      with([&](CallShape& shape) { shape.blocks = from_.geometry.blocks; });
      with([&](CallShape& shape) { shape.threads = from_.geometry.threads; });
      with([&](CallShape& shape) { shape.accum = from_.accum; });
      const CallShape& old = from_.call_shapes[s];
      const std::int64_t granule =
          granule_bytes(contract_, old.dtype) / static_cast<std::int64_t>(size_of(old.dtype));
      for (const std::int64_t count :
           {std::int64_t{0}, granule, old.count / 2 / granule * granule, old.count - granule}) {
        with(
            [&](CallShape& shape) { shape.count = std::clamp<std::int64_t>(count, 0, old.count); });
      }
    }
  }

  const Case& from_;
  const Contract& contract_;
  const ProgramSetting setting_;
  std::vector<Case> found_;
};

}  // namespace

std::vector<Case> smaller_programs(const Case& c, const Contract& contract) {
  return ProgramShrinker(c, contract)();
}

}  // namespace rankle::detail
