// One subcommand of `rankle`: declares its options, then runs. Each lives in a file of its own
// (fuzz_command.cpp, ...); commands.cpp lists them. A new command is one file and one line there.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/console.h"
#include "cli/options.h"
#include "harness/executor.h"

namespace rankle::cli {

// What an executor is to be like.
struct ExecutorRequest {
  // Most commands ask for a platform and nothing else.
  ExecutorRequest(std::string on) : platform(std::move(on)) {}  // NOLINT: an implicit conversion

  std::string platform;
  std::uint64_t cases_per_worker = 0;  // 0: no limit
  std::uint64_t memory_bytes_max = 0;  // of the worker; 0: no limit
  std::filesystem::path slot_file;     // see WorkerOptions
};

// What commands get from outside; tests put a scripted executor in.
struct Surroundings {
  // Throws EnvironmentError if this machine has no such executor. Called from several threads.
  std::function<std::unique_ptr<Executor>(const ExecutorRequest& request)> make_executor;
  std::function<bool()> interrupted;
};

class Command {
 public:
  virtual ~Command() = default;

  virtual std::string name() const = 0;
  virtual std::string summary() const = 0;   // one line of `rankle --help`
  virtual std::string examples() const = 0;  // the foot of `rankle NAME --help`
  virtual void declare(CLI::App& app, OptionSet& options) = 0;
  // An exit code; throws UsageError and EnvironmentError.
  virtual int run(Console& console, const Surroundings& surroundings) = 0;
};

std::unique_ptr<Command> make_list_command();
std::unique_ptr<Command> make_fuzz_command();
std::unique_ptr<Command> make_smoke_command();
std::unique_ptr<Command> make_stress_command();
std::unique_ptr<Command> make_replay_command();
std::unique_ptr<Command> make_minimize_command();
std::unique_ptr<Command> make_explain_command();
std::unique_ptr<Command> make_report_command();
std::unique_ptr<Command> make_completion_command();

// All of them, in the order of `rankle --help`.
std::vector<std::unique_ptr<Command>> make_commands();

// The whole of `rankle`: parses, runs, reports errors. Returns the exit code.
int run_command_line(int argc, const char* const* argv, const Surroundings& surroundings,
                     std::FILE* out, std::FILE* err);

}  // namespace rankle::cli
