// Runs one litmus case under one schedule and says what was found, in the table's words.
#pragma once

#include <compare>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "tests/litmus/litmus.h"

namespace rankle::sim::litmus {

// A report without its particulars: the kind, and two lines of the litmus's file, the lower first.
struct Found {
  ReportKind kind = ReportKind::data_race;
  int lower = 0;
  int upper = 0;
  auto operator<=>(const Found&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Found& found);

struct Outcome {
  std::set<Found> found;
  std::string text;                     // of all reports
  std::vector<std::string> unexpected;  // values that are not the promised ones
  // Every scope-race and relaxed-handoff names both sides of the flag at fault, no other kind does.
  bool names_flags = true;
  int warnings = 0;
  bool stopped = false;
};

// How many runs of each case: RANKLE_LITMUS_RUNS, or the usual number.
int runs_or(int usual);

// What the table expects, by line.
std::set<Found> expected_of(const Litmus& litmus);

// The schedule of run `run`: policies in turn, the same ones with other seeds later. Run 0 is
// run-to-block. Every kind is an error, and runs go on after the first.
Config portfolio(int run);

Outcome play(const Litmus& litmus, Config config);
// Also of a racy case: with the values that it would have if nothing were missing.
Outcome play_checking_values(const Litmus& litmus, Config config);

}  // namespace rankle::sim::litmus
