// One rank of a run: its stream, its sides (rank_side.h), and one function per kind of step.
#pragma once

#include <hip/hip_runtime.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "harness/runner/program.h"
#include "harness/runner/rank_side.h"

namespace rankle {

class RankProgram {
 public:
  RankProgram(ProgramRun& run, int rank);

  // From allocation to the last free. Returns early when the run is stopped.
  void run();

 private:
  // A collective of the ranks that also tells who cannot go on: true if all are `well`. Everything
  // that ranks do together begins with one, so that a rank which fails alone meets the others at
  // their next one instead of leaving them waiting.
  bool meet(bool well);

  // Each returns false if this rank must leave: a HIP call failed, or the run was stopped.
  bool start();
  bool steps();
  bool step(const Step& step);
  void finish();

  bool fill(int round);
  bool poison_output();
  bool poison_scratch();
  bool call(bool staged);
  bool launch(const RankSide& side, bool staged, Launched& launched);
  bool check(int round);
  bool compare(int round);  // the rest of a check, once every rank's calls have ended
  bool read_back();
  bool judge(int round);
  bool judge_output(int round);

  void report(Finding finding) { own_findings().push_back(std::move(finding)); }
  void report(std::vector<Finding> findings) {
    for (Finding& finding : findings) report(std::move(finding));
  }
  std::vector<Finding>& own_findings() { return run_.check_by_rank_[std::size_t(rank_)]; }
  bool has_reference() const { return reference_ != nullptr; }
  std::vector<RankSide*> sides();

  ProgramRun& run_;
  const Case& case_;
  const int rank_;
  FiberRankGroup group_;
  HipCalls hip_;
  hipStream_t stream_ = nullptr;
  RankSide side_;
  std::unique_ptr<RankSide> reference_;
  std::vector<std::byte> filled_;  // what the last fill wrote
  // What the check that is going on has read back.
  std::vector<std::byte> output_bytes_;
  std::vector<std::byte> promised_bytes_;  // the reference's output
  std::vector<std::byte> input_bytes_;
  std::vector<int> rounds_;  // filled so far
  std::size_t calls_ = 0;
  bool parting_ = false;  // all ranks have agreed to leave, at the same step
};

}  // namespace rankle
