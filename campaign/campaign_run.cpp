// See campaign_run.h.
#include "campaign/campaign_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "campaign/canary.h"
#include "generators/case_json.h"
#include "generators/limits.h"
#include "repro/atomic_file.h"

namespace rankle {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kCoverageBytesMax = std::uintmax_t{1} << 30;

// Ends the loop when the directory fails, when the canary does, and lets the crew speak.
class Watch : public FuzzListener {
 public:
  using Tick = std::function<void(const FuzzProgress&)>;

  Watch(FuzzListener& next, Tick tick) : next_(next), tick_(std::move(tick)) {}

  void case_done(const Case& c, const Verdict& verdict, const FuzzProgress& progress) override {
    next_.case_done(c, verdict, progress);
  }
  void minimising(const Repro& so_far, const FuzzProgress& progress) override {
    next_.minimising(so_far, progress);
  }
  void found(const Found& found) override { next_.found(found); }
  void warned(const Case& c, const Finding& warning) override { next_.warned(c, warning); }
  void tick(const FuzzProgress& progress) override {
    next_.tick(progress);
    tick_(progress);
  }

 private:
  FuzzListener& next_;
  Tick tick_;
};

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".json") files.push_back(it->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

CampaignRun::CampaignRun(const Parts& parts, const CampaignSettings& settings)
    : parts_(parts), settings_(settings) {}

CampaignSummary CampaignRun::run(std::unique_ptr<Executor> first) {
  FuzzPlan& plan = parts_.plan;
  const CampaignState state = parts_.dir.state(plan.seed);
  const bool is_resumed = !state.lanes.empty();
  plan.before = state.progress;
  const std::vector<Lane> lanes = lanes_after(state, settings_.workers);
  plan.lanes.assign(lanes.begin(), lanes.begin() + static_cast<std::ptrdiff_t>(plan.lanes.size()));

  EventLog events(parts_.dir.layout(), plan.before.seconds);
  events.add(is_resumed ? "resumed" : "start", {{"seed", plan.seed},
                                                {"jobs", settings_.workers},
                                                {"cases", plan.before.cases},
                                                {"version", plan.version},
                                                {"commit", plan.commit},
                                                {"platform", plan.platform}});
  CampaignSummary summary;
  summary.fuzz.progress = plan.before;
  if (settings_.canary && !ask_canary(*first, events, summary.fuzz)) {
    events.add("end", {{"reason", "blind"}, {"error", summary.fuzz.error}});
    return summary;
  }
  CampaignStore store(parts_.dir.layout(), parts_.explain);
  const auto report = [&](const Found& found) {
    events.add("finding", finding_event(found));
    parts_.printer.found(found);
  };
  summary.rechecked = Recheck(plan, *first, parts_.dir.layout(), store, events, report).run();
  for (const std::string& text : summary.rechecked.notes) parts_.note(text);
  know(summary.rechecked);
  read_corpus(events);
  read_coverage(events);

  summary.fuzz = loop(std::move(first), store, events, lanes);
  const FuzzProgress& progress = summary.fuzz.progress;
  events.add("end", {{"cases", progress.cases},
                     {"findings", progress.findings},
                     {"flaky", progress.flaky},
                     {"cells", parts_.coverage.hit()},
                     {"coverage", parts_.coverage.share()},
                     {"error", summary.fuzz.error}});
  return summary;
}

FuzzSummary CampaignRun::loop(std::unique_ptr<Executor> first, CampaignStore& store,
                              EventLog& events, const std::vector<Lane>& lanes) {
  FuzzPlan& plan = parts_.plan;
  // State first: positions of another number of workers are not believed.
  parts_.dir.write_state({plan.before, lanes}, plan.seed);
  std::vector<std::uint64_t> next;
  for (const Lane& lane : lanes) next.push_back(lane.first);
  Positions positions(parts_.dir.layout().positions(), plan.seed, next);
  plan.at = [&](int job, std::uint64_t index) {
    positions.set(static_cast<std::size_t>(job), index);
  };
  CampaignRecorder recorder(plan, lanes,
                            {parts_.dir, events, store, parts_.coverage, positions, parts_.printer},
                            settings_.intervals);

  FuzzLoop* running = nullptr;
  double canary_asked_s = events.seconds();
  Watch watch(recorder, [&](const FuzzProgress&) {
    if (!recorder.error().empty()) running->stop(FuzzEnd::store_failed, recorder.error());
    if (settings_.canary && events.seconds() - canary_asked_s > settings_.canary_interval_s) {
      FuzzSummary blind;
      if (!ask_canary(*parts_.make_executor(-1), events, blind)) {
        running->stop(FuzzEnd::blind, blind.error);
      }
      canary_asked_s = events.seconds();
    }
    if (parts_.crew != nullptr) parts_.crew->tick(*running, positions);
  });
  const auto executor_of = [&](int job) {
    return job == 0 ? std::move(first) : parts_.make_executor(job);
  };
  FuzzLoop loop(plan, executor_of, store, watch);
  running = &loop;
  if (parts_.crew != nullptr) parts_.crew->begin(plan, lanes, store);
  FuzzSummary summary = loop.run();
  if (parts_.crew != nullptr) {
    parts_.crew->end(loop, positions, summary.end);
    summary.progress = loop.progress();
  }
  const std::string error = recorder.write_all(summary.progress);
  if (!error.empty() && summary.end != FuzzEnd::blind) {
    summary.end = FuzzEnd::store_failed;
    if (summary.error.empty()) summary.error = error;
  }
  return summary;
}

bool CampaignRun::ask_canary(Executor& executor, EventLog& events, FuzzSummary& summary) {
  const CanaryResult result = run_canary(executor);
  events.add("canary", {{"state", result.state == CanaryState::found    ? "found"
                                  : result.state == CanaryState::missed ? "missed"
                                                                        : "absent"},
                        {"target", result.target},
                        {"seconds", result.seconds},
                        {"message", result.message}});
  if (result.state == CanaryState::absent) {
    throw EnvironmentError(result.message + ", and --no-canary goes on without one");
  }
  if (result.state == CanaryState::found) return true;
  summary.end = FuzzEnd::blind;
  summary.error = result.message;
  return false;
}

// Cases that cannot run here are passed over: a corpus may come from a machine with more targets.
void CampaignRun::read_corpus(EventLog& events) const {
  for (const fs::path& file : json_files(parts_.dir.layout().corpus())) {
    std::string error;
    std::optional<JsonError> wrong;
    const auto text = read_small_file(file, kCaseTextBytesMax, error);
    const std::optional<Case> c = text ? case_from_text(*text, wrong) : std::nullopt;
    if (wrong) error = fmt::format("{}: {}", file.string(), wrong->message);
    if (!c) {
      events.add("warning", {{"message", error}});
      parts_.note(error + "; it is passed over");
      continue;
    }
    const auto& contracts = parts_.plan.contracts;
    const bool can_run = std::any_of(contracts.begin(), contracts.end(), [&](const Contract& one) {
      return one.target == c->target && !validate(*c, one);
    });
    if (can_run) parts_.plan.corpus.push_back(*c);
  }
}

void CampaignRun::read_coverage(EventLog& events) const {
  const fs::path file = parts_.dir.layout().coverage();
  if (!fs::exists(file)) return;
  std::string error;
  const std::uintmax_t bytes = std::min(kCoverageBytesMax, fs::file_size(file));
  const auto text = read_small_file(file, static_cast<std::size_t>(bytes), error);
  try {
    if (text) add_from_text(parts_.coverage, *text);
  } catch (const nlohmann::json::exception& wrong) {
    error = wrong.what();
  }
  if (!error.empty()) events.add("warning", {{"message", "coverage begins anew: " + error}});
}

void CampaignRun::know(const Rechecked& rechecked) const {
  FuzzPlan& plan = parts_.plan;
  for (const auto* kept : {&rechecked.standing, &rechecked.flaky}) {
    for (const Repro& repro : *kept) {
      plan.known.insert(repro.signature);
      for (const Finding& finding : repro.further) {
        plan.known.insert(signature_of(finding, repro.failing.target));
      }
    }
  }
  plan.before.flaky = rechecked.flaky.size();
  plan.before.findings = rechecked.standing.size() + rechecked.flaky.size();
}

}  // namespace rankle
