// See minimiser.h.
#include "repro/minimiser.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>
#include <utility>

#include "generators/case_json.h"
#include "generators/shrink.h"
#include "harness/interrupted.h"
#include "repro/schedule_minimiser.h"

namespace rankle {
namespace {

// A candidate of a hang costs its whole deadline, so hangs get a shorter one while minimising.
constexpr double kHangDeadlineMin_s = 0.5;
constexpr double kHangDeadlineShare = 1.0 / 16;

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool is_hang(const Verdict& verdict) {
  return std::any_of(verdict.findings.begin(), verdict.findings.end(),
                     [](const Finding& f) { return f.kind == FindingKind::timeout; });
}

class Search {
 public:
  Search(const Contract& contract, Executor& executor, const MinimiseOptions& options)
      : contract_(contract), executor_(executor), options_(options), run_(options.run) {
    clock_ = options.clock_s ? options.clock_s : steady_seconds;
    started_ = clock_();
  }

  Minimised run(const Case& input) {
    result_.smallest = input;
    remember(input);
    if (!try_run(input)) return finish(end_.value_or(MinimiseEnd::not_reproduced));
    result_.verdict = last_;
    if (is_hang(last_)) {
      run_.deadline_s = std::min(
          run_.deadline_s, std::max(kHangDeadlineMin_s, options_.seconds_max * kHangDeadlineShare));
    }
    descend();
    // What is left may have a policy that matters: its decisions shrink apart, and then the case
    // once more, under fixed switches.
    if (shrink_schedule()) descend();
    if (run_.deadline_s != options_.run.deadline_s) confirm_with_full_deadline(input);
    return finish(end_.value_or(MinimiseEnd::minimal));
  }

 private:
  // Greedy descent. `place` is where in the candidate list the search stands; it survives an
  // accepted candidate, and a round is complete when `untried` comes down to zero.
  void descend() {
    std::vector<Case> candidates = candidates_of(result_.smallest);
    std::size_t place = 0;
    std::size_t untried = candidates.size();
    while (untried > 0 && !out_of_budget()) {
      place %= candidates.size();
      const Case& candidate = candidates[place];
      if (!acceptable(candidate)) {
        ++place;
        --untried;
        continue;
      }
      if (end_) return;
      accept(Case(candidate));
      candidates = candidates_of(result_.smallest);
      untried = candidates.size();
    }
  }

  // True if the schedule has become a list of switches.
  bool shrink_schedule() {
    if (result_.smallest.schedule.policy == Policy::run_to_block || out_of_budget()) return false;
    const auto failing_run = [this](const Case& c) -> std::optional<Verdict> {
      if (out_of_budget()) return std::nullopt;
      RunOptions recording = run_;
      recording.record_switches = true;
      std::swap(run_, recording);
      const bool failed = try_run(c);
      std::swap(run_, recording);
      return failed ? std::optional(last_) : std::nullopt;
    };
    const std::optional<Case> smaller = minimise_schedule(result_.smallest, failing_run);
    if (!smaller || validate(*smaller, contract_) || !try_run(*smaller)) return false;
    accept(*smaller);
    return true;
  }

  void accept(const Case& c) {
    result_.smallest = c;
    result_.verdict = last_;
    ++result_.accepted;
    if (options_.accepted) options_.accepted(result_.smallest, result_.verdict);
  }

  // Strictly smaller ones only: this is what makes the descent end and its result no larger.
  std::vector<Case> candidates_of(const Case& c) const {
    std::vector<Case> candidates = smaller_cases(c, contract_);
    const Complexity size = complexity(c);
    std::erase_if(candidates, [&](const Case& smaller) { return complexity(smaller) >= size; });
    return candidates;
  }

  bool acceptable(const Case& candidate) {
    if (!remember(candidate)) {
      ++result_.duplicates;
      return false;
    }
    return try_run(candidate);
  }

  // False if this case has been run already.
  bool remember(const Case& c) { return seen_.insert(case_to_json(c).dump()).second; }

  bool try_run(const Case& c) {
    ++result_.attempts;
    try {
      last_ = executor_.run(c, run_);
    } catch (const Interrupted&) {
      end_ = MinimiseEnd::stopped;
      return false;
    }
    if (last_.outcome == Outcome::environment_error) {
      result_.error = last_.error;
      end_ = MinimiseEnd::environment_error;
      return false;
    }
    return shows(last_, c, options_.signatures, run_.keep_going);
  }

  bool out_of_budget() {
    if (end_) return true;
    if (options_.stop && options_.stop()) {
      end_ = MinimiseEnd::stopped;
    } else if (result_.attempts >= options_.attempts_max) {
      end_ = MinimiseEnd::out_of_attempts;
    } else if (clock_() - started_ >= options_.seconds_max) {
      end_ = MinimiseEnd::out_of_time;
    }
    return end_.has_value();
  }

  // A slow case can pass for a hang under the short deadline: then the input itself is the answer.
  void confirm_with_full_deadline(const Case& input) {
    if (result_.smallest == input || end_ == MinimiseEnd::environment_error) return;
    run_ = options_.run;
    if (try_run(result_.smallest)) {
      result_.verdict = last_;
      return;
    }
    result_.smallest = input;
    result_.accepted = 0;
    if (try_run(input)) result_.verdict = last_;
    if (options_.accepted) options_.accepted(result_.smallest, result_.verdict);
  }

  Minimised finish(MinimiseEnd end) {
    result_.end = end;
    result_.seconds = clock_() - started_;
    if (end == MinimiseEnd::not_reproduced) result_.verdict = last_;
    return std::move(result_);
  }

  const Contract& contract_;
  Executor& executor_;
  const MinimiseOptions& options_;
  RunOptions run_;
  std::function<double()> clock_;
  double started_ = 0;
  Minimised result_;
  Verdict last_;  // of the latest run
  std::optional<MinimiseEnd> end_;
  std::unordered_set<std::string> seen_;  // canonical JSON of every case that was run
};

}  // namespace

Minimised minimise(const Case& input, const Contract& contract, Executor& executor,
                   const MinimiseOptions& options) {
  return Search(contract, executor, options).run(input);
}

bool shows(const Verdict& verdict, const Case& c, const std::vector<std::string>& signatures,
           bool keep_going) {
  if (verdict.findings.empty() || signatures.empty()) return false;
  std::vector<std::string> found;
  found.reserve(verdict.findings.size());
  for (const Finding& f : verdict.findings) found.push_back(signature_of(f, c.target));
  if (!keep_going && found.front() != signatures.front()) return false;
  return std::all_of(signatures.begin(), signatures.end(), [&](const std::string& wanted) {
    return std::find(found.begin(), found.end(), wanted) != found.end();
  });
}

std::string_view name_of(MinimiseEnd end) {
  switch (end) {
    case MinimiseEnd::minimal:
      return "minimal";
    case MinimiseEnd::out_of_time:
      return "out of time";
    case MinimiseEnd::out_of_attempts:
      return "out of attempts";
    case MinimiseEnd::stopped:
      return "stopped";
    case MinimiseEnd::not_reproduced:
      return "not reproduced";
    case MinimiseEnd::environment_error:
      return "environment error";
  }
  return "unknown";
}

}  // namespace rankle
