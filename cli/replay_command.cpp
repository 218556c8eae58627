// `rankle replay FILE...`: does it still happen? Exit 0 not reproduced, 1 same signature, 7 another
// finding; with several files the gravest of these (7, 1, 0). Bad files are refused before any
// runs. With --iterations it repeats calls instead: repeat_cases.h; 1 if any case failed.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <chrono>
#include <limits>

#include "cli/command.h"
#include "cli/errors.h"
#include "cli/events.h"
#include "cli/platform.h"
#include "cli/repeat_cases.h"
#include "cli/run_settings.h"
#include "repro/describe_case.h"
#include "repro/explain.h"
#include "repro/pct_report.h"
#include "repro/replay.h"

namespace rankle::cli {
namespace {

class ReplayCommand : public Command {
 public:
  std::string name() const override { return "replay"; }
  std::string summary() const override { return "run repro files again"; }
  std::string examples() const override {
    return "Examples:\n"
           "  rankle replay finding.json\n"
           "  rankle replay finding.json --keep-going     what the bug does to the data\n"
           "  rankle replay finding.json --platform amd   on real devices\n"
           "  rankle replay corpus --iterations 100       each case's call, eagerly and in graphs\n"
           "Exit: 0 not reproduced, 1 same signature, 7 another finding, 2 bad file, 3 "
           "environment.";
  }

  void declare(CLI::App& app, OptionSet& options) override {
    app.add_option("FILE", files_, "repro files; with --iterations also cases, and folders of them")
        ->required();
    platform_ = &declare_platform(options);
    seed_ =
        &options.add_without_variable("seed", "other data and another schedule than in the file");
    deadline_ = &options.add("deadline", "after this a case counts as hung; default: the file's");
    keep_going_ = &options.flag("keep-going", "go on after the first report");
    settings_ = RunSettings::declare(options);
    repeat_ = RepeatCases::declare(options);
  }

  int run(Console& console, const Surroundings& surroundings) override {
    started_ = std::chrono::steady_clock::now();
    const std::string platform = platform_of(*platform_);
    if (repeat_.given()) return repeat_cases(platform, console, surroundings);
    std::vector<Repro> repros;
    repros.reserve(files_.size());
    for (const std::string& file : files_) repros.push_back(adjusted(read_repro(file)));
    const auto executor = surroundings.make_executor(platform);
    check_targets(executor->contracts(), repros);

    console.note(start_line(platform, fmt::format("{} to replay", repros.size())));
    Json start = start_fields("replay", platform, *executor);
    start["files"] = files_;
    console.event("start", start);
    Json replays = Json::array();
    int code = kExitClean;
    for (std::size_t i = 0; i < repros.size(); ++i) {
      if (surroundings.interrupted && surroundings.interrupted()) break;
      const Replayed result = replay_one(repros[i], *executor, platform, files_[i]);
      print(console, repros[i], files_[i], result);
      code = std::max(code, exit_of(result));
      replays.push_back({{"repro", files_[i]},
                         {"outcome", name_of(result.outcome)},
                         {"signature", result.signature},
                         {"trace_hash", hex(result.verdict.trace_hash)},
                         {"trace_differs", result.trace_differs}});
    }
    print_end(console, replays, code);
    return code;
  }

 private:
  int repeat_cases(const std::string& platform, Console& console,
                   const Surroundings& surroundings) const {
    std::vector<FileCase> cases = read_cases(files_);
    for (FileCase& each : cases) adjust(each.c);
    const auto executor = surroundings.make_executor(platform);
    console.note(start_line(platform, fmt::format("{} to repeat", cases.size())));
    Json start = start_fields("replay", platform, *executor);
    start["files"] = files_;
    console.event("start", start);
    const auto adjust_options = [this](RunOptions& options) { this->adjust(options); };
    return repeat_.run(cases, *executor, adjust_options, console, surroundings);
  }

  void adjust(RunOptions& options) const {
    options.keep_going |= *keep_going_;
    if (deadline_->given()) options.deadline_s = deadline_->seconds();
    settings_.apply(options);
  }

  void adjust(Case& c) const {
    if (!seed_->given()) return;
    c.seed = seed_->whole_number(0, std::numeric_limits<std::uint64_t>::max());
    c.schedule.seed = c.seed;
  }

  Repro adjusted(Repro repro) const {
    adjust(repro.failing);
    return repro;
  }

  void check_targets(const std::vector<Contract>& contracts,
                     const std::vector<Repro>& repros) const {
    for (std::size_t i = 0; i < repros.size(); ++i) {
      const std::string& target = repros[i].failing.target;
      const auto it = std::find_if(contracts.begin(), contracts.end(),
                                   [&](const Contract& c) { return c.target == target; });
      if (it == contracts.end()) {
        throw UsageError(
            fmt::format("{}: repro.case.target: '{}' is no target of this platform; "
                        "`rankle list` shows what is",
                        files_[i], printable(target)));
      }
      if (const auto wrong = validate(repros[i].failing, *it)) {
        throw UsageError(fmt::format("{}: repro.{}", files_[i], printable(wrong->message)));
      }
    }
  }

  Replayed replay_one(const Repro& repro, Executor& executor, const std::string& platform,
                      const std::string& file) const {
    RunOptions options = repro.options;
    adjust(options);
    const bool same_run = platform == "sim" && repro.platform == "sim" && !seed_->given() &&
                          options.keep_going == repro.options.keep_going && !settings_.given();
    Replayed result = replay(repro, executor, options, same_run);
    if (result.outcome == ReplayOutcome::invalid_case) {
      throw UsageError(fmt::format("{}: {}", file, result.error));
    }
    if (result.outcome == ReplayOutcome::environment_error) throw EnvironmentError(result.error);
    return result;
  }

  static int exit_of(const Replayed& result) {
    switch (result.outcome) {
      case ReplayOutcome::same_signature:
        return kExitFinding;
      case ReplayOutcome::other_finding:
        return kExitOtherFinding;
      default:
        return kExitClean;
    }
  }

  void print(Console& console, const Repro& repro, const std::string& file,
             const Replayed& result) const {
    const bool same = result.outcome == ReplayOutcome::same_signature;
    console.say(fmt::format("{}: {}", file,
                            same ? "reproduced, same signature"
                            : result.outcome == ReplayOutcome::other_finding
                                ? "fails in another way than the file says"
                                : "not reproduced"),
                same ? Style::red : Style::bold);
    console.note("  case: " + summarise_case(repro.failing));
    if (repro.failing.schedule.policy == Policy::pct) {
      console.note("  " + sentence_of(pct_report(repro.failing.schedule, result.verdict.stats)));
    }
    for (const Finding& finding : result.verdict.findings) {
      console.say(fmt::format("  {}: {}", name_of(finding.kind), sentence_of(finding)));
      for (const std::string& detail : finding.details) console.note("    - " + printable(detail));
    }
    if (result.trace_differs) {
      console.say(fmt::format("  the trace differs: {} here, {} in the file (another build or "
                              "another version of the kernel)",
                              hex(result.verdict.trace_hash), hex(repro.trace_hash)),
                  Style::yellow);
    } else {
      console.note("  trace " + hex(result.verdict.trace_hash));
    }
    if (!result.verdict.findings.empty()) print_finding_event(console, repro, file, result);
  }

  void print_finding_event(Console& console, const Repro& repro, const std::string& file,
                           const Replayed& result) const {
    Repro shown = repro;
    shown.signature = result.signature;
    shown.trace_hash = result.verdict.trace_hash;
    shown.further.clear();
    bool placed = false;
    for (const Finding& finding : result.verdict.findings) {
      if (!placed && signature_of(finding, repro.failing.target) == result.signature) {
        shown.finding = finding;
        placed = true;
      } else {
        shown.further.push_back(finding);
      }
    }
    Json fields = finding_fields(shown);
    fields["cases"] = 1;
    fields["seconds"] = result.verdict.stats.seconds;
    fields["repro"] = file;
    fields["outcome"] = name_of(result.outcome);
    console.event("finding", fields);
  }

  void print_end(Console& console, const Json& replays, int code) const {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started_;
    const auto cases = static_cast<double>(replays.size());
    Json fields = {{"exit", code},
                   {"cases", replays.size()},
                   {"seconds", took.count()},
                   {"cases_per_s", took.count() > 0 ? cases / took.count() : 0.0},
                   {"trace_hash", replays.empty() ? Json() : replays.back()["trace_hash"]},
                   {"replays", replays}};
    console.event("end", fields);
  }

  std::vector<std::string> files_;
  const TextOption* platform_ = nullptr;
  const TextOption* seed_ = nullptr;
  const TextOption* deadline_ = nullptr;
  const bool* keep_going_ = nullptr;
  RunSettings settings_;
  RepeatCases repeat_;
  std::chrono::steady_clock::time_point started_;
};

}  // namespace

std::unique_ptr<Command> make_replay_command() { return std::make_unique<ReplayCommand>(); }

}  // namespace rankle::cli
