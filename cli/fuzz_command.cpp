// `rankle fuzz`: random cases until time, cases or findings are up. Stops at the first finding
// unless
// --max-findings says otherwise, because a person wants to see that one and a script its exit code.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <random>

#include "cli/build_info.h"
#include "cli/command.h"
#include "cli/errors.h"
#include "cli/events.h"
#include "cli/fuzz_loop.h"
#include "cli/fuzz_report.h"
#include "cli/platform.h"
#include "cli/run_settings.h"
#include "cli/selection.h"
#include "cli/units.h"
#include "generators/names.h"

namespace rankle::cli {
namespace {

constexpr std::uint64_t kWholeMax = std::numeric_limits<std::uint64_t>::max();

// Seeds that were not given are short, so that people can type them.
std::uint64_t fresh_seed() { return std::random_device{}() % 1'000'000'000; }

class FuzzCommand : public Command {
 public:
  std::string name() const override { return "fuzz"; }
  std::string summary() const override { return "run random cases; shrink and keep what fails"; }
  std::string examples() const override {
    return "Examples:\n"
           "  rankle fuzz --target 'allreduce/*' --time 60s\n"
           "  rankle fuzz --target 'allreduce/*' --cases 5000 --seed 7\n"
           "  rankle fuzz --target '*@divergent_barrier' --world 4 --dtype bf16 --out findings\n"
           "Exit: 0 nothing found, 1 finding, 2 usage, 3 environment, 4 internal error, 5 only "
           "flaky findings.\n"
           "A repro file never overwrites another one: names are numbered where they are taken.";
  }

  void declare(CLI::App&, OptionSet& options) override {
    selection_ = SelectionOptions::declare(options);
    weak_memory_ = &options.flag("weak-memory",
                                 "let loads return older values where the memory model allows it");
    programs_ = &options.add(
        "programs", "sequences of captures, replays, registrations, ...: none, mixed or only",
        "mixed");
    time_ = &options.add("time", "how long; default: 60s unless --cases is given");
    cases_ = &options.add("cases", "how many cases at most");
    seed_ = &options.add("seed", "of the stream of cases; default: drawn and printed");
    only_case_ = &options.add("only-case", "run only this case of the stream; needs --seed");
    out_ = &options.add("out", "folder of repro files", "rankle-findings");
    platform_ = &declare_platform(options);
    max_findings_ = &options.add("max-findings", "stop after so many; 0: never", "1");
    minimise_time_ = &options.add("minimize-time", "how long to shrink one finding", "8s");
    deadline_ = &options.add("deadline", "after this a case counts as hung", "10s");
    statistics_ = &options.flag("statistics", "print what was drawn");
    settings_ = RunSettings::declare(options);
    keep_going_ =
        &options.flag("keep-going", "go on after the first report of a case, to see what it does");
  }

  int run(Console& console, const Surroundings& surroundings) override {
    FuzzPlan plan = plan_from_options();
    plan.interrupted = surroundings.interrupted;
    const auto executor = surroundings.make_executor(plan.platform);
    plan.contracts = select(executor->contracts(), plan.selection, selection_);
    announce(console, plan, *executor);
    FuzzReport report(console, *statistics_);
    const FuzzSummary summary = FuzzLoop(plan, *executor, report).run();
    const int code = exit_of(summary);
    report.end(summary, code);
    return code;
  }

 private:
  FuzzPlan plan_from_options() const {
    FuzzPlan plan;
    plan.platform = platform_of(*platform_);
    plan.version = version();
    plan.commit = commit();
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
      plan.seconds_max = 60;
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
    plan.out = out_->text();
    if (std::filesystem::exists(plan.out) && !std::filesystem::is_directory(plan.out)) {
      out_->refuse("is a file; a folder, which is made if it does not exist, is allowed");
    }
    return plan;
  }

  static void announce(Console& console, const FuzzPlan& plan, Executor& executor) {
    std::vector<std::string> targets;
    targets.reserve(plan.contracts.size());
    for (const Contract& contract : plan.contracts) targets.push_back(contract.target);
    std::string limit;
    if (plan.only_case) limit = fmt::format("case {} only", *plan.only_case);
    if (plan.cases_max != 0)
      limit += fmt::format("{}{} cases", limit.empty() ? "" : ", ", plan.cases_max);
    if (plan.seconds_max > 0) {
      limit += fmt::format("{}{}", limit.empty() ? "" : ", ", format_duration(plan.seconds_max));
    }
    console.note(start_line(
        plan.platform, fmt::format("seed {}, worlds {}, dtypes {}, {}, findings in {}", plan.seed,
                                   plan.selection.worlds.empty()
                                       ? "all"
                                       : fmt::format("{}", fmt::join(plan.selection.worlds, ",")),
                                   plan.selection.dtypes.empty()
                                       ? "all"
                                       : fmt::format("{}", fmt::join(plan.selection.dtypes, ",")),
                                   limit, plan.out.string())));
    console.note(fmt::format("targets: {}", fmt::join(targets, ", ")));
    Json fields = start_fields("fuzz", plan.platform, executor);
    fields["seed"] = plan.seed;
    fields["targets"] = targets;
    fields["options"] = {{"target", plan.selection.target},
                         {"world", plan.selection.worlds},
                         {"dtype", plan.selection.dtypes},
                         {"programs", name_of(plan.selection.programs)},
                         {"weak_memory", plan.selection.weak_memory},
                         {"time_s", plan.seconds_max},
                         {"cases", plan.cases_max},
                         {"max_findings", plan.findings_max},
                         {"minimize_time_s", plan.minimise_seconds_max},
                         {"deadline_s", plan.run.deadline_s},
                         {"keep_going", plan.run.keep_going},
                         {"relaxed_handoff", name_of(plan.run.relaxed_handoff)},
                         {"wave_synchronous", name_of(plan.run.wave_synchronous)},
                         {"volatile", name_of(plan.run.volatile_model)},
                         {"verify_determinism", plan.run.verify_determinism},
                         {"out", plan.out.string()}};
    console.event("start", fields);
  }

  static int exit_of(const FuzzSummary& summary) {
    const FuzzProgress& progress = summary.progress;
    if (progress.findings == 0) return kExitClean;
    return progress.findings == progress.flaky ? kExitFlaky : kExitFinding;
  }

  SelectionOptions selection_;
  const TextOption* programs_ = nullptr;
  const bool* weak_memory_ = nullptr;
  const TextOption* time_ = nullptr;
  const TextOption* cases_ = nullptr;
  const TextOption* seed_ = nullptr;
  const TextOption* only_case_ = nullptr;
  const TextOption* out_ = nullptr;
  const TextOption* platform_ = nullptr;
  const TextOption* max_findings_ = nullptr;
  const TextOption* minimise_time_ = nullptr;
  const TextOption* deadline_ = nullptr;
  const bool* statistics_ = nullptr;
  const bool* keep_going_ = nullptr;
  RunSettings settings_;
};

}  // namespace

std::unique_ptr<Command> make_fuzz_command() { return std::make_unique<FuzzCommand>(); }

}  // namespace rankle::cli
