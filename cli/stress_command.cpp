// `rankle stress`: the loop of `fuzz` in a directory that outlives it, for hours or days. Killed at
// any moment it goes on with --resume; a finding that was reported is never lost.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <set>
#include <system_error>
#include <utility>

#include "campaign/campaign_run.h"
#include "campaign/crew.h"
#include "campaign/exchange.h"
#include "campaign/member.h"
#include "cli/command.h"
#include "cli/errors.h"
#include "cli/fuzz_options.h"
#include "cli/fuzz_report.h"
#include "cli/source_roots.h"
#include "repro/explain.h"

namespace rankle::cli {
namespace {

constexpr std::uint64_t kFreshMax = 1'000'000'000;
constexpr int kTriesOfStart = 3;

// Options that a resumed campaign may have otherwise than before: they change how long and how
// fast it runs, not what it runs.
const std::set<std::string>& free_options() {
  static const std::set<std::string> kFree = {
      "dir",          "resume",        "time",       "cases", "jobs",  "recycle", "memory",
      "max-findings", "minimize-time", "statistics", "json",  "quiet", "fresh",   "no-canary"};
  return kFree;
}

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

std::string explanation_of(const Repro& repro) {
  ExplainOptions options;
  options.source_roots = source_roots("", repro.failing.target);
  options.file = "case.json";
  return explain(repro, options);
}

class StressCommand : public Command {
 public:
  std::string name() const override { return "stress"; }
  std::string summary() const override { return "fuzz for hours or days in a directory"; }
  std::string examples() const override {
    return "Examples:\n"
           "  rankle stress --dir campaign --time 8h --jobs 8\n"
           "  rankle stress --dir campaign --resume             after any kill\n"
           "  rankle stress --dir campaign --resume --time 16h  longer than it was meant to run\n"
           "  rankle stress --dir fresh --fresh 500             each case in a new process\n"
           "  mpirun -np 8 rankle stress --dir campaign --time 8h\n"
           "Exit: 0 nothing found, 1 finding (also one of before), 2 usage, 3 environment (also: "
           "the disk is full), 4 internal error (also: the canary was not found), 5 only flaky "
           "findings.";
  }

  void declare(CLI::App&, OptionSet& options) override {
    set_ = &options;
    options_ =
        FuzzOptions::declare(options, {.time = "8h", .findings_max = "0", .recycle = "20000"});
    dir_ = &options.add("dir", "the campaign's directory; made if it does not exist");
    resume_ = &options.flag("resume", "go on with the campaign in --dir, with its options");
    fresh_ = &options.add("fresh", "run N cases, each in a new process");
    no_canary_ = &options.flag("no-canary", "go on without the planted bug that must be found");
  }

  int run(Console& console, const Surroundings& surroundings) override {
    if (!dir_->given())
      throw UsageError("--dir: is missing; a directory for the campaign is wanted");
    check_before_anything_is_written(surroundings);
    exchange_ = join_exchange();
    if (exchange_ && exchange_->rank() > 0) return run_as_member(surroundings);
    try {
      const int code = run_in_directory(console, surroundings);
      dismiss_crew();  // if it never began
      if (exchange_ && crew_->has_begun()) exchange_->finish(crew_->is_broken());
      return code;
    } catch (const CampaignError& error) {
      dismiss_crew();
      throw UsageError(fmt::format("--dir: {}", error.what()));
    } catch (const std::system_error& error) {
      dismiss_crew();
      throw EnvironmentError(error.what());
    } catch (...) {
      dismiss_crew();
      throw;
    }
  }

 private:
  // Before the campaign has begun the other ranks wait for a letter. Later they are ended with this
  // process, when the exchange is destroyed unfinished.
  void dismiss_crew() {
    if (!exchange_ || (crew_ && crew_->has_begun())) return;
    for (int rank = 1; rank < exchange_->size(); ++rank) exchange_->send(rank, stop_letter());
    exchange_->finish(false);
  }

  // A rank that owns no directory. Rank 0 reports, whatever happens here.
  int run_as_member(const Surroundings& surroundings) {
    CampaignMember member(*exchange_, surroundings.interrupted);
    if (const std::optional<Setup> setup = member.wait_for_setup()) {
      try {
        set_->adopt(setup->arguments, free_options(), "rank 0");
        FuzzPlan plan = plan_of(surroundings, setup->seed);
        const ExecutorRequest request = request_of(plan);
        const auto make_executor = [&](int) { return surroundings.make_executor(request); };
        options_.select_from(make_executor(0)->contracts(), plan);
        member.run(*setup, plan, make_executor);
      } catch (const std::exception& error) {
        member.give_up(error.what());
      }
    }
    exchange_->finish(false);
    return kExitClean;
  }

  int run_in_directory(Console& console, const Surroundings& surroundings) {
    CampaignDir dir(dir_->text());
    const std::optional<CampaignConfig> config = dir.config();
    if (config && !*resume_) {
      dir_->refuse("holds a campaign already; --resume goes on with it");
    }
    if (config) set_->adopt(config->arguments, free_options(), "the campaign in " + dir_->text());
    FuzzPlan plan = plan_of(surroundings, config ? std::optional(config->seed) : std::nullopt);
    const ExecutorRequest request = request_of(plan);
    const auto make_executor = [&](int job) {
      ExecutorRequest own = request;
      if (job >= 0) own.slot_file = dir.layout().slot(job);
      return surroundings.make_executor(own);
    };
    std::unique_ptr<Executor> first = make_executor(0);
    options_.select_from(first->contracts(), plan);
    const CampaignConfig now = config_of(plan);
    if (!config) dir.begin(now);
    options_.announce(console, "stress", plan, *first, "campaign in " + dir_->text(),
                      {{"dir", dir_->text()}, {"resumed", config.has_value()}});

    Coverage coverage(plan.contracts, plan.draw);
    FuzzReport report(console, options_.statistics(), coverage);
    CampaignSettings settings;
    settings.canary = !*no_canary_;
    settings.workers = plan.lanes.size() * ranks();
    const auto note = [&](const std::string& text) { console.note(text); };
    if (exchange_) {
      crew_ = std::make_unique<ExchangeCrew>(ExchangeCrew::Parts{
          *exchange_, now.arguments, plan.lanes.size(), coverage, surroundings.interrupted});
    }
    CampaignRun campaign(
        {dir, plan, coverage, report, make_executor, explanation_of, note, crew_.get()}, settings);
    const CampaignSummary summary = campaign.run(std::move(first));
    return conclude(console, report, plan, summary);
  }

  // A mistake in an option must not leave a directory behind.
  void check_before_anything_is_written(const Surroundings& surroundings) const {
    if (fresh_->given()) fresh_->whole_number(1, kFreshMax);
    if (*resume_) return;  // options come from the directory
    const FuzzPlan plan = options_.plan(surroundings);
    if (plan.only_case) options_.only_case().refuse("is not allowed here; `rankle fuzz` takes it");
  }

  std::size_t ranks() const { return exchange_ ? static_cast<std::size_t>(exchange_->size()) : 1; }

  ExecutorRequest request_of(const FuzzPlan& plan) const {
    ExecutorRequest request = options_.request(plan);
    if (fresh_->given()) request.cases_per_worker = 1;
    return request;
  }

  FuzzPlan plan_of(const Surroundings& surroundings, std::optional<std::uint64_t> seed) const {
    FuzzPlan plan = options_.plan(surroundings);
    if (seed) plan.seed = *seed;
    plan.minimising_takes_time = true;
    if (fresh_->given()) {
      plan.cases_max = fresh_->whole_number(1, kFreshMax);
      plan.tries_of_start = kTriesOfStart;
      if (!options_.time().given()) plan.seconds_max = 0;
    }
    return plan;
  }

  CampaignConfig config_of(const FuzzPlan& plan) const {
    CampaignConfig config;
    config.version = plan.version;
    config.commit = plan.commit;
    config.platform = plan.platform;
    config.seed = plan.seed;
    config.jobs = static_cast<int>(plan.lanes.size() * ranks());
    config.selection = plan.selection;
    config.run = plan.run;
    config.started = utc_now();
    config.arguments = set_->given();
    for (const char* name : {"dir", "resume", "json", "quiet"}) config.arguments.erase(name);
    config.arguments["seed"] = std::to_string(plan.seed);
    return config;
  }

  int conclude(Console& console, FuzzReport& report, const FuzzPlan& plan,
               const CampaignSummary& summary) const {
    int code = exit_of(summary.fuzz);
    if (summary.fuzz.end == FuzzEnd::store_failed || summary.fuzz.end == FuzzEnd::rank_failed) {
      code = kExitEnvironment;
    }
    if (summary.fuzz.end == FuzzEnd::blind) code = kExitInternal;
    Json more = {{"fixed", summary.rechecked.fixed}, {"returned", summary.rechecked.returned}};
    if (!summary.fuzz.error.empty()) {
      console.error(summary.fuzz.error);
      more["error"] = summary.fuzz.error;
    }
    if (!options_.statistics()) report.say_never_hit();
    if (fresh_->given()) more["fresh"] = say_fresh(console, plan, summary.fuzz.progress);
    report.end(summary.fuzz, code, more);
    return code;
  }

  static Json say_fresh(Console& console, const FuzzPlan& plan, const FuzzProgress& p) {
    const std::uint64_t ended = p.passed + p.failed + p.errors + p.timeouts;
    const std::uint64_t skipped = plan.cases_max - std::min(plan.cases_max, ended);
    console.say(fmt::format(
        "fresh processes: {} passed, {} failed, {} errors, {} skipped, {} timeouts, {} retries",
        p.passed, p.failed, p.errors, skipped, p.timeouts, p.retries));
    return {{"passed", p.passed}, {"failed", p.failed},     {"errors", p.errors},
            {"skipped", skipped}, {"timeouts", p.timeouts}, {"retries", p.retries}};
  }

  std::unique_ptr<Exchange> exchange_;
  std::unique_ptr<ExchangeCrew> crew_;
  OptionSet* set_ = nullptr;
  FuzzOptions options_;
  const TextOption* dir_ = nullptr;
  const bool* resume_ = nullptr;
  const TextOption* fresh_ = nullptr;
  const bool* no_canary_ = nullptr;
};

}  // namespace

std::unique_ptr<Command> make_stress_command() { return std::make_unique<StressCommand>(); }

}  // namespace rankle::cli
