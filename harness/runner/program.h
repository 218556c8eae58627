// Interprets the program of a case on every rank: rank_main(rank) is what the platform runs.
//
// Order between ranks. `fill` and the poison steps copy synchronously; `call` only enqueues.
// `check` waits for its own stream, then for all ranks, before it looks at anything, and for all
// ranks again before the next step: so after a check no peer reads this rank's memory any more, and
// a following fill may overwrite the input. After a mere `sync` a peer may still run; a correct
// collective has finished with this rank's input by then, and a program may rely on it.
// poison-scratch is followed by a barrier, since a peer's next call may write there. Memory is
// freed only after a last barrier.
//
// With a reference target (case.same_bits_as) every call is made twice, on memory of its own.
//
// One object per run; its ranks share it, which assumes fibers of one thread.
#pragma once

#include <hip/hip_runtime.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "generators/case.h"
#include "harness/executor.h"
#include "harness/runner/oracle.h"
#include "harness/runner/rank_group.h"
#include "harness/target.h"
#include "harness/verdict.h"

namespace rankle {

// What one rank runs; `reference` is null without case.same_bits_as.
struct RankTargets {
  const Target* target = nullptr;
  const Target* reference = nullptr;
};

class ProgramRun {
 public:
  // The case has been validated; targets has one entry per rank; the oracle is its family's.
  ProgramRun(const Case& c, const RunOptions& options, const FamilyOracle& oracle,
             std::vector<RankTargets> targets);

  void rank_main(int rank);

  // After the run. Rank mismatches and refused launches are apart: they come before what they
  // cause.
  const std::vector<Finding>& launch_findings() const { return launch_findings_; }
  const std::vector<Finding>& findings() const { return findings_; }
  // Per rank, what its last call's dispatch chose; empty if it made none.
  const std::vector<std::string>& variants() const { return variants_; }

 private:
  friend class RankProgram;

  // Records what `rank` launched as its call number `index` and compares it with the first rank's.
  void record_launch(int rank, std::size_t index, const Launched& launched);
  // Expected output of a round, computed by whichever rank asks first.
  const std::vector<std::byte>& expected_of(int rank, int round);

  struct FirstLaunch {
    int rank = 0;
    Launched launched;
  };

  const Case& case_;
  const RunOptions& options_;
  const FamilyOracle& oracle_;
  std::vector<RankTargets> targets_;
  FiberBoard board_;
  std::vector<FirstLaunch> first_launches_;          // by call number
  std::vector<std::vector<Finding>> check_by_rank_;  // of the check that is going on
  std::vector<Finding> launch_findings_;
  std::vector<Finding> findings_;
  std::vector<std::string> variants_;
  bool leave_ = false;  // a check failed and the run does not go on
  int expected_rank_ = -1;
  int expected_round_ = -1;
  std::vector<std::byte> expected_;
};

}  // namespace rankle
