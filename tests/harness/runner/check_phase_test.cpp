// While ranks compare, the process says so in its case slot: a timeout then blames the check and
// not the target.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/case_slot.h"
#include "harness/runner/device_hooks.h"
#include "harness/runner/program.h"
#include "harness/runner/target_loader.h"

namespace rankle {
namespace {

// Seen by the oracle below, which the check asks for the expected output.
std::vector<Phase> g_phases;

void expected_and_phase(const PayloadSpec& spec, int rank, const Contributions& contributions,
                        std::int64_t first, std::span<std::byte> out) {
  if (active_slot() != nullptr) g_phases.push_back(active_slot()->phase());
  oracle_for("allreduce")->expected(spec, rank, contributions, first, out);
}

// Two rounds on two ranks with a clean target, as a worker would run it.
void run_two_rounds() {
  Case c;
  c.target = "allreduce/testing_none";
  c.world = 2;
  c.shape = {100};
  c.geometry = {1, 64, 64};
  c.input_offset = {0, 0};
  c.output_offset = {0, 0};
  c.program = {{StepKind::fill, 0}, {StepKind::call, 0}, {StepKind::check, 0},
               {StepKind::fill, 1}, {StepKind::call, 0}, {StepKind::check, 1}};
  static TargetLoader loader({FAULTY_TARGETS});
  std::vector<RankTargets> targets(2);
  for (int rank = 0; rank < 2; ++rank) {
    std::string error;
    targets[std::size_t(rank)].target = loader.fresh(c.target, rank, error);
    ASSERT_EQ(error, "");
  }
  FamilyOracle oracle = *oracle_for("allreduce");
  oracle.expected = expected_and_phase;
  const RunOptions options;
  ProgramRun program(c, options, oracle, std::move(targets));
  g_phases.clear();
  enter_phase(Phase::running);
  device_hooks::run_ranks(c, options, [&](int rank) { program.rank_main(rank); });
  EXPECT_TRUE(program.findings().empty());
}

TEST(CheckPhase, IsCheckingWhileRanksCompareAndRunningAfterwards) {
  CaseSlot slot = CaseSlot::create();
  set_active_slot(&slot);
  run_two_rounds();
  EXPECT_EQ(g_phases, (std::vector<Phase>{Phase::checking, Phase::checking}));
  EXPECT_EQ(slot.phase(), Phase::running);
  set_active_slot(nullptr);
}

TEST(CheckPhase, NeedsNoSlot) {
  set_active_slot(nullptr);
  run_two_rounds();
  EXPECT_TRUE(g_phases.empty());
}

}  // namespace
}  // namespace rankle
