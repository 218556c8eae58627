// The list of commands, and the one place where parsing, exit codes and error texts meet.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "cli/build_info.h"
#include "cli/command.h"
#include "cli/errors.h"
#include "generators/case_json.h"
#include "generators/contract_json.h"
#include "harness/interrupted.h"
#include "repro/repro_file.h"

namespace rankle::cli {
namespace {

std::string version_text() {
  return fmt::format(
      "rankle {} ({})\nreads: case schema {}, contract schema {}, repro schema {}\nplatform: {}",
      version(), commit(), kCaseSchema, kContractSchema, kReproSchema, default_platform());
}

// One subcommand with what it declared.
struct Entry {
  std::unique_ptr<Command> command;
  std::unique_ptr<OptionSet> options;
  CLI::App* app = nullptr;
  const bool* json = nullptr;
  const bool* quiet = nullptr;
};

std::vector<Entry> declare_all(CLI::App& app) {
  std::vector<Entry> entries;
  for (auto& command : make_commands()) {
    Entry entry;
    entry.app = app.add_subcommand(command->name(), command->summary());
    entry.app->footer(command->examples());
    entry.options = std::make_unique<OptionSet>(*entry.app);
    command->declare(*entry.app, *entry.options);
    entry.json = &entry.options->flag("json", "one object a line on stdout; text on stderr");
    entry.quiet = &entry.options->flag("quiet", "findings and errors only");
    entry.command = std::move(command);
    entries.push_back(std::move(entry));
  }
  return entries;
}

int run_entry(Entry& entry, const Surroundings& surroundings, std::FILE* out, std::FILE* err) {
  entry.options->read_environment();
  Console console(out, err, *entry.json, *entry.quiet);
  int code = kExitInternal;
  std::string what;
  try {
    return entry.command->run(console, surroundings);
  } catch (const UsageError& error) {
    code = kExitUsage;
    what = error.what();
  } catch (const ReproError& error) {
    code = kExitUsage;
    what = error.what();
  } catch (const EnvironmentError& error) {
    code = kExitEnvironment;
    what = error.what();
  } catch (const Interrupted& stop) {
    code = kExitInterrupted;
    what = stop.what();
  } catch (const std::exception& error) {
    what = fmt::format("internal error: {}", error.what());
  }
  console.live_line("");
  console.error(what);
  console.event(
      "end",
      {{"exit", code}, {"cases", 0}, {"seconds", 0.0}, {"cases_per_s", 0.0}, {"error", what}});
  return code;
}

// CLI11 only says that a subcommand is required; a typo deserves the names.
void check_command_name(int argc, const char* const* argv, const std::vector<Entry>& entries) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first.empty() || first.front() == '-') return;
  std::string allowed;
  for (const Entry& entry : entries) {
    const std::string name = entry.command->name();
    if (name == first) return;
    allowed += (allowed.empty() ? "" : ", ") + name;
  }
  throw UsageError(fmt::format("'{}' is no command; allowed: {}", first, allowed));
}

void print(std::FILE* stream, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

}  // namespace

std::vector<std::unique_ptr<Command>> make_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(make_list_command());
  commands.push_back(make_fuzz_command());
  commands.push_back(make_smoke_command());
  commands.push_back(make_stress_command());
  commands.push_back(make_replay_command());
  commands.push_back(make_minimize_command());
  commands.push_back(make_explain_command());
  commands.push_back(make_report_command());
  commands.push_back(make_completion_command());
  return commands;
}

int run_command_line(int argc, const char* const* argv, const Surroundings& surroundings,
                     std::FILE* out, std::FILE* err) {
  CLI::App app("Finds, shrinks and explains bugs in multi-GPU collective kernels.", "rankle");
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text());
  app.footer(
      "Examples:\n"
      "  rankle list                                     what can be tested\n"
      "  rankle fuzz --target 'allreduce/*' --time 60s    look for bugs for a minute\n"
      "  rankle replay rankle-findings/*.json            run what was found again\n"
      "  rankle COMMAND --help                           options and examples of a command\n"
      "Every option has a variable: --world is RANKLE_WORLD. Options win over variables.");
  std::vector<Entry> entries = declare_all(app);
  try {
    check_command_name(argc, argv, entries);
    app.parse(argc, argv);
  } catch (const CLI::Success&) {
    // --help and --version, of the program or of the subcommand that was named.
    CLI::App* asked = &app;
    for (CLI::App* sub : app.get_subcommands()) asked = sub;
    const bool wants_version = app.get_option("--version")->count() > 0;
    print(out, wants_version ? version_text() + "\n" : asked->help());
    return kExitClean;
  } catch (const UsageError& error) {
    print(err, fmt::format("rankle: {}\n", error.what()));
    return kExitUsage;
  } catch (const CLI::ParseError& error) {
    print(err, fmt::format("rankle: {}; `rankle --help` and `rankle COMMAND --help` say what is "
                           "allowed\n",
                           error.what()));
    return kExitUsage;
  }
  for (Entry& entry : entries) {
    if (entry.app->parsed()) return run_entry(entry, surroundings, out, err);
  }
  return kExitUsage;
}

}  // namespace rankle::cli
