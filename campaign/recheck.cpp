// See recheck.h.
#include "campaign/recheck.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "campaign/settle_finding.h"
#include "generators/contract.h"
#include "repro/replay.h"

namespace rankle {
namespace {

// Runs before a finding that does not show counts as gone.
constexpr int kRuns = 4;

bool was_interrupted(const Repro& repro) {
  return !repro.flaky &&
         (!repro.minimised || repro.minimised->end == name_of(MinimiseEnd::stopped));
}

}  // namespace

Recheck::Recheck(const FuzzPlan& plan, Executor& executor, const CampaignLayout& layout,
                 CampaignStore& store, EventLog& events, std::function<void(const Found&)> report)
    : plan_(plan),
      executor_(executor),
      layout_(layout),
      store_(store),
      events_(events),
      report_(std::move(report)) {}

Rechecked Recheck::run() {
  std::vector<std::string> unreadable;
  const std::vector<KeptFinding> fixed = CampaignStore::list(layout_.fixed(), unreadable);
  const std::vector<KeptFinding> findings = CampaignStore::list(layout_.findings(), unreadable);
  for (const KeptFinding& kept : CampaignStore::list(layout_.flaky(), unreadable)) {
    result_.flaky.push_back(kept.repro);  // not showing proves nothing about it
  }
  for (const KeptFinding& kept : findings) check_finding(kept);
  for (const KeptFinding& kept : fixed) check_fixed(kept);
  for (const std::string& text : unreadable) {
    events_.add("warning", {{"message", text}});
    result_.notes.push_back(text + "; it is left alone");
  }
  return std::move(result_);
}

void Recheck::check_finding(const KeptFinding& kept) {
  switch (try_again(kept.repro)) {
    case Outcome::always:
      result_.standing.push_back(kept.repro);
      finish(kept);
      return;
    case Outcome::cannot_run:
      result_.standing.push_back(kept.repro);
      return note(kept, "cannot be run here and is left alone");
    case Outcome::sometimes: {
      result_.flaky.push_back(kept.repro);
      ++result_.gone_flaky;
      CampaignStore::move(kept.layout, layout_.flaky());
      return note(kept, "shows only sometimes now: moved to flaky/");
    }
    case Outcome::never:
      ++result_.fixed;
      CampaignStore::move(kept.layout, layout_.fixed());
      return note(kept, "does not show any more: moved to fixed/");
  }
}

void Recheck::check_fixed(const KeptFinding& kept) {
  const auto is_same = [&](const Repro& other) { return other.signature == kept.repro.signature; };
  const bool is_known = std::any_of(result_.standing.begin(), result_.standing.end(), is_same);
  if (is_known || try_again(kept.repro) != Outcome::always) return;
  ++result_.returned;
  result_.standing.push_back(kept.repro);
  CampaignStore::move(kept.layout, layout_.findings());
  note(kept, "had been fixed and shows again: moved back to findings/");
}

Recheck::Outcome Recheck::try_again(const Repro& repro) {
  const auto contract =
      std::find_if(plan_.contracts.begin(), plan_.contracts.end(),
                   [&](const Contract& one) { return one.target == repro.failing.target; });
  if (contract == plan_.contracts.end() || validate(repro.failing, *contract)) {
    return Outcome::cannot_run;
  }
  int shown = 0;
  for (int run = 1; run <= kRuns; ++run) {
    const Replayed replayed = replay(repro, executor_, repro.options, false);
    if (replayed.outcome == ReplayOutcome::environment_error) {
      throw EnvironmentError(replayed.error);
    }
    if (replayed.outcome == ReplayOutcome::invalid_case) return Outcome::cannot_run;
    shown += replayed.outcome == ReplayOutcome::same_signature ? 1 : 0;
    if (run == 1 && shown == 1) return Outcome::always;
  }
  return shown > 0 ? Outcome::sometimes : Outcome::never;
}

// What a kill kept from being shrunk or told.
void Recheck::finish(const KeptFinding& kept) {
  const bool is_shrunk = !was_interrupted(kept.repro);
  if (is_shrunk && store_.was_reported(kept.repro.signature)) return;
  Found found;
  found.repro = kept.repro;
  found.file = kept.layout.repro();
  found.seconds = events_.seconds();
  found.cases = plan_.before.cases;
  if (!is_shrunk) {
    SettleFinding settling(plan_, executor_, store_, [](const Repro&) {});
    settling.settle(found, {kept.repro.signature});
  }
  report_(found);
  store_.reported(found);
  if (found.repro.flaky) {
    result_.standing.pop_back();
    result_.flaky.push_back(found.repro);
  } else {
    result_.standing.back() = found.repro;
  }
}

void Recheck::note(const KeptFinding& kept, const std::string& what) {
  const std::string text = fmt::format("{} {}", kept.layout.dir.filename().string(), what);
  events_.add("recheck", {{"signature", kept.repro.signature}, {"message", text}});
  result_.notes.push_back(text);
}

}  // namespace rankle
