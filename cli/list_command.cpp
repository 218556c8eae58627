// `rankle list`: the targets that a platform's worker has, with what their contracts take.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>

#include "cli/command.h"
#include "cli/errors.h"
#include "cli/events.h"
#include "cli/platform.h"
#include "cli/selection.h"
#include "generators/names.h"

namespace rankle::cli {
namespace {

class ListCommand : public Command {
 public:
  std::string name() const override { return "list"; }
  std::string summary() const override {
    return "targets, planted bugs included, and what they take";
  }
  std::string examples() const override {
    return "Examples:\n"
           "  rankle list                        all targets and all mutants\n"
           "  rankle list --target 'allreduce/*' clean targets of a family\n"
           "  rankle list --target '*@*' --json  mutants, for a program";
  }

  void declare(CLI::App&, OptionSet& options) override {
    selection_ = SelectionOptions::declare(options);
    platform_ = &declare_platform(options);
  }

  int run(Console& console, const Surroundings& surroundings) override {
    const auto started = std::chrono::steady_clock::now();
    const std::string platform = platform_of(*platform_);
    const Selection selection = parse_selection(selection_);
    const std::unique_ptr<Executor> executor = surroundings.make_executor(platform);
    std::vector<Contract> contracts = executor->contracts();
    const std::set<FindingKind> detectors = executor->detectors();
    const bool everything =
        !selection_.target->given() && !selection_.world->given() && !selection_.dtype->given();
    // Nothing asked for shows the mutants as well: a list that hides half of itself helps nobody.
    if (!everything) contracts = select(contracts, selection, selection_);

    console.note(start_line(platform, fmt::format("{} targets", contracts.size())));
    console.event("start", start_fields("list", platform, *executor));
    for (const Contract& contract : contracts) {
      console.say(text_of(contract));
      console.event("target", target_fields(contract, detectors));
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
    console.event("end", {{"exit", kExitClean},
                          {"cases", 0},
                          {"seconds", took.count()},
                          {"cases_per_s", 0.0},
                          {"targets", contracts.size()}});
    return kExitClean;
  }

 private:
  static std::string text_of(const Contract& contract) {
    std::string text = contract.target;
    if (contract.is_mutant()) text += fmt::format("  [{}]", contract.mutant_class);
    text += fmt::format("\n    {}\n    dtypes {}; worlds {}", contract.summary,
                        names_of(contract.dtypes), fmt::join(contract.worlds, ", "));
    return text;
  }

  SelectionOptions selection_;
  const TextOption* platform_ = nullptr;
};

}  // namespace

std::unique_ptr<Command> make_list_command() { return std::make_unique<ListCommand>(); }

}  // namespace rankle::cli
