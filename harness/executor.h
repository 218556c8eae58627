// An Executor runs cases. Two exist: InProcessExecutor (harness/runner/in_process_executor.h; in a
// worker and in tests) and WorkerExecutor (harness/worker_executor.h; a supervised worker process
// with a deadline, in which a crash or a hang of the target becomes a finding).
#pragma once

#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "generators/case.h"
#include "generators/contract.h"
#include "harness/run_options.h"
#include "harness/verdict.h"

namespace rankle {

// Nothing can run: a worker that does not start, a folder without targets. One sentence that names
// the path. `run` gives the same sentence as an `environment_error`.
class EnvironmentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Executor {
 public:
  virtual ~Executor() = default;

  // Contracts of every target that this executor can run, sorted by name. Throws EnvironmentError.
  virtual std::vector<Contract> contracts() = 0;

  // The kinds of finding that a run here can end in, for every target alike: there are no
  // suppressions, so a kind that is missing has no detector on this platform. Throws
  // EnvironmentError.
  virtual std::set<FindingKind> detectors() = 0;

  // Names of the real devices that it runs on, for people; none where they are simulated. Throws
  // EnvironmentError.
  virtual std::vector<std::string> devices() { return {}; }

  // Never throws for what a target does. A case outside its contract gives `invalid_case`.
  virtual Verdict run(const Case& c, const RunOptions& options) = 0;

  // Whether the last run has left this process unfit for another one.
  virtual bool is_spent() const { return false; }
};

}  // namespace rankle
