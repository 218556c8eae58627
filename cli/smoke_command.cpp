// `rankle smoke`: one line in a CI's workflow. First the canary, because a run that finds nothing
// means something only if the harness still finds what is there; then the corpus; then random cases
// until the time is up.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <utility>

#include "campaign/canary.h"
#include "campaign/ci/run_recorder.h"
#include "campaign/fuzz_loop.h"
#include "cli/ci_files.h"
#include "cli/command.h"
#include "cli/commit_seed.h"
#include "cli/errors.h"
#include "cli/fuzz_options.h"
#include "cli/fuzz_report.h"
#include "cli/installed_files.h"
#include "cli/repeat_cases.h"

namespace rankle::cli {
namespace {

template <typename Value>
bool is_among(const std::vector<Value>& selected, Value value) {
  return selected.empty() || std::ranges::find(selected, value) != selected.end();
}

// Whether fuzzing could draw such a case under the plan.
bool is_selected(const Case& c, const FuzzPlan& plan) {
  if (!is_among(plan.draw.worlds, c.world) || !is_among(plan.draw.dtypes, c.dtype)) return false;
  return std::ranges::any_of(plan.contracts, [&](const Contract& contract) {
    return contract.target == c.target && !validate(c, contract);
  });
}

// Elements that the calls of a case take in, over all ranks: what its run costs, roughly.
std::int64_t cost_of(const Case& c) {
  const auto calls = std::ranges::count(c.program, StepKind::call, &Step::kind);
  return c.count() * c.world * std::max<std::int64_t>(1, calls);
}

// How many cases fit into half of the time, so that random ones have the other half. By a rule of
// thumb and not by a clock, so that equal commands run equal cases.
std::size_t affordable(const std::vector<CorpusCase>& corpus, const FuzzPlan& plan) {
  constexpr double kElementsPerSecond = 400'000;  // simulated, on one slow core
  if (plan.seconds_max <= 0) return corpus.size();
  double left = plan.seconds_max / 2 * kElementsPerSecond * static_cast<double>(plan.lanes.size());
  std::size_t kept = 0;
  while (kept < corpus.size() && left >= static_cast<double>(cost_of(corpus[kept].c))) {
    left -= static_cast<double>(cost_of(corpus[kept++].c));
  }
  return kept;
}

class SmokeCommand : public Command {
 public:
  std::string name() const override { return "smoke"; }
  std::string summary() const override { return "canary, corpus, then fuzz for a minute: for CI"; }
  std::string examples() const override {
    return "Examples:\n"
           "  rankle smoke --target 'allreduce/*' --time 60s\n"
           "  rankle smoke --seed-from-commit \"$(git rev-parse HEAD)\" --junit smoke.xml\n"
           "  rankle smoke --corpus my-cases --sarif smoke.sarif --github\n"
           "Exit: 0 nothing found, 1 finding, 2 usage, 3 environment, 4 internal error (also: the "
           "harness is blind), 5 only flaky findings.";
  }

  void declare(CLI::App&, OptionSet& options) override {
    set_ = &options;
    options_ = FuzzOptions::declare(options, {.time = "60s", .findings_max = "0"});
    commit_ = &options.add("seed-from-commit", "take the seed from the hash of a commit");
    corpus_ = &options.add(
        "corpus", "file or folder of cases that run first, or none; default: Rankle's own");
    out_ = &options.add("out", "folder of repro files", "rankle-findings");
    no_canary_ = &options.flag("no-canary", "go on without the planted bug that must be found");
    files_ = CiFiles::declare(options);
  }

  int run(Console& console, const Surroundings& surroundings) override {
    FuzzPlan plan = options_.plan(surroundings);
    check(plan);
    RunRecord record;
    record.version = plan.version;
    record.commit = plan.commit;
    record.platform = plan.platform;
    record.seed = plan.seed;
    record.started = std::time(nullptr);
    record.command = command_line(plan);
    try {
      record.exit_code = run_recorded(console, surroundings, plan, record);
    } catch (const EnvironmentError& error) {
      fail(record, kExitEnvironment, error.what());
      files_.write(record, console);
      throw;
    }
    files_.write(record, console);
    return record.exit_code;
  }

 private:
  // Everything that a person can have got wrong, before anything runs.
  void check(FuzzPlan& plan) const {
    files_.check();
    if (plan.only_case) options_.only_case().refuse("is not allowed here; `rankle fuzz` takes it");
    std::error_code ignored;
    if (std::filesystem::exists(out_->text(), ignored) &&
        !std::filesystem::is_directory(out_->text(), ignored)) {
      out_->refuse("is a file; a folder, which is made if it does not exist, is allowed");
    }
    plan.minimising_takes_time = true;
    if (!commit_->given()) return;
    const auto seed = seed_from_commit(commit_->text());
    if (!seed) commit_->refuse(fmt::format("is not allowed; {} is", kCommitForm));
    if (set_->given().contains("seed")) commit_->refuse("is not allowed together with --seed");
    plan.seed = *seed;
  }

  int run_recorded(Console& console, const Surroundings& surroundings, FuzzPlan& plan,
                   RunRecord& record) const {
    const ExecutorRequest request = options_.request(plan);
    std::unique_ptr<Executor> first = surroundings.make_executor(request);
    options_.select_from(first->contracts(), plan);
    const std::vector<CorpusCase> corpus = read_corpus(console, plan);
    for (const CorpusCase& one : corpus) plan.corpus.push_back(one.c);
    options_.announce(
        console, "smoke", plan, *first,
        fmt::format("{} cases of the corpus, findings in {}", corpus.size(), out_->text()),
        {{"out", out_->text()}, {"corpus", corpus.size()}});
    Coverage coverage(plan.contracts, plan.draw);
    FuzzReport report(console, options_.statistics(), coverage);
    if (!*no_canary_ && !ask_canary(console, *first, record)) {
      FuzzSummary summary;
      summary.end = FuzzEnd::blind;
      console.error(record.error);
      report.end(summary, kExitInternal, {{"error", record.error}});
      return kExitInternal;
    }
    RunRecorder recorder(report, record, corpus, plan.contracts);
    FolderStore store(out_->text());
    const auto executor_of = [&](int job) {
      return job == 0 ? std::move(first) : surroundings.make_executor(request);
    };
    const FuzzSummary summary = FuzzLoop(plan, executor_of, store, recorder).run();
    recorder.finish();
    record.seconds = summary.progress.seconds;
    const int code = exit_of(summary);
    report.end(summary, code);
    return code;
  }

  // The cases that the selected targets take, the cheap ones first: where time is short, more run.
  std::vector<CorpusCase> read_corpus(Console& console, const FuzzPlan& plan) const {
    const std::string path = corpus_->given() ? corpus_->text() : corpus_folder().string();
    if (path.empty() || path == "none") return {};
    std::vector<CorpusCase> corpus;
    std::size_t passed_over = 0;
    for (const FileCase& from : read_cases({path})) {
      if (is_selected(from.c, plan)) {
        corpus.push_back({from.file, from.c});
      } else {
        ++passed_over;
      }
    }
    std::ranges::sort(corpus, {},
                      [](const CorpusCase& one) { return std::pair(cost_of(one.c), one.name); });
    const std::size_t kept = affordable(corpus, plan);
    if (kept < corpus.size()) {
      console.note(
          fmt::format("the {} largest cases of the corpus do not fit into half of the time",
                      corpus.size() - kept));
      corpus.resize(kept);
    }
    if (passed_over > 0) {
      console.note(
          fmt::format("cases of the corpus that are not for this selection: {}", passed_over));
    }
    return corpus;
  }

  // Throws EnvironmentError if the planted bug is not there.
  static bool ask_canary(Console& console, Executor& executor, RunRecord& record) {
    const CanaryResult result = run_canary(executor);
    RunTest test{
        "rankle.canary", result.target, RunTest::State::passed, 1, result.seconds, "", "", ""};
    const bool is_found = result.state == CanaryState::found;
    console.event("canary", {{"found", is_found},
                             {"target", result.target},
                             {"seconds", result.seconds},
                             {"message", result.message}});
    if (result.state == CanaryState::absent) {
      throw EnvironmentError(result.message + ", and --no-canary goes on without one");
    }
    if (is_found) {
      console.note(result.message);
      record.tests.push_back(test);
    } else {
      test.state = RunTest::State::error;
      test.message = result.message;
      record.tests.push_back(test);
      record.error = result.message;
    }
    return is_found;
  }

  static void fail(RunRecord& record, int code, const std::string& why) {
    record.exit_code = code;
    record.error = why;
    record.tests.push_back(
        {"rankle.environment", "worker", RunTest::State::error, 0, 0, why, "", ""});
  }

  // What gives the same run again, whatever variables were set.
  std::string command_line(const FuzzPlan& plan) const {
    std::string line = "rankle smoke";
    for (const auto& [name, text] : set_->given()) {
      if (name == "seed" || name == "seed-from-commit") continue;
      line += text == "true" ? fmt::format(" --{}", name) : fmt::format(" --{} '{}'", name, text);
    }
    return line + fmt::format(" --seed {}", plan.seed);
  }

  OptionSet* set_ = nullptr;
  FuzzOptions options_;
  const TextOption* commit_ = nullptr;
  const TextOption* corpus_ = nullptr;
  const TextOption* out_ = nullptr;
  const bool* no_canary_ = nullptr;
  CiFiles files_;
};

}  // namespace

std::unique_ptr<Command> make_smoke_command() { return std::make_unique<SmokeCommand>(); }

}  // namespace rankle::cli
