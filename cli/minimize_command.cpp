// `rankle minimize FILE`: shrinks a repro file's case further, under its own signature. Writes
// beside the file ("finding.min.json", numbered if taken) unless told otherwise; the file itself is
// replaced only with --in-place. Exit 0: done; 2: bad file, or the finding does not show, so that
// there is nothing to shrink.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <system_error>

#include "cli/build_info.h"
#include "cli/command.h"
#include "cli/errors.h"
#include "cli/events.h"
#include "cli/platform.h"
#include "cli/units.h"
#include "repro/atomic_file.h"
#include "repro/describe_case.h"
#include "repro/explain.h"
#include "repro/minimiser.h"

namespace rankle::cli {
namespace {

namespace fs = std::filesystem;

class MinimizeCommand : public Command {
 public:
  std::string name() const override { return "minimize"; }
  std::string summary() const override { return "shrink the case of a repro file further"; }
  std::string examples() const override {
    return "Examples:\n"
           "  rankle minimize finding.json                 writes finding.min.json\n"
           "  rankle minimize finding.json --in-place      replaces it\n"
           "  rankle minimize finding.json --time 10m\n"
           "Exit: 0 done, 2 bad file or not reproduced, 3 environment.";
  }

  void declare(CLI::App& app, OptionSet& options) override {
    app.add_option("FILE", file_, "repro file")->required();
    out_ = &options.add("out", "folder to write to; default: that of FILE");
    in_place_ = &options.flag("in-place", "replace FILE");
    time_ = &options.add("time", "how long at most", "60s");
    attempts_ = &options.add("attempts", "how many runs at most", "10000");
    seed_ =
        &options.add_without_variable("seed", "other data and another schedule than in the file");
    platform_ = &declare_platform(options);
  }

  int run(Console& console, const Surroundings& surroundings) override {
    const std::string platform = platform_of(*platform_);
    if (*in_place_ && out_->given()) out_->refuse("does not go with --in-place; one of them does");
    Repro repro = read_repro(file_);
    if (seed_->given()) {
      repro.failing.seed = seed_->whole_number(0, std::numeric_limits<std::uint64_t>::max());
      repro.failing.schedule.seed = repro.failing.seed;
    }
    MinimiseOptions options;
    options.seconds_max = time_->seconds();
    options.attempts_max = attempts_->whole_number(1, std::numeric_limits<std::uint64_t>::max());
    options.run = repro.options;
    options.signatures = {repro.signature};
    options.stop = surroundings.interrupted;
    const auto executor = surroundings.make_executor(platform);
    const Contract contract = contract_of(repro, executor->contracts());

    console.note(start_line(platform, "minimizing " + file_));
    Json start = start_fields("minimize", platform, *executor);
    start["files"] = {file_};
    console.event("start", start);
    written_.clear();
    options.accepted = [&](const Case& smaller, const Verdict& verdict) {
      save(with(repro, smaller, verdict, platform));
      if (console.live()) console.live_line("shrinking: " + summarise_case(smaller));
    };
    const Minimised result = minimise(repro.failing, contract, *executor, options);
    return conclude(console, repro, result, platform);
  }

 private:
  Contract contract_of(const Repro& repro, const std::vector<Contract>& contracts) const {
    const auto it = std::find_if(contracts.begin(), contracts.end(), [&](const Contract& c) {
      return c.target == repro.failing.target;
    });
    if (it == contracts.end()) {
      throw UsageError(
          fmt::format("{}: repro.case.target: '{}' is no target of this platform; "
                      "`rankle list` shows what is",
                      file_, printable(repro.failing.target)));
    }
    if (const auto wrong = validate(repro.failing, *it)) {
      throw UsageError(fmt::format("{}: repro.{}", file_, printable(wrong->message)));
    }
    return *it;
  }

  static Repro with(const Repro& before, const Case& smaller, const Verdict& verdict,
                    const std::string& platform) {
    Repro repro = before;
    repro.rankle = version();
    repro.commit = commit();
    repro.platform = platform;
    repro.failing = smaller;
    repro.trace_hash = verdict.trace_hash;
    repro.variants = verdict.variants;
    repro.further.clear();
    bool placed = false;
    for (const Finding& finding : verdict.findings) {
      if (!placed && signature_of(finding, smaller.target) == repro.signature) {
        repro.finding = finding;
        placed = true;
      } else {
        repro.further.push_back(finding);
      }
    }
    if (!repro.original_case && smaller != before.failing) repro.original_case = before.failing;
    return repro;
  }

  // The first call makes the file, later ones replace what it made.
  void save(const Repro& repro) {
    try {
      if (*in_place_) written_ = file_;
      if (!written_.empty()) {
        replace_file(written_, to_text(repro));
        return;
      }
      const fs::path file(file_);
      fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
      if (out_->given()) folder = out_->text();
      fs::create_directories(folder);
      written_ = create_numbered_file(folder, file.stem().string() + ".min", to_text(repro));
    } catch (const std::system_error& error) {
      throw EnvironmentError(error.what());
    }
  }

  int conclude(Console& console, const Repro& repro, const Minimised& result,
               const std::string& platform) {
    if (result.end == MinimiseEnd::environment_error) throw EnvironmentError(result.error);
    if (result.end == MinimiseEnd::not_reproduced) {
      throw UsageError(
          fmt::format("{}: the finding does not show any more ({}), so there is "
                      "nothing to shrink; `rankle replay` shows what happens",
                      file_, repro.signature));
    }
    // Stopped before its first run it has no verdict.
    const bool has_verdict = result.end != MinimiseEnd::stopped || result.accepted > 0;
    Repro final =
        has_verdict ? with(repro, result.smallest, result.verdict, platform) : Repro(repro);
    if (result.accepted > 0) {
      final.minimised = MinimisedNote{result.attempts, result.accepted, result.seconds,
                                      std::string(name_of(result.end))};
      save(final);
    }
    console.say(fmt::format("{} ({}, {} runs in {})",
                            result.accepted > 0 ? "smaller case: " + summarise_case(final.failing)
                                                : std::string("nothing smaller fails this way"),
                            name_of(result.end), result.attempts, format_duration(result.seconds)),
                Style::bold);
    const std::string file = written_.empty() ? file_ : written_.string();
    console.say("  " + replay_command(file));
    console.say("  " + fuzz_command(final));
    Json fields = finding_fields(final);
    fields["cases"] = result.attempts;
    fields["seconds"] = result.seconds;
    fields["repro"] = file;
    fields["accepted"] = result.accepted;
    fields["minimise_end"] = name_of(result.end);
    console.event("finding", fields);
    const double rate =
        result.seconds > 0 ? static_cast<double>(result.attempts) / result.seconds : 0.0;
    console.event("end", {{"exit", kExitClean},
                          {"cases", result.attempts},
                          {"seconds", result.seconds},
                          {"cases_per_s", rate},
                          {"repro", file}});
    return kExitClean;
  }

  std::string file_;
  fs::path written_;
  const TextOption* out_ = nullptr;
  const bool* in_place_ = nullptr;
  const TextOption* time_ = nullptr;
  const TextOption* attempts_ = nullptr;
  const TextOption* seed_ = nullptr;
  const TextOption* platform_ = nullptr;
};

}  // namespace

std::unique_ptr<Command> make_minimize_command() { return std::make_unique<MinimizeCommand>(); }

}  // namespace rankle::cli
