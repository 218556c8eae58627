// Every planted bug is found within 200 random cases, by what it should be found by. One seed here;
// scripts/check-long takes five, through the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

InProcessExecutor& executor() {
  static InProcessExecutor made({RANKLE_PLUGINS});
  return made;
}

class MutantIsFound : public testing::TestWithParam<Mutant> {};

TEST_P(MutantIsFound, WithinTwoHundredCases) {
  std::vector<Contract> contracts = executor().contracts();
  std::erase_if(contracts, [](const Contract& contract) {
    return contract.target != "allreduce/" + GetParam().target;
  });
  ASSERT_EQ(contracts.size(), 1u);
  for (std::uint64_t index = 0; index < kCases; ++index) {
    const Case c = draw_case(contracts, {}, 1, index);
    const Verdict verdict = executor().run(c, {});
    ASSERT_NE(verdict.outcome, Outcome::invalid_case) << verdict.error;
    if (verdict.outcome != Outcome::finding) continue;
    EXPECT_THAT(GetParam().kinds, testing::Contains(verdict.findings.front().kind))
        << verdict.findings.front().message << case_to_text(c);
    return;
  }
  FAIL() << "not found in " << kCases << " cases";
}

using enum FindingKind;

INSTANTIATE_TEST_SUITE_P(
    AllReduce, MutantIsFound,
    testing::Values(Mutant{"one_stage@no_exit_barrier", {wrong_result, nondeterminism, data_race}},
                    Mutant{"one_stage@wrong_rank_grid", {deadlock, rank_mismatch}},
                    Mutant{"one_stage_naive@pack_align", {misaligned}},
                    Mutant{"two_stage_naive@early_return_before_barrier", {barrier_divergence}},
                    Mutant{"two_stage_naive@int_width", {wrong_result, nondeterminism, data_race}},
                    Mutant{"two_stage_naive@oob_last_part",
                           {out_of_bounds, uninitialised_read, redzone}},
                    Mutant{"two_stage_naive@uninit_scratch", {uninitialised_read}},
                    Mutant{"two_stage_tail@shard_index", {wrong_result, nondeterminism, data_race}},
                    Mutant{"two_stage_uniform@block_race",
                           {wrong_result, nondeterminism, data_race, wave_synchronous}}),
    [](const auto& info) {
      std::string name = info.param.target;
      for (char& letter : name) letter = letter == '@' ? '_' : letter;
      return name;
    });

}  // namespace
}  // namespace rankle
