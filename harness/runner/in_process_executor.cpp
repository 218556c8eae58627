// From a case to a verdict.
#include "harness/runner/in_process_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "harness/runner/device_hooks.h"
#include "harness/runner/oracle.h"
#include "harness/runner/program.h"

namespace rankle {
namespace {

Verdict failed(Outcome outcome, std::string error) {
  Verdict verdict;
  verdict.outcome = outcome;
  verdict.error = std::move(error);
  return verdict;
}

void append(std::vector<Finding>& to, const std::vector<Finding>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// All that the ranks of a run look at.
struct Held {
  Held(Case c, const RunOptions& run_options, const FamilyOracle& oracle,
       std::vector<RankTargets> targets)
      : kept(std::move(c)),
        options(run_options),
        program(kept, options, oracle, std::move(targets)) {}

  const Case kept;
  const RunOptions options;
  ProgramRun program;
};

}  // namespace

InProcessExecutor::InProcessExecutor(const std::vector<std::filesystem::path>& target_dirs)
    : loader_(target_dirs) {}

std::vector<Contract> InProcessExecutor::contracts() {
  std::vector<Contract> contracts = loader_.contracts();
  for (Contract& contract : contracts) contract = as_run_here(contract);
  return contracts;
}

// What the devices here can hold; and no promise of equal bits without a target here that can take
// every case of the one that makes it.
Contract InProcessExecutor::as_run_here(Contract contract) const {
  device_hooks::limit(contract);
  const Contract* partner = loader_.contract(contract.same_bits_as);
  const auto covers = [](const auto& all, const auto& some) {
    return std::all_of(some.begin(), some.end(), [&](const auto& one) {
      return std::find(all.begin(), all.end(), one) != all.end();
    });
  };
  if (partner == nullptr || !covers(partner->worlds, contract.worlds) ||
      !covers(partner->dtypes, contract.dtypes)) {
    contract.same_bits_as.clear();
  }
  return contract;
}

std::set<FindingKind> InProcessExecutor::detectors() {
  std::set<FindingKind> kinds = device_hooks::detectors();
  kinds.insert({FindingKind::wrong_result, FindingKind::input_modified, FindingKind::redzone,
                FindingKind::rank_mismatch, FindingKind::nondeterminism, FindingKind::api_error});
  return kinds;
}

Verdict InProcessExecutor::run(const Case& c, const RunOptions& options) {
  Verdict verdict = run_once(c, options);
  const bool ran = verdict.outcome == Outcome::pass || verdict.outcome == Outcome::finding;
  if (!options.verify_determinism || !ran) return verdict;
  const Verdict again = run_once(c, options);
  RunStats stats = again.stats;
  stats.seconds = verdict.stats.seconds;
  if (again.trace_hash == verdict.trace_hash && again.findings == verdict.findings &&
      stats == verdict.stats) {
    return verdict;
  }
  Finding finding;
  finding.kind = FindingKind::nondeterminism;
  finding.subkind = "trace";
  finding.message =
      "two runs of the case in one process differ: the target's host code or the simulator depends "
      "on something that the case does not say";
  finding.details.push_back(
      fmt::format("trace hashes {:016x} and {:016x}, {} and {} steps, {} and "
                  "{} accesses",
                  verdict.trace_hash, again.trace_hash, verdict.stats.steps, again.stats.steps,
                  verdict.stats.accesses, again.stats.accesses));
  verdict.findings.insert(verdict.findings.begin(), std::move(finding));
  verdict.outcome = Outcome::finding;
  return verdict;
}

Verdict InProcessExecutor::run_once(const Case& c, const RunOptions& options) {
  const Contract* known = loader_.contract(c.target);
  if (known == nullptr) return failed(Outcome::invalid_case, loader_.why_missing(c.target));
  const Contract contract = as_run_here(*known);
  if (const std::optional<Violation> wrong = validate(c, contract)) {
    return failed(Outcome::invalid_case, wrong->message);
  }
  const FamilyOracle* oracle = oracle_for(contract.family);
  if (oracle == nullptr) {
    return failed(Outcome::environment_error,
                  "no oracle knows the family \"" + contract.family + "\" of " + c.target);
  }
  std::vector<RankTargets> targets(std::size_t(c.world));
  for (int rank = 0; rank < c.world; ++rank) {
    std::string error;
    RankTargets& own = targets[std::size_t(rank)];
    own.target = loader_.fresh(c.target, rank, error);
    if (own.target != nullptr && !c.same_bits_as.empty()) {
      own.reference = loader_.fresh(c.same_bits_as, rank, error);
    }
    if (!error.empty()) return failed(Outcome::environment_error, std::move(error));
    for (const Target* loaded : {own.target, own.reference}) {
      if (loaded != nullptr && settled_.insert({loaded, rank}).second) {
        device_hooks::settle(*loaded, rank);
      }
    }
  }

  const auto begin = std::chrono::steady_clock::now();
  auto held = std::make_unique<Held>(c, options, *oracle, std::move(targets));
  ProgramRun& program = held->program;
  device_hooks::PlatformResult platform =
      device_hooks::run_ranks(c, options, [&program](int rank) { program.rank_main(rank); });
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  if (platform.spent) {
    spent_ = true;
    Verdict verdict;
    verdict.findings = std::move(platform.findings);
    verdict.outcome = Outcome::finding;
    verdict.stats.seconds = seconds.count();
    // Ranks that hang may still look at it.
    [[maybe_unused]] const Held* left_behind = held.release();
    return verdict;
  }

  Verdict verdict;
  append(verdict.findings, program.launch_findings());
  append(verdict.findings, platform.findings);
  append(verdict.findings, program.findings());
  append(verdict.findings, platform.at_end);
  verdict.warnings = platform.warnings;
  verdict.switches = std::move(platform.switches);
  verdict.outcome = verdict.findings.empty() ? Outcome::pass : Outcome::finding;
  verdict.trace_hash = platform.trace_hash;
  verdict.variants = program.variants();
  verdict.stats = platform.stats;
  verdict.stats.seconds = seconds.count();
  return verdict;
}

}  // namespace rankle
