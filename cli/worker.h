// Finds the worker executable of a platform and makes an executor of it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "cli/command.h"
#include "harness/executor.h"

namespace rankle::cli {

// "rankle-worker-<platform>" beside this executable, which itself finds its targets in `targets/`
// beside it (RANKLE_TARGET_DIR overrides that). Throws EnvironmentError if there is no such file.
std::unique_ptr<Executor> make_worker_executor(const ExecutorRequest& request);

// The folder that this executable lies in.
std::filesystem::path executable_folder();

}  // namespace rankle::cli
