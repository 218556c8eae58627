// Asks plugins for their contracts in a process of their own, so that this one does not have to
// load targets that nobody runs: on real devices every target that is loaded costs the time of
// sending its kernels there.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "generators/contract.h"

namespace rankle {

// What one file holds: a contract, or one sentence why not.
struct ScannedTarget {
  std::optional<Contract> contract;
  std::string error;
};

// Calls read(file) for each file in a child of this process. One entry per file; where the child
// ends before it comes to a file, its end is the error. Before this process starts a thread.
std::vector<ScannedTarget> scan_targets(
    const std::vector<std::filesystem::path>& files,
    const std::function<ScannedTarget(const std::filesystem::path&)>& read);

}  // namespace rankle
