// How grave a finding is: the two kinds that common code relies on stop the run, are listed, or go
// unsaid, each by a setting of its own; the others always stop it.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/litmus/player.h"

namespace rankle::sim::litmus {
namespace {

const Litmus& litmus_of(ReportKind kind) {
  return *std::ranges::find_if(litmus_table(), [kind](const Litmus& litmus) {
    return litmus.needs_order.empty() && litmus.findings.size() == 1 &&
           litmus.findings.front().kind == kind;
  });
}

Outcome play_with(ReportKind kind, Severity relaxed_handoff, Severity wave_synchronous) {
  Config config = portfolio(0);
  config.keep_going = false;
  config.relaxed_handoff = relaxed_handoff;
  config.wave_synchronous = wave_synchronous;
  return play(litmus_of(kind), config);
}

void expect_severity(const Outcome& outcome, Severity severity) {
  EXPECT_EQ(outcome.stopped, severity == Severity::error);
  EXPECT_EQ(outcome.found.size(), severity == Severity::off ? 0U : 1U);
  EXPECT_EQ(outcome.warnings > 0, severity == Severity::warning);
}

constexpr Severity kAll[] = {Severity::error, Severity::warning, Severity::off};

TEST(LitmusSeverity, OfARelaxedHandoffHasASettingOfItsOwn) {
  for (const Severity own : kAll) {
    for (const Severity other : kAll) {
      expect_severity(play_with(ReportKind::relaxed_handoff, own, other), own);
    }
  }
}

TEST(LitmusSeverity, OfWaveSynchronousCodeHasASettingOfItsOwn) {
  for (const Severity own : kAll) {
    for (const Severity other : kAll) {
      expect_severity(play_with(ReportKind::wave_synchronous, other, own), own);
    }
  }
}

TEST(LitmusSeverity, OfOtherRacesIsAlwaysAnError) {
  for (const ReportKind kind : {ReportKind::data_race, ReportKind::scope_race}) {
    expect_severity(play_with(kind, Severity::off, Severity::off), Severity::error);
  }
}

}  // namespace
}  // namespace rankle::sim::litmus
