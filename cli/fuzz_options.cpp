// See fuzz_options.h.
#include "cli/fuzz_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <optional>
#include <random>

#include "cli/build_info.h"
#include "cli/errors.h"
#include "cli/events.h"
#include "cli/platform.h"
#include "cli/units.h"
#include "generators/names.h"

namespace rankle::cli {
namespace {

constexpr std::uint64_t kWholeMax = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kJobsMax = 1024;
constexpr std::int64_t kWorkerBytesMax = std::int64_t{16} << 30;

// Seeds that were not given are short, so that people can type them.
std::uint64_t fresh_seed() { return std::random_device{}() % 1'000'000'000; }

// Less than what makes the system kill somebody, and more than the largest case needs (2.6 GiB).
std::int64_t memory_per_worker(int jobs) {
  const auto pages = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<std::int64_t>(sysconf(_SC_PAGESIZE));
  return std::min(kWorkerBytesMax, pages * page / 4 * 3 / jobs);
}

template <class Range>
std::string or_all(const Range& values) {
  return values.empty() ? "all" : fmt::format("{}", fmt::join(values, ","));
}

}  // namespace

FuzzOptions FuzzOptions::declare(OptionSet& options, const FuzzPreset& preset) {
  FuzzOptions o;
  o.preset_ = preset;
  o.selection_ = SelectionOptions::declare(options);
  o.weak_memory_ = &options.flag("weak-memory",
                                 "let loads return older values where the memory model allows it");
  o.programs_ = &options.add(
      "programs", "sequences of captures, replays, registrations, ...: none, mixed or only",
      "mixed");
  o.time_ = &options.add("time",
                         fmt::format("how long; default: {} unless --cases is given", preset.time));
  o.cases_ = &options.add("cases", "how many cases at most");
  o.seed_ = &options.add("seed", "of the stream of cases; default: drawn and printed");
  o.only_case_ = &options.add("only-case", "run only this case of the stream; needs --seed");
  o.platform_ = &declare_platform(options);
  o.jobs_ = &options.add("jobs", "worker processes at once", "1");
  o.recycle_ =
      &options.add("recycle", "replace a worker after so many cases; 0: never", preset.recycle);
  o.memory_ = &options.add(
      "memory", "a worker that uses more is a finding; default: 16G, or less on a small machine");
  o.max_findings_ =
      &options.add("max-findings", "stop after so many; 0: never", preset.findings_max);
  o.minimise_time_ = &options.add("minimize-time", "how long to shrink one finding", "8s");
  o.deadline_ = &options.add("deadline", "after this a case counts as hung", "30s");
  o.statistics_ = &options.flag("statistics", "print what was drawn, and what never was");
  o.settings_ = RunSettings::declare(options);
  o.keep_going_ =
      &options.flag("keep-going", "go on after the first report of a case, to see what it does");
  return o;
}

FuzzPlan FuzzOptions::plan(const Surroundings& surroundings) const {
  FuzzPlan plan;
  plan.platform = platform();
  plan.version = version();
  plan.commit = commit();
  plan.interrupted = surroundings.interrupted;
  plan.selection = parse_selection(selection_);
  plan.selection.weak_memory = *weak_memory_;
  if (const auto programs = programs_from(programs_->text())) {
    plan.selection.programs = *programs;
  } else {
    programs_->refuse(fmt::format("is not allowed; one of {}", names_of(all_programs())));
  }
  plan.draw = draw_of(plan.selection);
  plan.draw.perturbations = plan.platform != "sim";
  if (cases_->given()) plan.cases_max = cases_->whole_number(1, kWholeMax);
  if (time_->given()) {
    plan.seconds_max = time_->seconds();
  } else if (!cases_->given()) {
    const std::optional<double> preset_s = parse_duration(preset_.time);
    assert(preset_s);  // a constant of the command
    if (preset_s) plan.seconds_max = *preset_s;
  }
  if (only_case_->given()) {
    plan.only_case = only_case_->whole_number(0, kWholeMax);
    if (!seed_->given()) only_case_->refuse("needs --seed, which says of which stream");
  }
  plan.seed = seed_->given() ? seed_->whole_number(0, kWholeMax) : fresh_seed();
  plan.findings_max = max_findings_->whole_number(0, kWholeMax);
  plan.minimise_seconds_max = minimise_time_->seconds();
  plan.run.deadline_s = deadline_->seconds();
  plan.run.keep_going = *keep_going_;
  settings_.apply(plan.run);
  plan.lanes.clear();
  const auto count = static_cast<std::uint64_t>(jobs());
  for (std::uint64_t job = 0; job < count; ++job) plan.lanes.push_back({job, count});
  return plan;
}

void FuzzOptions::select_from(const std::vector<Contract>& all, FuzzPlan& plan) const {
  plan.contracts = select(all, plan.selection, selection_);
}

ExecutorRequest FuzzOptions::request(const FuzzPlan& plan) const {
  ExecutorRequest request(plan.platform);
  request.cases_per_worker = recycle_->whole_number(0, kWholeMax);
  std::int64_t bytes = memory_per_worker(static_cast<int>(plan.lanes.size()));
  if (memory_->given()) {
    const auto size = parse_size(memory_->text());
    if (!size || *size <= 0) memory_->refuse(fmt::format("is not allowed; {} is", kSizeForm));
    bytes = *size;
  }
  request.memory_bytes_max = static_cast<std::uint64_t>(bytes);
  return request;
}

std::string FuzzOptions::platform() const { return platform_of(*platform_); }

int FuzzOptions::jobs() const { return static_cast<int>(jobs_->whole_number(1, kJobsMax)); }

std::string FuzzOptions::limits_of(const FuzzPlan& plan) {
  std::vector<std::string> limits;
  if (plan.only_case) limits.push_back(fmt::format("case {} only", *plan.only_case));
  if (plan.cases_max != 0) limits.push_back(fmt::format("{} cases", plan.cases_max));
  if (plan.seconds_max > 0) limits.push_back(format_duration(plan.seconds_max));
  return fmt::format("{}", fmt::join(limits, ", "));
}

Json FuzzOptions::fields_of(const FuzzPlan& plan) const {
  return {{"target", plan.selection.target},
          {"world", plan.selection.worlds},
          {"dtype", plan.selection.dtypes},
          {"programs", name_of(plan.selection.programs)},
          {"weak_memory", plan.selection.weak_memory},
          {"time_s", plan.seconds_max},
          {"cases", plan.cases_max},
          {"jobs", plan.lanes.size()},
          {"recycle", request(plan).cases_per_worker},
          {"memory_bytes", request(plan).memory_bytes_max},
          {"max_findings", plan.findings_max},
          {"minimize_time_s", plan.minimise_seconds_max},
          {"deadline_s", plan.run.deadline_s},
          {"keep_going", plan.run.keep_going},
          {"relaxed_handoff", name_of(plan.run.relaxed_handoff)},
          {"wave_synchronous", name_of(plan.run.wave_synchronous)},
          {"volatile", name_of(plan.run.volatile_model)},
          {"verify_determinism", plan.run.verify_determinism}};
}

void FuzzOptions::announce(Console& console, const std::string& command, const FuzzPlan& plan,
                           Executor& executor, const std::string& where, const Json& more) const {
  std::vector<std::string> targets;
  targets.reserve(plan.contracts.size());
  for (const Contract& contract : plan.contracts) targets.push_back(contract.target);
  const std::string workers =
      plan.lanes.size() == 1 ? "" : fmt::format("{} workers, ", plan.lanes.size());
  console.note(start_line(plan.platform,
                          fmt::format("seed {}, worlds {}, dtypes {}, {}, {}{}", plan.seed,
                                      or_all(plan.selection.worlds), or_all(plan.selection.dtypes),
                                      limits_of(plan), workers, where)));
  console.note(fmt::format("targets: {}", fmt::join(targets, ", ")));
  Json fields = start_fields(command, plan.platform, executor);
  fields["seed"] = plan.seed;
  fields["targets"] = targets;
  fields["options"] = fields_of(plan);
  fields["options"].update(more);
  console.event("start", fields);
}

int exit_of(const FuzzSummary& summary) {
  const FuzzProgress& progress = summary.progress;
  if (progress.findings == 0) return kExitClean;
  return progress.findings == progress.flaky ? kExitFlaky : kExitFinding;
}

}  // namespace rankle::cli
