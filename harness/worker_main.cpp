// rankle-worker-sim, -amd, -nvidia: runs cases on the devices of one platform. Started by `rankle`
// it serves requests; started by hand it lists its targets or runs one case in its own process,
// which is what a debugger wants.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "generators/case_json.h"
#include "generators/contract_json.h"
#include "harness/runner/in_process_executor.h"
#include "harness/worker_platform.h"
#include "harness/worker_service.h"

namespace {

using namespace rankle;

// Exit statuses of `rankle`, see docs/cli.md.
constexpr int kExitFinding = 1;
constexpr int kExitUsage = 2;
constexpr int kExitEnvironment = 3;
constexpr int kExitFlaky = 5;

struct Arguments {
  std::vector<std::string> target_dirs;
  bool list = false;
  bool version = false;
  bool json = false;
  bool keep_going = false;
  std::string case_file;
};

std::vector<std::filesystem::path> target_dirs_of(const Arguments& arguments) {
  if (!arguments.target_dirs.empty()) {
    return {arguments.target_dirs.begin(), arguments.target_dirs.end()};
  }
  const char* dir = std::getenv("RANKLE_TARGET_DIR");
  if (dir != nullptr && *dir != '\0') {
    return {dir};
  }
  return {std::filesystem::read_symlink("/proc/self/exe").parent_path() / "targets"};
}

// Loads the targets; none at all is an error of the environment, told with the first reason.
std::unique_ptr<InProcessExecutor> executor_of(const Arguments& arguments) {
  const std::vector<std::filesystem::path> dirs = target_dirs_of(arguments);
  auto executor = std::make_unique<InProcessExecutor>(dirs);
  if (const std::string why = worker_platform::why_unavailable(); !why.empty()) {
    throw EnvironmentError(why);
  }
  for (const LoadFailure& failure : executor->load_failures()) {
    fmt::print(stderr, "{}: {}\n", failure.file.string(), failure.message);
  }
  if (executor->contracts().empty()) {
    const auto& failures = executor->load_failures();
    throw EnvironmentError(fmt::format("no target in {}{}", dirs.front().string(),
                                       failures.empty() ? "" : ": " + failures[0].message));
  }
  return executor;
}

int list_targets(Executor& executor, bool as_json) {
  for (const Contract& contract : executor.contracts()) {
    if (as_json) {
      fmt::print("{}\n", contract_to_json(contract).dump());
    } else {
      fmt::print("{:<48} {}\n", contract.target, contract.summary);
    }
  }
  return 0;
}

int exit_status_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass:
      return 0;
    case Outcome::finding:
      return kExitFinding;
    case Outcome::flaky:
      return kExitFlaky;
    case Outcome::invalid_case:
      return kExitUsage;
    case Outcome::environment_error:
      return kExitEnvironment;
  }
  return kExitEnvironment;
}

void print_verdict(const Verdict& verdict, const std::string& target) {
  if (!verdict.error.empty()) {
    fmt::print(stderr, "{}\n", verdict.error);
  }
  for (const Finding& finding : verdict.findings) {
    fmt::print("{}: {}\n", name_of(finding.kind), finding.message);
    for (const std::string& detail : finding.details) {
      fmt::print("  {}\n", detail);
    }
    fmt::print("  signature: {}\n", signature_of(finding, target));
  }
  if (verdict.outcome == Outcome::pass) {
    fmt::print("pass\n");
  }
  fmt::print("trace hash: {:016x}\n", verdict.trace_hash);
}

int run_file(Executor& executor, const Arguments& arguments) {
  std::ifstream file(arguments.case_file, std::ios::binary);
  if (!file) {
    fmt::print(stderr, "--case: cannot read {}\n", arguments.case_file);
    return kExitUsage;
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::optional<JsonError> error;
  const std::optional<Case> c = case_from_text(text, error);
  if (!c) {
    fmt::print(stderr, "{}: {}\n", arguments.case_file, error ? error->message : "no case");
    return kExitUsage;
  }
  RunOptions options;
  options.keep_going = arguments.keep_going;
  const Verdict verdict = executor.run(*c, options);
  if (arguments.json) {
    fmt::print("{}\n", nlohmann::json(verdict).dump(-1, ' ', false,
                                                    nlohmann::json::error_handler_t::replace));
  } else {
    print_verdict(verdict, c->target);
  }
  return exit_status_of(verdict.outcome);
}

int run_by_hand(const Arguments& arguments) {
  try {
    const auto executor = executor_of(arguments);
    return arguments.list ? list_targets(*executor, arguments.json)
                          : run_file(*executor, arguments);
  } catch (const EnvironmentError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return kExitEnvironment;
  }
}

}  // namespace

int main(int argc, char** argv) try {
  worker_platform::prepare(argv);
  Arguments arguments;
  CLI::App app{
      "Runs Rankle cases on HIP devices, simulated or real; normally started by `rankle`."};
  app.add_option(
      "--targets", arguments.target_dirs,
      "Folder with targets (default: RANKLE_TARGET_DIR, or targets/ beside this program)");
  app.add_flag("--list", arguments.list, "List the targets and exit");
  app.add_flag("--version", arguments.version, "Print version and schemas and exit");
  app.add_option("--case", arguments.case_file,
                 "Run the case in this JSON file, without supervision");
  app.add_flag("--keep-going", arguments.keep_going, "With --case: go on after the first report");
  app.add_flag("--json", arguments.json, "Print JSON");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  if (arguments.version) {
    fmt::print("rankle-worker-{} {} (case schema {}, contract schema {})\n",
               worker_platform::name(), RANKLE_VERSION, kCaseSchema, kContractSchema);
    return 0;
  }
  if (started_by_supervisor()) {
    WorkerService service;
    service.name = worker_platform::name();
    service.devices = worker_platform::devices;
    service.make_executor = [&arguments] { return executor_of(arguments); };
    service.probe = worker_platform::probe();
    service.limits_cpu = worker_platform::limits_cpu();
    return serve(service);
  }
  if (!arguments.list && arguments.case_file.empty()) {
    fmt::print(stderr, "nothing to do: give --list, --case FILE or --version\n");
    return kExitUsage;
  }
  return run_by_hand(arguments);
} catch (const std::exception& error) {
  std::fprintf(stderr, "rankle worker: %s\n", error.what());
  return kExitEnvironment;
}
