// See replay.h.
#include "repro/replay.h"

#include "repro/minimiser.h"

namespace rankle {

Replayed replay(const Repro& repro, Executor& executor, const RunOptions& options,
                bool compare_trace) {
  Replayed result;
  result.verdict = executor.run(repro.failing, options);
  result.error = result.verdict.error;
  if (result.verdict.outcome == Outcome::invalid_case) {
    result.outcome = ReplayOutcome::invalid_case;
    return result;
  }
  if (result.verdict.outcome == Outcome::environment_error) {
    result.outcome = ReplayOutcome::environment_error;
    return result;
  }
  result.trace_differs = compare_trace && result.verdict.trace_hash != repro.trace_hash;
  if (result.verdict.findings.empty()) return result;
  if (shows(result.verdict, repro.failing, {repro.signature}, options.keep_going)) {
    result.outcome = ReplayOutcome::same_signature;
    result.signature = repro.signature;
  } else {
    result.outcome = ReplayOutcome::other_finding;
    result.signature = signature_of(result.verdict.findings.front(), repro.failing.target);
  }
  return result;
}

std::string_view name_of(ReplayOutcome outcome) {
  switch (outcome) {
    case ReplayOutcome::not_reproduced:
      return "not-reproduced";
    case ReplayOutcome::same_signature:
      return "same-signature";
    case ReplayOutcome::other_finding:
      return "other-finding";
    case ReplayOutcome::invalid_case:
      return "invalid-case";
    case ReplayOutcome::environment_error:
      return "environment-error";
  }
  return "unknown";
}

}  // namespace rankle
