// A run in CI with everything in it: tests of each outcome, findings certain and flaky, a warning,
// and texts that are hard to quote.
#pragma once

#include "campaign/ci/run_record.h"
#include "tests/repro/sample_repro.h"

namespace rankle::test {

inline constexpr const char* kAwkwardText = "50% of <a & \"b\">, 1:2\nsecond line\x01\xff end";

inline RunRecord sample_run() {
  RunRecord record;
  record.version = "0.1.0";
  record.commit = "0123456789ab";
  record.platform = "sim";
  record.command = "rankle smoke --seed 7";
  record.seed = 7;
  record.started = 1'767'225'600;  // 2026-01-01
  record.seconds = 61.5;
  record.exit_code = 1;
  record.tests = {
      {"rankle.canary", "allreduce/x@y", RunTest::State::passed, 1, 0.1, "", "", ""},
      {"rankle.corpus", "tail-1.json", RunTest::State::passed, 1, 0.2, "", "", ""},
      {"rankle.corpus", "tail-2.json", RunTest::State::skipped, 0, 0, "not here", "", ""},
      {"rankle.fuzz", "allreduce/a", RunTest::State::failed, 120, 30, kAwkwardText, "data-race",
       kAwkwardText},
      {"rankle.fuzz", "allreduce/b", RunTest::State::error, 3, 1, "no worker", "", ""}};
  RunFinding certain{sample_repro(), "out dir/finding.json"};
  certain.repro.finding.message = kAwkwardText;
  certain.repro.finding.sites.push_back({"wait<int>", "kernels/odd name,1.h", 12});
  certain.repro.finding.actors.push_back({1, 0, 3});
  RunFinding flaky{sample_repro(), ""};
  flaky.repro.finding.kind = FindingKind::timeout;
  flaky.repro.finding.sites = {{"", "", 0}};
  flaky.repro.flaky = FlakyNote{2, 5};
  flaky.repro.signature = "timeout|allreduce/scripted@bug|";
  record.findings = {flaky, certain};
  record.warnings = {{"allreduce/a", scripted_finding(99)}};
  return record;
}

}  // namespace rankle::test
