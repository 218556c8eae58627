// Runs cases in this process: loads the targets, runs the program on the platform's devices and
// gathers what the platform and the runner found into one verdict. A target that crashes or never
// returns takes the process with it; WorkerExecutor is for that.
#pragma once

#include <filesystem>
#include <set>
#include <utility>
#include <vector>

#include "harness/executor.h"
#include "harness/runner/target_loader.h"

namespace rankle {

class InProcessExecutor : public Executor {
 public:
  // Loads one copy of every target in the directories.
  explicit InProcessExecutor(const std::vector<std::filesystem::path>& target_dirs);

  std::vector<Contract> contracts() override;
  // The platform's and the runner's own. Crashes and timeouts take a supervisor to see.
  std::set<FindingKind> detectors() override;

  // RunOptions::deadline_s is not enforced here. Findings are in the order of discovery as far as
  // it is known: rank mismatches and refused launches, the platform's reports, the runner's checks,
  // leaks.
  Verdict run(const Case& c, const RunOptions& options) override;
  bool is_spent() const override { return spent_; }

  // Files in the directories that could not be used, each with one sentence.
  const std::vector<LoadFailure>& load_failures() const { return loader_.failures(); }

 private:
  Verdict run_once(const Case& c, const RunOptions& options);
  Contract as_run_here(Contract contract) const;

  TargetLoader loader_;
  std::set<std::pair<const Target*, int>>
      settled_;  // targets that have been run, and by which rank
  bool spent_ = false;
};

}  // namespace rankle
