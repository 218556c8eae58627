// See canary.h.
#include "campaign/canary.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace rankle {
namespace {

Case canary_case(const std::string& target, std::int64_t packs) {
  Case c;
  c.target = target;
  c.world = 2;
  c.dtype = DType::bf16;
  c.shape = {packs * 8};  // of 16 bytes
  c.geometry = {.blocks = 1, .threads = 512, .wave = 64};
  c.input_offset = {0, 0};
  c.output_offset = {0, 0};
  for (int round = 0; round < 2; ++round) {
    c.program.push_back({.kind = StepKind::fill, .round = round});
    c.program.push_back({.kind = StepKind::poison_output});
    c.program.push_back({.kind = StepKind::call});
    c.program.push_back({.kind = StepKind::check, .round = round});
  }
  c.schedule.policy = Policy::run_to_block;
  c.seed = 1;
  return c;
}

bool has_target(const std::vector<Contract>& contracts, const std::string& target) {
  return std::any_of(contracts.begin(), contracts.end(),
                     [&](const Contract& contract) { return contract.target == target; });
}

CanaryResult judged(const Canary& canary, const Verdict& verdict) {
  if (verdict.outcome == Outcome::environment_error) throw EnvironmentError(verdict.error);
  const bool seen =
      std::any_of(verdict.findings.begin(), verdict.findings.end(),
                  [&](const Finding& finding) { return finding.kind == canary.kind; });
  CanaryResult result;
  result.state = seen ? CanaryState::found : CanaryState::missed;
  result.target = canary.failing.target;
  if (seen) {
    result.message = fmt::format("canary: {} found in {}", name_of(canary.kind), result.target);
    return result;
  }
  std::string instead = "the run passed";
  if (!verdict.error.empty()) {
    instead = verdict.error;
  } else if (!verdict.findings.empty()) {
    instead = "it reported " + std::string(name_of(verdict.findings.front().kind)) + " instead";
  }
  result.message = fmt::format(
      "the harness is blind: the planted bug {} was run and its {} not found ({}), so that a clean "
      "result would mean nothing",
      result.target, name_of(canary.kind), instead);
  return result;
}

}  // namespace

std::vector<Canary> canaries() {
  // The last rank's part is one tile of 256 packs and one pack more: its first lane goes round
  // once more than the others. The other: three packs over two ranks leave one that nobody sums.
  return {{canary_case("allreduce/two_stage_uniform@divergent_barrier", 514),
           FindingKind::barrier_divergence},
          {canary_case("allreduce/two_stage_tail@tail_drop", 3), FindingKind::wrong_result}};
}

CanaryResult run_canary(Executor& executor) {
  const std::vector<Contract> contracts = executor.contracts();
  const std::set<FindingKind> detectors = executor.detectors();
  std::string wanted;
  for (const Canary& canary : canaries()) {
    if (!detectors.contains(canary.kind)) continue;
    if (!has_target(contracts, canary.failing.target)) {
      wanted += (wanted.empty() ? "" : " or ") + canary.failing.target;
      continue;
    }
    const auto begin = std::chrono::steady_clock::now();
    CanaryResult result = judged(canary, executor.run(canary.failing, RunOptions{}));
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
  }
  CanaryResult result;
  result.state = CanaryState::absent;
  result.message = fmt::format(
      "there is no canary: the planted bug {} is not among the targets of this platform; the build "
      "target rankle_targets makes it",
      wanted);
  return result;
}

}  // namespace rankle
