// Every finding of the runner, raised by its cause on the simulator; and clean targets that stay
// clean.
#include "harness/runner/in_process_executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "harness/verdict.h"

namespace rankle {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Executor& executor() {
  static InProcessExecutor made({FAULTY_TARGETS});
  return made;
}

Case case_of(const std::string& fault, std::int64_t count = 200) {
  Case c;
  c.target = "allreduce/testing_" + fault;
  c.world = 3;
  c.dtype = DType::fp32;
  c.accum = Accum::fp32;
  c.shape = {count};
  c.geometry = {1, 64, 64};
  c.input_offset = {0, 1, 5};
  c.output_offset = {3, 0, 2};
  c.seed = 12;
  c.program = {{StepKind::fill, 0},  {StepKind::poison_output, 0}, {StepKind::call, 0},
               {StepKind::check, 0}, {StepKind::fill, 1},          {StepKind::call, 0},
               {StepKind::check, 1}};
  return c;
}

// What the verdict says, for messages of failed tests.
std::string words(const Verdict& verdict) {
  std::string text = verdict.error;
  for (const Finding& finding : verdict.findings) {
    text += std::string(name_of(finding.kind)) + ": " + finding.message + "\n";
    for (const std::string& detail : finding.details) text += "  " + detail + "\n";
  }
  return text;
}

Verdict run(const Case& c, bool keep_going = false) {
  RunOptions options;
  options.keep_going = keep_going;
  return executor().run(c, options);
}

// The one finding of a run that must have exactly one.
Finding only_finding(const Verdict& verdict) {
  EXPECT_EQ(verdict.outcome, Outcome::finding);
  EXPECT_THAT(verdict.findings, SizeIs(1)) << words(verdict);
  return verdict.findings.empty() ? Finding{} : verdict.findings.front();
}

TEST(InProcessExecutor, HasEveryDetectorButThatOfTheSupervisor) {
  std::set<FindingKind> off;
  for (const FindingKind kind : all_finding_kinds()) {
    if (!executor().detectors().contains(kind)) off.insert(kind);
  }
  EXPECT_THAT(off, ElementsAre(FindingKind::timeout));
}

TEST(InProcessExecutor, CleanTargetPassesAtEveryCount) {
  for (std::int64_t count : {0, 1, 63, 64, 65, 500}) {
    const Verdict verdict = run(case_of("none", count));
    EXPECT_EQ(verdict.outcome, Outcome::pass) << words(verdict);
  }
}

TEST(InProcessExecutor, ReportsVariantsStatisticsAndAStableTrace) {
  const Verdict first = run(case_of("none"));
  EXPECT_THAT(first.variants, ElementsAre("sum", "sum", "sum"));
  EXPECT_EQ(first.stats.threads, 2u * 3u * 64u);
  EXPECT_GT(first.stats.accesses, 2u * 3u * 200u * 4u);
  EXPECT_GT(first.stats.barriers, 0u);
  Verdict second = run(case_of("none"));
  second.stats.seconds = first.stats.seconds;
  EXPECT_EQ(second, first);
  Case other = case_of("none");
  other.schedule.policy = Policy::random;
  other.schedule.seed = 4;
  EXPECT_NE(run(other).trace_hash, first.trace_hash);
}

// One call on the copy, one on the registered input, in one program.
TEST(InProcessExecutor, RunsCallsOnTheStagingCopyAndOnTheInputItself) {
  Case c = case_of("none");
  c.program[2].staged = true;
  EXPECT_EQ(run(c).outcome, Outcome::pass) << words(run(c));
  EXPECT_THAT(run(c).variants, ElementsAre("sum", "sum", "sum"));
  c.program[5].staged = true;
  EXPECT_EQ(run(c).outcome, Outcome::pass) << words(run(c));
  EXPECT_THAT(run(c).variants, ElementsAre("sum, staged", "sum, staged", "sum, staged"));
}

TEST(InProcessExecutor, WrongResultNamesElementRankAndCause) {
  const Finding finding = only_finding(run(case_of("lacks_rank")));
  EXPECT_EQ(finding.kind, FindingKind::wrong_result);
  EXPECT_EQ(finding.subkind, "missing-rank");
  EXPECT_EQ(finding.message, "output element 0 of rank 0 lacks rank 1");
  EXPECT_THAT(finding.details, Contains(HasSubstr("200 of 200 output elements are wrong")));
  EXPECT_THAT(finding.details, Contains(HasSubstr("element 0 of rank 2 lacks rank 1")));
  EXPECT_THAT(finding.actors, SizeIs(3));
}

TEST(InProcessExecutor, KeepGoingReachesLaterRounds) {
  EXPECT_THAT(run(case_of("lacks_rank"), true).findings, SizeIs(2));
}

TEST(InProcessExecutor, StaleRoundIsNamed) {
  const Finding finding = only_finding(run(case_of("only_first_call")));
  EXPECT_EQ(finding.subkind, "stale-round");
  EXPECT_THAT(finding.message, HasSubstr("holds round 0's value in round 1"));
}

TEST(InProcessExecutor, PoisonLeftIsNamed) {
  Case c = case_of("only_first_call");
  c.program.insert(c.program.begin() + 5, {StepKind::poison_output, 0});
  EXPECT_EQ(only_finding(run(c)).subkind, "poison-left");
}

// The second call of the graph puts right what the first one has left out.
TEST(InProcessExecutor, AnOutputThatALaterCallOfTheGraphOverwritesIsJudgedToo) {
  Case c = case_of("skips_first_call");
  c.program = {{.kind = StepKind::capture},
               {.kind = StepKind::call},
               {.kind = StepKind::call},
               {.kind = StepKind::end_capture},
               {.kind = StepKind::replay, .round = 3, .times = 2},
               {.kind = StepKind::check, .round = 4}};
  const Finding finding = only_finding(run(c));
  EXPECT_EQ(finding.subkind, "poison-left");
  EXPECT_THAT(finding.message,
              HasSubstr("in replay 0 of graph 0 (round 3): output element 0 of rank 0"));
  EXPECT_THAT(finding.details, Contains(HasSubstr("in replay 1 of graph 0 (round 4)")));
}

// The target's static call counter starts at zero in each case, or the first call would do nothing.
TEST(InProcessExecutor, StaticsOfATargetStartAfreshInEveryCase) {
  Case c = case_of("only_first_call");
  c.program.resize(4);
  for (int time = 0; time < 3; ++time) EXPECT_EQ(run(c).outcome, Outcome::pass) << words(run(c));
}

TEST(InProcessExecutor, OverwrittenInputIsFound) {
  const Finding finding = only_finding(run(case_of("writes_input")));
  EXPECT_EQ(finding.kind, FindingKind::input_modified);
  EXPECT_THAT(finding.message, HasSubstr("input element 0 of rank 0 was overwritten in round 0"));
  EXPECT_THAT(finding.message, HasSubstr("became 0x49742400"));
}

TEST(InProcessExecutor, OverwrittenRedZoneIsFound) {
  const Finding finding = only_finding(run(case_of("writes_behind")));
  EXPECT_EQ(finding.kind, FindingKind::redzone);
  EXPECT_THAT(finding.message, HasSubstr("0 bytes behind the output of rank 0"));
}

// One element behind a call on a part of the buffer: not in a red zone, but not the call's either.
TEST(InProcessExecutor, AByteBehindAShortCallIsFound) {
  Case c = case_of("writes_behind");
  c.call_shapes = {{60, DType::fp32, Accum::fp32, 1, 64}};
  for (Step& step : c.program) {
    if (step.kind == StepKind::fill || step.kind == StepKind::call) step.shape = 1;
  }
  const Finding finding = only_finding(run(c));
  EXPECT_EQ(finding.kind, FindingKind::redzone);
  EXPECT_THAT(finding.message, HasSubstr("the byte 0 bytes behind the 240 that calls were to write "
                                         "of the output of rank 0 was overwritten"));
  c.target = "allreduce/testing_none";
  EXPECT_EQ(run(c).outcome, Outcome::pass) << words(run(c));
}

TEST(InProcessExecutor, OtherOrderOfAdditionsIsFoundByRoundingInputsOnly) {
  Case c = case_of("reversed_order");
  EXPECT_EQ(run(c).outcome, Outcome::pass) << words(run(c));
  c.inputs = Inputs::rounding;
  c.same_bits_as = "allreduce/testing_none";
  const Finding finding = only_finding(run(c));
  EXPECT_EQ(finding.kind, FindingKind::nondeterminism);
  EXPECT_THAT(finding.message,
              testing::MatchesRegex("output element .* of rank 0 is 0x........ in round 0 but "
                                    "0x........ of allreduce/testing_none is promised"));
}

TEST(InProcessExecutor, SameBitsHoldForACleanTargetOnRoundingAndSpecialValues) {
  Case c = case_of("none", 3000);
  c.same_bits_as = "allreduce/testing_none";
  for (Inputs inputs : {Inputs::rounding, Inputs::special}) {
    c.inputs = inputs;
    EXPECT_EQ(run(c).outcome, Outcome::pass) << words(run(c));
  }
}

TEST(InProcessExecutor, ARefusedLaunchOnOneRankIsAnApiErrorAndNobodyWaitsForEver) {
  const Verdict verdict = run(case_of("refuses"));
  ASSERT_GE(verdict.findings.size(), 1u);
  EXPECT_EQ(verdict.findings[0].kind, FindingKind::api_error) << words(verdict);
  EXPECT_THAT(verdict.findings[0].message,
              HasSubstr("rank 1 could not launch allreduce/testing_refuses as call 0"));
  // The other ranks wait for rank 1's block on their devices.
  ASSERT_EQ(verdict.findings.size(), 2u) << words(verdict);
  EXPECT_EQ(verdict.findings[1].kind, FindingKind::deadlock) << words(verdict);
}

TEST(InProcessExecutor, DifferentVariantsOfOneCallAreARankMismatch) {
  const Verdict verdict = run(case_of("unlike_ranks"));
  const Finding finding = only_finding(verdict);
  EXPECT_EQ(finding.kind, FindingKind::rank_mismatch);
  EXPECT_THAT(finding.message, HasSubstr("rank 0 launched sum with 1 blocks of 64 threads"));
  EXPECT_THAT(finding.message, HasSubstr("rank 1 launched other_sum"));
  EXPECT_THAT(verdict.variants, ElementsAre("sum", "other_sum", "sum"));
}

TEST(InProcessExecutor, ScratchReadBeforeItsWriteIsReportedFirstAndThenSeenInTheResult) {
  const Verdict verdict = run(case_of("reads_scratch"), true);
  ASSERT_GE(verdict.findings.size(), 2u) << words(verdict);
  EXPECT_EQ(verdict.findings[0].kind, FindingKind::uninitialised_read) << words(verdict);
  EXPECT_EQ(verdict.findings[1].kind, FindingKind::wrong_result) << words(verdict);
  EXPECT_EQ(verdict.findings[1].subkind, "scratch-poison") << words(verdict);
  EXPECT_EQ(only_finding(run(case_of("reads_scratch"))).kind, FindingKind::uninitialised_read);
}

TEST(InProcessExecutor, RefusesUnknownTargetsAndCasesOutsideTheContract) {
  Case c = case_of("none");
  c.target = "allreduce/nonesuch";
  EXPECT_EQ(run(c).outcome, Outcome::invalid_case);
  EXPECT_THAT(run(c).error, HasSubstr("\"allreduce/nonesuch\""));
  c = case_of("none");
  c.dtype = DType::bf16;
  EXPECT_EQ(run(c).outcome, Outcome::invalid_case);
  EXPECT_THAT(run(c).error, HasSubstr("case.dtype"));
  c = case_of("none");
  c.program[3].round = 2;
  EXPECT_EQ(run(c).outcome, Outcome::invalid_case);
  EXPECT_THAT(run(c).error, HasSubstr("case.program[3]"));
}

TEST(InProcessExecutor, FindingsDoNotLeakIntoTheNextCase) {
  run(case_of("writes_behind"));
  run(case_of("reads_scratch"));
  run(case_of("refuses"));
  const Verdict verdict = run(case_of("none"));
  EXPECT_EQ(verdict.outcome, Outcome::pass) << words(verdict);
  EXPECT_THAT(verdict.findings, IsEmpty());
}

}  // namespace
}  // namespace rankle
