// The targets that ship, on random cases from the generators: clean ones stay clean, and each
// mutant is found by what it should be found by.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "generators/case_json.h"
#include "generators/generate.h"
#include "harness/runner/in_process_executor.h"
#include "harness/verdict.h"

namespace rankle {
namespace {

InProcessExecutor& executor() {
  static InProcessExecutor made({SHIPPED_TARGETS});
  return made;
}

std::string words(const Case& c, const Verdict& verdict) {
  std::string text = case_to_text(c) + verdict.error;
  for (const Finding& finding : verdict.findings) {
    text += std::string(name_of(finding.kind)) + ": " + finding.message + "\n";
    for (const std::string& detail : finding.details) text += "  " + detail + "\n";
  }
  return text;
}

std::vector<Contract> contracts_named(const std::string& target) {
  const std::vector<Contract> all = executor().contracts();
  std::vector<Contract> found;
  for (const Contract& contract : all) {
    if (contract.target == target) found.push_back(contract);
  }
  return found;
}

Draw small() {
  Draw draw;
  draw.size_max = SizeClass::small;
  return draw;
}

TEST(ShippedTargets, AllLoad) {
  EXPECT_THAT(executor().load_failures(), testing::IsEmpty());
  EXPECT_EQ(contracts_named("allreduce/two_stage_tail").size(), 1u);
  EXPECT_EQ(contracts_named("allreduce/two_stage_uniform").size(), 1u);
}

TEST(ShippedTargets, CleanOnesPassRandomCasesOfEveryInputClass) {
  for (const char* target : {"allreduce/two_stage_tail", "allreduce/two_stage_uniform"}) {
    int by_class[3] = {0, 0, 0};
    for (std::uint64_t index = 0; index < 150; ++index) {
      Case c = draw_case(contracts_named(target), small(), 5, index);
      if (!c.same_bits_as.empty() && index % 2 == 0) c.inputs = Inputs::special;
      ++by_class[int(c.inputs)];
      const Verdict verdict = executor().run(c, {});
      ASSERT_EQ(verdict.outcome, Outcome::pass) << words(c, verdict);
    }
    EXPECT_GT(by_class[int(Inputs::exact_integers)], 10) << target;
    EXPECT_GT(by_class[int(Inputs::rounding)] + by_class[int(Inputs::special)], 2) << target;
  }
}

TEST(ShippedTargets, PassRandomCasesWhoseCallsAreStagedOrNotAtRandom) {
  std::vector<Contract> clean = executor().contracts();
  std::erase_if(clean, [](const Contract& contract) { return contract.is_mutant(); });
  ASSERT_EQ(clean.size(), 7u);
  Draw draw = small();
  draw.programs = Programs::none;  // a captured call cannot be staged
  for (std::uint64_t index = 0; index < 200; ++index) {
    Case c = draw_case(clean, draw, 8, index);
    std::uint64_t bits = c.seed;
    for (Step& step : c.program) {
      if (step.kind != StepKind::call) continue;
      step.staged = (bits & 1) != 0;
      bits >>= 1;
    }
    const Verdict verdict = executor().run(c, {});
    ASSERT_EQ(verdict.outcome, Outcome::pass) << words(c, verdict);
  }
}

TEST(ShippedTargets, RunsRepeatBitForBit) {
  for (std::uint64_t index = 0; index < 20; ++index) {
    const Case c = draw_case(contracts_named("allreduce/two_stage_tail"), small(), 6, index);
    Verdict first = executor().run(c, {});
    const Verdict second = executor().run(c, {});
    first.stats.seconds = second.stats.seconds;
    ASSERT_EQ(first, second) << words(c, first);
  }
}

// The first finding of a mutant within `cases` random cases.
Finding first_finding(const std::string& target, int cases, bool keep_going = false) {
  const std::vector<Contract> contracts = contracts_named(target);
  EXPECT_EQ(contracts.size(), 1u) << target;
  RunOptions options;
  options.keep_going = keep_going;
  for (std::uint64_t index = 0; index < std::uint64_t(cases) && !contracts.empty(); ++index) {
    const Case c = draw_case(contracts, small(), 1, index);
    const Verdict verdict = executor().run(c, options);
    EXPECT_NE(verdict.outcome, Outcome::invalid_case) << verdict.error;
    if (verdict.outcome == Outcome::finding) return verdict.findings.front();
  }
  ADD_FAILURE() << target << ": nothing found in " << cases << " cases";
  return {};
}

TEST(ShippedTargets, DivergentBarrierIsFoundAsSuch) {
  const Finding finding = first_finding("allreduce/two_stage_uniform@divergent_barrier", 300);
  EXPECT_EQ(finding.kind, FindingKind::barrier_divergence) << finding.message;
  ASSERT_FALSE(finding.sites.empty());
  EXPECT_THAT(finding.sites.front().file, testing::StartsWith("kernels/"));
}

// One tile and one pack more, so that the second wave skips a trip; whether it then overtakes a
// peer is the schedule's choice.
TEST(ShippedTargets, GoingOnAfterADivergentBarrierReachesTheStaleRound) {
  Case c;
  c.target = "allreduce/two_stage_uniform@divergent_barrier";
  c.world = 4;
  c.dtype = DType::fp32;
  c.shape = {188};
  c.geometry = {1, 68, 64};
  c.input_offset = {0, 0, 0, 0};
  c.output_offset = {0, 0, 52, 104};
  c.schedule.policy = Policy::random;
  for (int round = 0; round < 3; ++round) {
    c.program.insert(c.program.end(),
                     {{StepKind::fill, round}, {StepKind::call, 0}, {StepKind::check, round}});
  }
  RunOptions options;
  options.keep_going = true;
  std::string stale;
  for (c.schedule.seed = 0; c.schedule.seed < 1000 && stale.empty(); ++c.schedule.seed) {
    const Verdict verdict = executor().run(c, options);
    ASSERT_EQ(verdict.outcome, Outcome::finding) << words(c, verdict);
    EXPECT_EQ(verdict.findings.front().kind, FindingKind::barrier_divergence);
    for (const Finding& finding : verdict.findings) {
      if (finding.subkind == "stale-round") stale = finding.message;
    }
  }
  EXPECT_THAT(stale, testing::ContainsRegex("holds round [01]'s value in round [12]"));
}

TEST(ShippedTargets, TailDropIsFoundByUnwrittenMemory) {
  const Finding finding = first_finding("allreduce/two_stage_tail@tail_drop", 300);
  EXPECT_THAT(finding.kind,
              testing::AnyOf(FindingKind::uninitialised_read, FindingKind::wrong_result))
      << finding.message;
}

TEST(ShippedTargets, ReorderedSumIsFoundByComparingBits) {
  const Finding finding = first_finding("allreduce/two_stage_tail@reordered_sum", 300);
  EXPECT_EQ(finding.kind, FindingKind::nondeterminism) << finding.message;
}

}  // namespace
}  // namespace rankle
