// Shrinks a schedule: what a policy decided becomes run-to-block with an explicit list of switches,
// and the list loses every switch that the failure does not need (delta debugging: Zeller and
// Hildebrandt, TSE 2002). What is left is the few moments that matter.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "generators/case.h"
#include "harness/verdict.h"

namespace rankle {

// Runs a case and gives its verdict, with the switches it took, if it fails as wanted; nullopt if
// not, or if the budget is used up.
using FailingRun = std::function<std::optional<Verdict>(const Case&)>;

// The case as run-to-block with switches, each of which it needs as long as the budget lasted.
// nullopt if it does not fail so, or needs more switches than a case may have.
std::optional<Case> minimise_schedule(const Case& c, const FailingRun& run);

// After `step` the failure no longer depends on who runs next: all of `runs` random continuations
// from there failed, of those from the step before only `failed_before`. step 0: under any schedule
// tried.
struct Certainty {
  std::uint64_t step = 0;
  int runs = 0;
  int failed_before = 0;

  bool operator==(const Certainty&) const = default;
};

// Runs a case up to a step as it says, and goes on at random from there; whether it fails as
// wanted.
using Continuation = std::function<bool(std::uint64_t step, std::uint64_t seed)>;

// `steps`: how many the failing run has. Bisects, so it takes failure to become certain once.
Certainty find_certainty(std::uint64_t steps, int runs, const Continuation& fails);

}  // namespace rankle
