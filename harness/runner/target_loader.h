// Finds target plugins (one shared object per target; see harness/target.h) and gives each rank its
// own instance of one. Contracts are read from a single copy per plugin; the copies of further
// ranks are made when a case first needs them and kept for later cases.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "generators/contract.h"
#include "harness/runner/module_copy.h"
#include "harness/target.h"

namespace rankle {

// A file that looks like a target but is none, and why, in one sentence.
struct LoadFailure {
  std::filesystem::path file;
  std::string message;
};

class TargetLoader {
 public:
  // Scans the directories, in order, for *.so. Nothing is loaded twice: a name that an earlier file
  // already took is a failure.
  explicit TargetLoader(const std::vector<std::filesystem::path>& directories);

  // Sorted by name.
  std::vector<Contract> contracts() const;
  const Contract* contract(std::string_view target) const;
  const std::vector<LoadFailure>& failures() const { return failures_; }

  // Why `target` cannot be run: its load failure if there is one, else that it is unknown and what
  // is known. One sentence.
  std::string why_missing(std::string_view target) const;

  // The instance of `rank`, its statics and globals as right after loading. nullptr on failure,
  // with one sentence in `error`. Pointers stay valid as long as the process lives.
  const Target* fresh(std::string_view target, int rank, std::string& error);

 private:
  struct Instance {
    std::unique_ptr<ModuleCopy> module;
    const Target* (*entry)() = nullptr;
    const Target* target = nullptr;  // what entry() returned
  };
  struct Plugin {
    std::filesystem::path file;
    Contract contract;
    std::vector<Instance> ranks;  // by rank; empty entries are not loaded yet
  };

  static Instance load_instance(const std::filesystem::path& file, std::string& error);
  // All of these add to plugins_ or to failures_.
  void load(const std::filesystem::path& file);
  void scan(const std::vector<std::filesystem::path>& files);
  void add(const std::filesystem::path& file, const Contract& contract, Instance instance);

  std::map<std::string, Plugin, std::less<>> plugins_;
  std::vector<LoadFailure> failures_;
};

}  // namespace rankle
