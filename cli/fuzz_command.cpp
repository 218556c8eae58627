// `rankle fuzz`: random cases until time, cases or findings are up. Stops at the first finding
// unless --max-findings says otherwise, because a person wants to see that one and a script its
// exit code.
#include <fmt/format.h>

#include <utility>

#include "campaign/fuzz_loop.h"
#include "cli/command.h"
#include "cli/errors.h"
#include "cli/fuzz_options.h"
#include "cli/fuzz_report.h"

namespace rankle::cli {
namespace {

class FuzzCommand : public Command {
 public:
  std::string name() const override { return "fuzz"; }
  std::string summary() const override { return "run random cases; shrink and keep what fails"; }
  std::string examples() const override {
    return "Examples:\n"
           "  rankle fuzz --target 'allreduce/*' --time 60s\n"
           "  rankle fuzz --target 'allreduce/*' --cases 5000 --seed 7 --jobs 4\n"
           "  rankle fuzz --target '*@divergent_barrier' --world 4 --dtype bf16 --out findings\n"
           "Exit: 0 nothing found, 1 finding, 2 usage, 3 environment, 4 internal error, 5 only "
           "flaky findings.\n"
           "A repro file never overwrites another one: names are numbered where they are taken.";
  }

  void declare(CLI::App&, OptionSet& options) override {
    options_ = FuzzOptions::declare(options, {.time = "60s"});
    out_ = &options.add("out", "folder of repro files", "rankle-findings");
  }

  int run(Console& console, const Surroundings& surroundings) override {
    FuzzPlan plan = options_.plan(surroundings);
    const std::filesystem::path out = out_->text();
    if (std::filesystem::exists(out) && !std::filesystem::is_directory(out)) {
      out_->refuse("is a file; a folder, which is made if it does not exist, is allowed");
    }
    const ExecutorRequest request = options_.request(plan);
    std::unique_ptr<Executor> first = surroundings.make_executor(request);
    options_.select_from(first->contracts(), plan);
    options_.announce(console, "fuzz", plan, *first, "findings in " + out.string(),
                      {{"out", out.string()}});
    Coverage coverage(plan.contracts, plan.draw);
    FuzzReport report(console, options_.statistics(), coverage);
    FolderStore store(out);
    // The worker that told the contracts is the first job's.
    const auto executor_of = [&](int job) {
      return job == 0 ? std::move(first) : surroundings.make_executor(request);
    };
    const FuzzSummary summary = FuzzLoop(plan, executor_of, store, report).run();
    const int code = exit_of(summary);
    report.end(summary, code);
    return code;
  }

 private:
  FuzzOptions options_;
  const TextOption* out_ = nullptr;
};

}  // namespace

std::unique_ptr<Command> make_fuzz_command() { return std::make_unique<FuzzCommand>(); }

}  // namespace rankle::cli
