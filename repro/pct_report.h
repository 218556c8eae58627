// What a run under PCT is worth: its bound, or what voids it.
#pragma once

#include <string>

#include "generators/case.h"
#include "harness/verdict.h"

namespace rankle {

// The bound of Burckhardt et al. (ASPLOS 2010) for one run: a bug that needs d ordering constraints
// among n entities, all within k steps, is hit with a probability of at least 1/(n k^(d-1)).
struct PctReport {
  int depth = 0;               // d
  std::uint64_t entities = 0;  // n
  std::uint64_t steps = 0;     // k: the horizon, within which the priorities change
  double runs = 0;             // n k^(d-1), the runs that one hit takes at most on average
  // Entities that spin give way to others whatever their priority is: then no bound holds.
  std::uint64_t gave_way = 0;

  bool is_void() const { return gave_way > 0; }
};

// Of a case whose policy is pct.
PctReport pct_report(const Schedule& schedule, const RunStats& stats);

// "PCT: d = 2, n = 12 entities, k = 400 steps: ..."
std::string sentence_of(const PctReport& report);

}  // namespace rankle
