// An executor whose bug is a predicate, for tests of what is built on executors: no device, no
// process, microseconds per case.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "generators/case.h"
#include "generators/contract.h"
#include "harness/executor.h"

namespace rankle::test {

inline Contract scripted_contract() {
  Contract contract;
  contract.target = "allreduce/scripted@bug";
  contract.family = "allreduce";
  contract.mutant_class = "SCRIPTED";
  contract.summary = "Fails where a test says so.";
  contract.dtypes = {DType::fp32, DType::bf16};
  contract.accums = {Accum::fp32};
  contract.worlds = {2, 3, 4, 8};
  contract.bytes_max = 1 << 20;
  return contract;
}

inline Contract clean_contract() {
  Contract contract = scripted_contract();
  contract.target = "allreduce/clean";
  contract.mutant_class = "";
  return contract;
}

inline Finding scripted_finding(int line = 71) {
  Finding finding;
  finding.kind = FindingKind::barrier_divergence;
  finding.message = "thread 0 of block 1 on rank 2 reached it 3 times, thread 64 only 2 times";
  finding.details = {"waves 1 to 3 left the loop early"};
  finding.sites = {{"reduce", "kernels/allreduce/scripted.cu", line}};
  finding.actors = {{2, 1, 64}};
  return finding;
}

// A large case that scripted_contract() accepts.
inline Case large_case() {
  Case c;
  c.target = "allreduce/scripted@bug";
  c.world = 8;
  c.dtype = DType::bf16;
  c.shape = {137, 24};
  c.geometry = {16, 512, 64};
  c.input_offset.assign(8, 8);
  c.output_offset.assign(8, 0);
  c.program = {{StepKind::fill, 1}, {StepKind::call, 0}, {StepKind::check, 1},
               {StepKind::fill, 2}, {StepKind::call, 0}, {StepKind::check, 2}};
  c.schedule.policy = Policy::random;
  c.schedule.seed = 5;
  c.seed = 7;
  return c;
}

class ScriptedExecutor : public Executor {
 public:
  // The findings of a case; none: it passes.
  using Bug = std::function<std::vector<Finding>(const Case&)>;

  explicit ScriptedExecutor(Bug bug) : bug_(std::move(bug)) {}

  std::vector<Contract> contracts() override { return {clean_contract(), scripted_contract()}; }

  std::set<FindingKind> detectors() override { return {FindingKind::barrier_divergence}; }

  Verdict run(const Case& c, const RunOptions& options) override {
    ran.push_back(c);
    deadlines.push_back(options.deadline_s);
    Verdict verdict;
    verdict.findings = bug_(c);
    verdict.outcome = verdict.findings.empty() ? Outcome::pass : Outcome::finding;
    verdict.trace_hash = 0x1234 + static_cast<std::uint64_t>(c.count());
    verdict.variants.assign(static_cast<std::size_t>(c.world), "scripted<tail>");
    return verdict;
  }

  std::vector<Case> ran;
  std::vector<double> deadlines;

 private:
  Bug bug_;
};

// Fails if the count is no multiple of 64 and there are at least three ranks.
inline std::vector<Finding> tail_bug(const Case& c) {
  if (c.target == "allreduce/scripted@bug" && c.count() % 64 != 0 && c.world >= 3) {
    return {scripted_finding()};
  }
  return {};
}

inline std::string scripted_signature(int line = 71) {
  return signature_of(scripted_finding(line), "allreduce/scripted@bug");
}

}  // namespace rankle::test
