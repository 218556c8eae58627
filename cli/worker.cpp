// See worker.h.
#include "cli/worker.h"

#include <fmt/format.h>
#include <unistd.h>

#include <system_error>
#include <utility>

#include "cli/installed_files.h"
#include "cli/interrupt.h"
#include "harness/worker_executor.h"

namespace rankle::cli {

std::filesystem::path executable_folder() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path(".") : self.parent_path();
}

std::unique_ptr<Executor> make_worker_executor(const ExecutorRequest& request) {
  const std::string& platform = request.platform;
  const auto path = worker_file(platform);
  if (access(path.c_str(), X_OK) != 0) {
    throw EnvironmentError(fmt::format(
        "platform {} has no worker here: {} does not exist; build it with its preset (cmake "
        "--preset {})",
        platform, path.string(), platform));
  }
  WorkerOptions options;
  options.command.arguments = {path.string()};
  options.command.memory_bytes_max = request.memory_bytes_max;
  options.cases_per_worker = request.cases_per_worker;
  options.slot_file = request.slot_file;
  options.interrupted = interrupted;
  return std::make_unique<WorkerExecutor>(std::move(options));
}

}  // namespace rankle::cli
