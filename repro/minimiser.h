// The minimiser: greedy over shrink(Case), each candidate run by an Executor and accepted only if
// it fails with the pinned signatures. RapidCheck's own loop is unbounded and takes any failure,
// hence ours; the candidates are the same. After an accepted candidate the search goes on at that
// place in the list (the same dimension often shrinks again) and wraps round, so big wins come
// first and no dimension is starved. Ends when one full round over the candidates accepts nothing.
//
// With a deterministic executor the result is deterministic and minimising it again changes
// nothing, unless a budget ran out first.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "generators/case.h"
#include "generators/contract.h"
#include "harness/executor.h"
#include "harness/verdict.h"

namespace rankle {

struct MinimiseOptions {
  double seconds_max = 8;               // checked between runs
  std::uint64_t attempts_max = 10'000;  // runs, the first (does it fail at all?) included
  RunOptions run;
  // A candidate must show all of these (see `shows`). One signature is the usual case; with
  // keep_going a caller may pin a consequence as well.
  std::vector<std::string> signatures;
  std::function<bool()> stop;  // polled between runs; true keeps the best so far and ends
  // Called at each accepted candidate, so that the best so far can be put on disk.
  std::function<void(const Case&, const Verdict&)> accepted;
  std::function<double()> clock_s;  // a monotonic clock, for tests; empty: the real one
};

enum class MinimiseEnd {
  minimal,           // nothing smaller among the candidates fails the same way
  out_of_time,       // seconds_max
  out_of_attempts,   // attempts_max
  stopped,           // MinimiseOptions::stop, or the executor was interrupted
  not_reproduced,    // the input did not show the pinned signatures
  environment_error  // the executor cannot run cases any more: Minimised::error
};

struct Minimised {
  Case smallest;    // the input itself if nothing smaller was accepted
  Verdict verdict;  // of `smallest`
  MinimiseEnd end = MinimiseEnd::minimal;
  std::string error;
  std::uint64_t attempts = 0;    // runs
  std::uint64_t accepted = 0;    // runs that became the new best
  std::uint64_t duplicates = 0;  // candidates that were not run because they had been
  double seconds = 0;
};

Minimised minimise(const Case& input, const Contract& contract, Executor& executor,
                   const MinimiseOptions& options);

// True if every one of `signatures` is among the findings of the verdict and, unless the run went
// on after its first report (keep_going), the first finding has the first signature.
bool shows(const Verdict& verdict, const Case& c, const std::vector<std::string>& signatures,
           bool keep_going);

// "minimal", "out of time", ... for people and for the repro file.
std::string_view name_of(MinimiseEnd end);

}  // namespace rankle
