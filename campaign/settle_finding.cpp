// See settle_finding.h.
#include "campaign/settle_finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "harness/interrupted.h"

namespace rankle {
namespace {

// Runs that estimate how often a flaky finding shows.
constexpr int kFlakyRuns = 5;
// Random continuations that all have to fail before a failure counts as certain.
constexpr int kCertaintyRuns = 16;

}  // namespace

SettleFinding::SettleFinding(const FuzzPlan& plan, Executor& executor, FindingStore& store,
                             std::function<void(const Repro&)> minimising)
    : plan_(plan), executor_(executor), store_(store), minimising_(std::move(minimising)) {}

Found SettleFinding::keep(const Sighting& sighting, const std::vector<std::string>& pinned) {
  Found found;
  found.repro = repro_of(sighting.c, sighting.verdict, pinned.front());
  found.repro.case_index = sighting.index.value_or(0);
  found.from_corpus = !sighting.index.has_value();
  found.seconds = sighting.seconds;
  found.cases = sighting.cases;
  store_.save(found);
  return found;
}

void SettleFinding::settle(Found& found, const std::vector<std::string>& pinned) {
  const Case start = found.repro.failing;
  const Repro first = found.repro;
  const Case original = first.original_case.value_or(start);
  MinimiseOptions options;
  options.seconds_max = plan_.minimise_seconds_max;
  options.run = plan_.run;
  options.signatures = pinned;
  options.stop = plan_.interrupted;
  options.accepted = [&](const Case& smaller, const Verdict& its) {
    Repro repro = repro_of(smaller, its, pinned.front());
    repro.seed = first.seed;
    repro.case_index = first.case_index;
    repro.selection = first.selection;
    repro.original_case = original;
    found.repro = std::move(repro);
    store_.save(found);
    minimising_(found.repro);
  };
  found.minimised = minimise(start, contract_of(start.target), executor_, options);
  const Minimised& result = found.minimised;
  try {
    if (result.end == MinimiseEnd::not_reproduced) {
      found.repro.flaky = measure_flakiness(start, pinned);
    } else {
      found.repro.minimised = MinimisedNote{result.attempts, result.accepted, result.seconds,
                                            std::string(name_of(result.end))};
      if (found.repro.failing != original) found.repro.original_case = original;
      found.repro.certain = measure_certainty(found.repro.failing, result.verdict, pinned);
    }
  } catch (const Interrupted&) {
    // What is known so far is kept.
  }
  store_.settled(found);
}

// Only where the schedule is explicit, and where it takes seconds at most.
std::optional<Certainty> SettleFinding::measure_certainty(const Case& c, const Verdict& verdict,
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
FlakyNote SettleFinding::measure_flakiness(const Case& c, const std::vector<std::string>& pinned) {
  FlakyNote note{1, 2};
  while (note.runs < kFlakyRuns && !(plan_.interrupted && plan_.interrupted())) {
    try {
      const bool failed = shows(executor_.run(c, plan_.run), c, pinned, plan_.run.keep_going);
      ++note.runs;
      note.failed += failed ? 1 : 0;
    } catch (const Interrupted&) {
      break;
    }
  }
  return note;
}

Repro SettleFinding::repro_of(const Case& c, const Verdict& verdict,
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

const Contract& SettleFinding::contract_of(const std::string& target) const {
  const auto it = std::find_if(plan_.contracts.begin(), plan_.contracts.end(),
                               [&](const Contract& contract) { return contract.target == target; });
  if (it == plan_.contracts.end()) {
    throw std::logic_error(fmt::format("drew {}, which was not selected", target));
  }
  return *it;
}

}  // namespace rankle
