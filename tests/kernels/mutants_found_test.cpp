// Every planted bug is found within 200 random cases, or within 200 programs if it takes a
// sequence, by what it should be found by. One seed here; scripts/check-long takes five, 500 cases
// of the default mix, and the minimiser, through the command line.
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
  std::string target;  // without the family
  // What the first finding may be: which detector speaks first depends on the case.
  std::set<FindingKind> kinds;
};

void PrintTo(const Mutant& mutant, std::ostream* out) { *out << mutant.target; }

constexpr std::uint64_t kCases = 200;
constexpr std::uint64_t kCasesOfRaces = 50;

InProcessExecutor& executor() {
  static InProcessExecutor made({RANKLE_PLUGINS});
  return made;
}

std::vector<Contract> contract_of(const Mutant& mutant) {
  std::vector<Contract> contracts = executor().contracts();
  std::erase_if(contracts, [&mutant](const Contract& contract) {
    return contract.target != "allreduce/" + mutant.target;
  });
  EXPECT_EQ(contracts.size(), 1U);
  return contracts;
}

std::string name_of_mutant(const testing::TestParamInfo<Mutant>& info) {
  std::string name = info.param.target;
  for (char& letter : name) letter = letter == '@' ? '_' : letter;
  return name;
}

class MutantIsFound : public testing::TestWithParam<Mutant> {};

void expect_found(const Mutant& mutant, const Draw& draw) {
  const std::vector<Contract> contracts = contract_of(mutant);
  for (std::uint64_t index = 0; index < kCases; ++index) {
    const Case c = draw_case(contracts, draw, 1, index);
    const Verdict verdict = executor().run(c, {});
    ASSERT_NE(verdict.outcome, Outcome::invalid_case) << verdict.error;
    if (verdict.outcome != Outcome::finding) continue;
    EXPECT_THAT(mutant.kinds, testing::Contains(verdict.findings.front().kind))
        << verdict.findings.front().message << case_to_text(c);
    return;
  }
  FAIL() << "not found in " << kCases << " cases";
}

TEST_P(MutantIsFound, WithinTwoHundredCases) { expect_found(GetParam(), {}); }

class SequenceMutantIsFound : public testing::TestWithParam<Mutant> {};

// What takes several steps: in the default mix, one case in five is a program.
TEST_P(SequenceMutantIsFound, WithinTwoHundredPrograms) {
  Draw draw;
  draw.programs = Programs::only;
  expect_found(GetParam(), draw);
}

class RaceIsFound : public testing::TestWithParam<Mutant> {};

// Whatever else shows: a run that goes on after its first report lists the race too.
TEST_P(RaceIsFound, WithinFiftyCasesOfFiveSeeds) {
  const std::vector<Contract> contracts = contract_of(GetParam());
  RunOptions options;
  options.keep_going = true;
  const auto is_race = [](const Finding& f) { return GetParam().kinds.contains(f.kind); };
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    bool found = false;
    for (std::uint64_t index = 0; index < kCasesOfRaces && !found; ++index) {
      const Verdict verdict = executor().run(draw_case(contracts, {}, seed, index), options);
      found = std::any_of(verdict.findings.begin(), verdict.findings.end(), is_race);
    }
    EXPECT_TRUE(found) << "seed " << seed;
  }
}

// What a kernel boundary is often relied on for can be listed instead of failing the run.
TEST(RelaxedHandoff, IsListedAsAWarningOrLeftOutWhereAsked) {
  const std::vector<Contract> contracts =
      contract_of({"two_stage_uniform@relaxed_flags", {FindingKind::relaxed_handoff}});
  const Case c = draw_case(contracts, {}, 1, 0);
  RunOptions options;
  EXPECT_EQ(executor().run(c, options).outcome, Outcome::finding);
  options.relaxed_handoff = Severity::warning;
  const Verdict warned = executor().run(c, options);
  EXPECT_EQ(warned.outcome, Outcome::pass);
  ASSERT_FALSE(warned.warnings.empty());
  EXPECT_EQ(warned.warnings.front().kind, FindingKind::relaxed_handoff);
  options.relaxed_handoff = Severity::off;
  EXPECT_TRUE(executor().run(c, options).warnings.empty());
}

TEST(Determinism, OfEveryCleanTargetIsVerified) {
  RunOptions options;
  options.verify_determinism = true;
  std::vector<Contract> contracts = executor().contracts();
  std::erase_if(contracts, [](const Contract& contract) { return contract.is_mutant(); });
  Draw draw;
  draw.size_max = SizeClass::small;
  for (std::uint64_t index = 0; index < 100; ++index) {
    const Verdict verdict = executor().run(draw_case(contracts, draw, 6, index), options);
    EXPECT_EQ(verdict.outcome, Outcome::pass) << index;
  }
}

using enum FindingKind;

INSTANTIATE_TEST_SUITE_P(
    AllReduce, MutantIsFound,
    testing::Values(
        Mutant{"one_stage@no_exit_barrier", {wrong_result, nondeterminism, data_race}},
        Mutant{"one_stage@wrong_rank_grid", {deadlock, rank_mismatch}},
        Mutant{"one_stage@shared_barrier_flags", {deadlock, rank_mismatch}},
        Mutant{"one_stage@shared_epoch_cell", {data_race}},
        Mutant{"one_stage_naive@elements_leave_early", {wrong_result, nondeterminism, data_race}},
        Mutant{"one_stage_naive@pack_align", {misaligned}},
        Mutant{"two_stage_naive@early_return_before_barrier", {barrier_divergence}},
        Mutant{"two_stage_naive@grid_waits_for_all_blocks", {deadlock}},
        Mutant{"two_stage_naive@int_width", {wrong_result, nondeterminism, data_race}},
        Mutant{"two_stage_naive@oob_last_part", {out_of_bounds, uninitialised_read, redzone}},
        Mutant{"two_stage_naive@uninit_scratch", {uninitialised_read}},
        Mutant{"two_stage_tail@shard_index", {wrong_result, nondeterminism, data_race}},
        Mutant{"two_stage_uniform@block_race",
               {wrong_result, nondeterminism, data_race, wave_synchronous}},
        Mutant{"two_stage_uniform@signals_cleared_at_first_call", {data_race}},
        Mutant{"two_stage_uniform@slot_of_local_rank", {data_race, uninitialised_read, deadlock}}),
    name_of_mutant);

// Which of these shows first is the schedule's choice: the early read, what it read, or a flag that
// is waited for in vain.
const std::set<FindingKind> kEarly{data_race, uninitialised_read, wrong_result, nondeterminism,
                                   deadlock};

INSTANTIATE_TEST_SUITE_P(
    AllReduce, SequenceMutantIsFound,
    testing::Values(
        Mutant{"one_stage@ready_not_cleared_in_graphs", kEarly},
        Mutant{"one_stage_naive@epoch_from_host", kEarly},
        Mutant{"two_stage_naive@scratch_shared_by_streams", kEarly},
        Mutant{"two_stage_tail@counter_per_variant", kEarly},
        // Or a rank waits for the last number before the wrap, which a peer has gone past.
        Mutant{"two_stage_tail@epochs_compared_plainly",
               {data_race, uninitialised_read, wrong_result, nondeterminism, deadlock}},
        Mutant{"two_stage_tail@no_wait_between_streams", kEarly},
        Mutant{"two_stage_write@bigger_call_over_results", kEarly}),
    name_of_mutant);

// By the race detector, where the data may well have been right.
INSTANTIATE_TEST_SUITE_P(
    AllReduce, RaceIsFound,
    testing::Values(Mutant{"one_stage@no_exit_barrier", {data_race}},
                    Mutant{"one_stage@packed_flags", {data_race, wave_synchronous}},
                    Mutant{"two_stage_tail@device_scope_wait", {scope_race}},
                    Mutant{"two_stage_tail@relaxed_reader", {relaxed_handoff}},
                    Mutant{"two_stage_uniform@block_race", {data_race, wave_synchronous}},
                    Mutant{"two_stage_uniform@fence_elsewhere", {data_race, wave_synchronous}},
                    Mutant{"two_stage_uniform@relaxed_flags", {relaxed_handoff}},
                    Mutant{"two_stage_write@device_scope_arrival", {scope_race}},
                    Mutant{"two_stage_write@result_over_slots", {data_race, wave_synchronous}}),
    name_of_mutant);

}  // namespace
}  // namespace rankle
