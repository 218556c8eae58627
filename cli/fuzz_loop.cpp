// See fuzz_loop.h.
#include "cli/fuzz_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "repro/atomic_file.h"

namespace rankle::cli {
namespace {

// Runs that estimate how often a flaky finding shows.
constexpr int kFlakyRuns = 5;
// Random continuations that all have to fail before a failure counts as certain.
constexpr int kCertaintyRuns = 16;

// With keep_going the consequence is what people want to see, so it must survive minimising.
void pin_wrong_result(const Case& c, const Verdict& verdict, std::vector<std::string>& pinned) {
  for (const Finding& finding : verdict.findings) {
    if (finding.kind != FindingKind::wrong_result) continue;
    std::string signature = signature_of(finding, c.target);
    if (std::find(pinned.begin(), pinned.end(), signature) == pinned.end()) {
      pinned.push_back(std::move(signature));
    }
    return;
  }
}

}  // namespace

FuzzLoop::FuzzLoop(const FuzzPlan& plan, Executor& executor, FuzzListener& listener)
    : plan_(plan),
      executor_(executor),
      listener_(listener),
      started_(std::chrono::steady_clock::now()) {}

FuzzSummary FuzzLoop::run() {
  std::uint64_t index = plan_.only_case.value_or(0);
  FuzzSummary summary;
  while (true) {
    if (const auto reason = reason_to_stop()) {
      summary.end = *reason;
      break;
    }
    const Case c = draw_case(plan_.contracts, plan_.draw, plan_.seed, index);
    const Verdict verdict = executor_.run(c, plan_.run);
    // A Ctrl-C that also reached the worker looks like a crash of the target; it is none.
    if (plan_.interrupted && plan_.interrupted() && verdict.outcome == Outcome::finding &&
        verdict.findings.front().kind == FindingKind::crash) {
      continue;
    }
    ++progress_.cases;
    update_progress();
    listener_.case_done(c, verdict, progress_);
    judge(c, index, verdict);
    if (plan_.only_case) break;
    ++index;
  }
  update_progress();
  summary.progress = progress_;
  return summary;
}

std::optional<FuzzEnd> FuzzLoop::reason_to_stop() const {
  if (plan_.interrupted && plan_.interrupted()) return FuzzEnd::interrupted;
  if (plan_.findings_max != 0 && progress_.findings >= plan_.findings_max) {
    return FuzzEnd::findings_reached;
  }
  if (plan_.cases_max != 0 && progress_.cases >= plan_.cases_max) return FuzzEnd::cases_done;
  if (plan_.seconds_max > 0 && now_s() - minimise_seconds_ >= plan_.seconds_max) {
    return FuzzEnd::time_up;
  }
  return std::nullopt;
}

void FuzzLoop::judge(const Case& c, std::uint64_t index, const Verdict& verdict) {
  switch (verdict.outcome) {
    case Outcome::pass:
      return warn(c, verdict);
    case Outcome::environment_error:
      throw EnvironmentError(verdict.error);
    case Outcome::invalid_case:
      throw std::logic_error(
          fmt::format("case {} of seed {} was refused: {}", index, plan_.seed, verdict.error));
    case Outcome::finding:
    case Outcome::flaky:
      break;
  }
  if (verdict.findings.empty()) {
    throw std::logic_error(
        fmt::format("case {} of seed {} failed without a finding", index, plan_.seed));
  }
  std::vector<std::string> pinned = new_signatures(c, verdict);
  if (pinned.empty()) {
    ++progress_.duplicates;
    return;
  }
  pinned.resize(1);
  if (plan_.run.keep_going) pin_wrong_result(c, verdict, pinned);
  for (const Finding& finding : verdict.findings) known_.insert(signature_of(finding, c.target));
  handle(c, index, verdict, pinned);
}

// Each warning once.
void FuzzLoop::warn(const Case& c, const Verdict& verdict) {
  for (const Finding& finding : verdict.warnings) {
    if (!known_.insert(signature_of(finding, c.target)).second) continue;
    ++progress_.warnings;
    listener_.warned(c, finding);
  }
}

// Without keep_going the first finding is the finding: what follows it is chance.
std::vector<std::string> FuzzLoop::new_signatures(const Case& c, const Verdict& verdict) const {
  std::vector<std::string> result;
  for (const Finding& finding : verdict.findings) {
    std::string signature = signature_of(finding, c.target);
    if (known_.count(signature) == 0) result.push_back(std::move(signature));
    if (!plan_.run.keep_going) break;
  }
  return result;
}

void FuzzLoop::handle(const Case& c, std::uint64_t index, const Verdict& verdict,
                      const std::vector<std::string>& pinned) {
  Found found;
  found.seconds = now_s();
  found.cases = progress_.cases;
  found.repro = repro_of(c, verdict, pinned.front());
  found.repro.case_index = index;
  ++progress_.findings;
  save(found);  // before anything else can go wrong
  listener_.minimising(found.repro, progress_);

  MinimiseOptions options;
  options.seconds_max = plan_.minimise_seconds_max;
  options.run = plan_.run;
  options.signatures = pinned;
  options.stop = plan_.interrupted;
  options.accepted = [&](const Case& smaller, const Verdict& its) {
    Repro repro = repro_of(smaller, its, pinned.front());
    repro.case_index = index;
    repro.original_case = c;
    found.repro = std::move(repro);
    save(found);
    listener_.minimising(found.repro, progress_);
  };
  found.minimised = minimise(c, contract_of(c.target), executor_, options);
  settle(found, c, pinned);
  minimise_seconds_ += now_s() - found.seconds;
  update_progress();
  listener_.found(found);
}

// Gives the repro its last form: what minimising cost, or how flaky it is.
void FuzzLoop::settle(Found& found, const Case& original, const std::vector<std::string>& pinned) {
  const Minimised& result = found.minimised;
  if (result.end == MinimiseEnd::not_reproduced) {
    found.repro.flaky = measure_flakiness(original, pinned);
    ++progress_.flaky;
  } else {
    found.repro.minimised = MinimisedNote{result.attempts, result.accepted, result.seconds,
                                          std::string(name_of(result.end))};
    if (result.accepted > 0) found.repro.original_case = original;
    found.repro.certain = measure_certainty(found.repro.failing, result.verdict, pinned);
  }
  save(found);
}

// Only where the schedule is explicit, and where it takes seconds at most.
std::optional<Certainty> FuzzLoop::measure_certainty(const Case& c, const Verdict& verdict,
                                                     const std::vector<std::string>& pinned) {
  const double runs_max = kCertaintyRuns * (2 + std::bit_width(verdict.stats.steps));
  const bool too_slow = runs_max * verdict.stats.seconds > plan_.minimise_seconds_max;
  if (plan_.platform != "sim" || c.schedule.policy != Policy::run_to_block || too_slow) {
    return std::nullopt;
  }
  return find_certainty(
      verdict.stats.steps, kCertaintyRuns, [&](std::uint64_t step, std::uint64_t seed) {
        Case continued = c;
        continued.schedule.seed = seed;
        RunOptions options = plan_.run;
        options.random_from = step;
        return shows(executor_.run(continued, options), continued, pinned, options.keep_going);
      });
}

// Two runs are known: the one that failed and the minimiser's first, which did not.
FlakyNote FuzzLoop::measure_flakiness(const Case& c, const std::vector<std::string>& pinned) {
  FlakyNote note{1, 2};
  while (note.runs < kFlakyRuns && !(plan_.interrupted && plan_.interrupted())) {
    ++note.runs;
    if (shows(executor_.run(c, plan_.run), c, pinned, plan_.run.keep_going)) ++note.failed;
  }
  return note;
}

Repro FuzzLoop::repro_of(const Case& c, const Verdict& verdict,
                         const std::string& signature) const {
  Repro repro;
  repro.rankle = plan_.version;
  repro.commit = plan_.commit;
  repro.platform = plan_.platform;
  repro.signature = signature;
  bool pinned_seen = false;
  for (const Finding& finding : verdict.findings) {
    if (!pinned_seen && signature_of(finding, c.target) == signature) {
      repro.finding = finding;
      pinned_seen = true;
    } else {
      repro.further.push_back(finding);
    }
  }
  repro.failing = c;
  repro.options = plan_.run;
  repro.trace_hash = verdict.trace_hash;
  repro.variants = verdict.variants;
  repro.seed = plan_.seed;
  repro.selection = plan_.selection;
  return repro;
}

// A full or read-only disk must not hide the finding, so it is carried along as a text.
void FuzzLoop::save(Found& found) const {
  try {
    if (found.file.empty()) {
      std::filesystem::create_directories(plan_.out);
      found.file = create_numbered_file(plan_.out, repro_stem(found.repro), to_text(found.repro));
    } else {
      replace_file(found.file, to_text(found.repro));
    }
    found.write_error.clear();
  } catch (const std::system_error& error) {
    found.write_error = error.what();
  }
}

const Contract& FuzzLoop::contract_of(const std::string& target) const {
  const auto it = std::find_if(plan_.contracts.begin(), plan_.contracts.end(),
                               [&](const Contract& contract) { return contract.target == target; });
  if (it == plan_.contracts.end()) {
    throw std::logic_error(fmt::format("drew {}, which was not selected", target));
  }
  return *it;
}

double FuzzLoop::now_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

void FuzzLoop::update_progress() {
  progress_.seconds = now_s();
  const double fuzzing = progress_.seconds - minimise_seconds_;
  progress_.cases_per_s = fuzzing > 0 ? static_cast<double>(progress_.cases) / fuzzing : 0;
}

}  // namespace rankle::cli
