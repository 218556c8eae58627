// Every bug planted in the communicator or in the dispatch is found by random programs, by what it
// should be found by; and what shows which step did it is right. More seeds, and the minimiser:
// scripts/check-long.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "generators/case_json.h"
#include "generators/generate.h"
#include "harness/runner/in_process_executor.h"

namespace rankle {
namespace {

struct Mutant {
  std::string target;           // without the family
  std::set<FindingKind> kinds;  // that the first finding may be of
  std::string message;          // a part of the first finding's; "": any
};

void PrintTo(const Mutant& mutant, std::ostream* out) { *out << mutant.target; }

constexpr std::uint64_t kPrograms = 150;

InProcessExecutor& executor() {
  static InProcessExecutor made({RANKLE_PLUGINS});
  return made;
}

std::vector<Contract> contract_of(const std::string& target) {
  std::vector<Contract> contracts = executor().contracts();
  std::erase_if(contracts, [&](const Contract& c) { return c.target != "allreduce/" + target; });
  EXPECT_EQ(contracts.size(), 1U);
  return contracts;
}

Case program_of(const std::vector<Contract>& contracts, std::uint64_t index) {
  Draw draw;
  draw.programs = Programs::only;
  return draw_case(contracts, draw, 1, index);
}

class CommunicatorMutant : public testing::TestWithParam<Mutant> {};

TEST_P(CommunicatorMutant, IsFoundByPrograms) {
  const std::vector<Contract> contracts = contract_of(GetParam().target);
  for (std::uint64_t index = 0; index < kPrograms; ++index) {
    const Case c = program_of(contracts, index);
    const Verdict verdict = executor().run(c, {});
    ASSERT_NE(verdict.outcome, Outcome::invalid_case) << verdict.error;
    if (verdict.outcome != Outcome::finding) continue;
    const Finding& first = verdict.findings.front();
    EXPECT_THAT(GetParam().kinds, testing::Contains(first.kind)) << first.message;
    EXPECT_THAT(first.message, testing::HasSubstr(GetParam().message)) << case_to_text(c);
    return;
  }
  FAIL() << "not found in " << kPrograms << " programs";
}

Verdict run(const std::string& target, const std::vector<Step>& program, std::int64_t offset) {
  const std::vector<Contract> contracts = contract_of(target);
  Case c = program_of(contracts, 0);
  c.world = 2;
  c.dtype = DType::int32;
  c.accum = Accum::native;
  c.shape = {8};
  c.call_shapes.clear();
  c.geometry = {1, 64, 64};
  c.in_place = false;
  c.input_offset = {0, offset};
  c.output_offset = {0, 0};
  c.inputs = Inputs::exact_integers;
  c.same_bits_as.clear();
  c.schedule = {};
  c.program = program;
  return executor().run(c, {});
}

// The copy ran when the call was captured, and the fill came with the replay.
TEST(StepsOfAFinding, AreThoseThatQueuedTheWork) {
  const Verdict verdict = run("one_stage_naive@staging_outside_capture",
                              {{.kind = StepKind::capture},
                               {.kind = StepKind::call},
                               {.kind = StepKind::end_capture},
                               {.kind = StepKind::replay},
                               {.kind = StepKind::check}},
                              1);
  ASSERT_FALSE(verdict.findings.empty()) << verdict.error;
  const Finding& race = verdict.findings.front();
  ASSERT_EQ(race.kind, FindingKind::data_race) << race.message;
  ASSERT_EQ(race.actors.size(), 2U);
  EXPECT_EQ(race.actors[0].step, 3) << race.message;
  EXPECT_EQ(race.actors[1].step, 1) << race.message;
}

// Launched where it does not fit, and refused where it does.
TEST(Capacity, IsJudgedOnBothSidesOfTheLimit) {
  const std::vector<Step> too_large{{.kind = StepKind::fill},
                                    {.kind = StepKind::call},
                                    {.kind = StepKind::call, .staged = true, .refused = true},
                                    {.kind = StepKind::check}};
  const std::vector<Step> fits{{.kind = StepKind::fill},
                               {.kind = StepKind::call, .staged = true},
                               {.kind = StepKind::check}};
  EXPECT_EQ(run("two_stage_uniform", too_large, 0).outcome, Outcome::pass);
  EXPECT_EQ(run("two_stage_uniform", fits, 0).outcome, Outcome::pass);
  EXPECT_EQ(run("two_stage_uniform@cap_excluded", too_large, 0).outcome, Outcome::pass);
  EXPECT_EQ(run("two_stage_uniform@cap_excluded", fits, 0).outcome, Outcome::finding);
}

using enum FindingKind;

INSTANTIATE_TEST_SUITE_P(
    AllReduce, CommunicatorMutant,
    testing::Values(
        Mutant{"one_stage@mapping_by_address", {api_error}, "open through its IPC handle"},
        Mutant{"one_stage@predicted_slot", {wrong_result, uninitialised_read, data_race}, ""},
        Mutant{"one_stage_naive@cached_before_capture", {api_error}, "ending a capture"},
        Mutant{"one_stage_naive@staging_outside_capture",
               {wrong_result, uninitialised_read, data_race},
               ""},
        Mutant{"two_stage_naive@free_without_barrier", {api_error}, "open through its IPC handle"},
        Mutant{"two_stage_tail@slots_never_returned", {api_error}, "out of memory"},
        Mutant{"two_stage_tail@staging_in_packs", {api_error}, "instead of being refused"},
        Mutant{"two_stage_uniform@cap_excluded", {api_error}, "could not launch"},
        Mutant{"two_stage_uniform@lost_offset",
               {wrong_result, uninitialised_read, data_race, out_of_bounds},
               ""},
        Mutant{"two_stage_write@scratch_without_result", {out_of_bounds}, "past the end of"}),
    [](const testing::TestParamInfo<Mutant>& info) {
      std::string name = info.param.target;
      std::replace(name.begin(), name.end(), '@', '_');
      return name;
    });

}  // namespace
}  // namespace rankle
