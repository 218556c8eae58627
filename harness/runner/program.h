// Interprets the program of a case on every rank: rank_main(rank) is what the platform runs.
//
// Order between ranks. Steps that are not queued copy synchronously; queued ones and calls only
// enqueue. `check` waits for its own stream, then for all ranks, before it looks at anything, and
// for all ranks again before the next step: so after a check no peer reads this rank's memory any
// more, and a following fill may overwrite the input. After a mere `sync` a peer may still run; a
// correct collective has finished with this rank's input by then, and a program may rely on it, as
// it may on the order of the stream. What a queued check has copied is judged by the next check
// that waits. Steps that concern the communicators of all ranks, poison-scratch and reallocate
// begin with a meeting of the ranks. Memory is freed only after a last one.
//
// With a reference target (case.same_bits_as) every call is made twice, on memory of its own.
//
// One object per run; its ranks share it, as fibers or threads. What they file with it is under a
// lock, which no rank holds while it waits for another.
#pragma once

#include <hip/hip_runtime.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "generators/case.h"
#include "harness/executor.h"
#include "harness/runner/judge.h"
#include "harness/runner/oracle.h"
#include "harness/runner/program_plan.h"
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
  friend class RankJudge;

  // Records what `who` launched as its rank's call number `index` and compares it with the first
  // rank's.
  void record_launch(const Actor& who, std::size_t index, const Launched& launched);
  // Expected output of a call, computed by whichever rank asks first.
  std::shared_ptr<const std::vector<std::byte>> expected_of(int rank, const CallShape& shape,
                                                            int round);
  void file_launch(Finding finding);
  void file(std::vector<Finding> findings);

  struct FirstLaunch {
    Actor who;
    Launched launched;
  };
  struct Expected {
    int rank = 0;
    CallShape shape;
    int round = 0;
    std::shared_ptr<const std::vector<std::byte>> bytes;
  };

  const Case& case_;
  const ProgramPlan plan_;
  const RunOptions& options_;
  const FamilyOracle& oracle_;
  std::vector<RankTargets> targets_;
  RankBoard board_;
  std::mutex mutex_;                                      // of what follows, but for leave_
  std::vector<FirstLaunch> first_launches_;               // by call number
  std::vector<std::vector<CheckFinding>> check_by_rank_;  // until a check merges them
  std::vector<Finding> launch_findings_;
  std::vector<Finding> findings_;
  std::vector<std::string> variants_;
  bool leave_ = false;             // a check failed and the run does not go on
  std::deque<Expected> expected_;  // the last ones that ranks have asked for
  std::size_t expected_bytes_ = 0;
};

}  // namespace rankle
