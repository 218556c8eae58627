// shrink() ends, stays valid, and reaches the small cases that people would write by hand.
#include "generators/shrink.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>

#include "generators/case_json.h"
#include "generators/generate.h"
#include "generators/tiling.h"
#include "tests/generators/program_checks.h"
#include "tests/generators/test_contracts.h"

namespace rankle {
namespace {

void expect_candidates_valid_and_less(const Case& c, const Contract& contract) {
  const auto candidates = smaller_cases(c, contract);
  EXPECT_LE(candidates.size(), 400u);
  test::expect_valid_less_and_new(candidates, c, contract);
}

TEST(Shrink, EveryCandidateIsValidStrictlyLessAndNew) {
  const auto contracts = test::contracts();
  for (std::uint64_t index = 0; index < 600; ++index) {
    const Case c = draw_case(contracts, {}, 2, index);
    expect_candidates_valid_and_less(c, test::contract_of(contracts, c));
  }
}

TEST(Shrink, HandlesSwitchesAndSpecialInputs) {
  Case c = test::small_case();
  c.schedule.policy = Policy::run_to_block;
  for (std::uint64_t step = 0; step < 40; ++step) c.schedule.switches.push_back({step * 3, step});
  c.inputs = Inputs::special;
  c.same_bits_as = test::two_stage().same_bits_as;
  ASSERT_EQ(validate(c, test::two_stage()), std::nullopt);
  expect_candidates_valid_and_less(c, test::two_stage());
  // Two switches out of 40 matter: exactly these stay.
  const auto needs_two = [](const Case& k) {
    const auto has = [&](std::uint64_t entity) {
      return std::any_of(k.schedule.switches.begin(), k.schedule.switches.end(),
                         [=](const Switch& s) { return s.entity == entity; });
    };
    return has(7) && has(31);
  };
  const Case least = test::minimised(c, test::two_stage(), needs_two);
  EXPECT_EQ(least.schedule.switches, (std::vector<Switch>{{21, 7}, {93, 31}}));
}

TEST(Shrink, LongSwitchListsShrinkToo) {
  Case c = test::small_case();
  c.schedule.policy = Policy::run_to_block;
  for (std::uint64_t step = 0; step < 1000; ++step) c.schedule.switches.push_back({step, step});
  const Case least = test::minimised(c, test::two_stage(), [](const Case& k) {
    return std::any_of(k.schedule.switches.begin(), k.schedule.switches.end(),
                       [](const Switch& s) { return s.entity == 613; });
  });
  EXPECT_EQ(least.schedule.switches, (std::vector<Switch>{{613, 613}}));
}

TEST(Shrink, ReachesTheLeastCaseWhenEverythingFails) {
  const auto contracts = test::contracts();
  for (std::uint64_t index = 0; index < 200; ++index) {
    const Case c = draw_case(contracts, {}, 4, index);
    const Contract& contract = test::contract_of(contracts, c);
    int runs = 0;
    const Case least = test::minimised(c, contract, [](const Case&) { return true; }, &runs);
    EXPECT_LT(runs, 60);
    EXPECT_EQ(least.world, 2);
    EXPECT_EQ(least.geometry.blocks, 1);
    EXPECT_EQ(least.geometry.threads, contract.threads_min);
    EXPECT_EQ(least.geometry.wave, 64);
    EXPECT_EQ(least.count(), 0);
    EXPECT_EQ(least.program,
              (std::vector<Step>{{StepKind::fill, 0}, {StepKind::call, 0}, {StepKind::check, 0}}));
    EXPECT_EQ(least.schedule, Schedule{});
    EXPECT_EQ(least.seed, 0u);
    EXPECT_EQ(least.shape.size(), 1u);
    EXPECT_TRUE(smaller_cases(least, contract).empty()) << case_to_text(least);
  }
}

// A partial tile after a whole round of the grid, in 16-bit floats, and a second round: like a
// barrier in a loop whose trip count differs between threads.
bool diverges(const Case& c) {
  const Tiling t = Tiling::of(c.bytes(), c.world, c.geometry.threads);
  const int blocks = c.geometry.blocks > 0
                         ? c.geometry.blocks
                         : own_blocks(c.bytes() / kPackBytes, c.geometry.threads, 80);
  return t.part > t.row * blocks && t.part % t.row != 0;
}

TEST(Shrink, KeepsTheTileStructureThatABugNeeds) {
  const Contract contract = test::two_stage();
  int found = 0;
  for (std::uint64_t index = 0; index < 2000 && found < 100; ++index) {
    const Case c = draw_case({contract}, {}, 9, index);
    if (!diverges(c)) continue;
    ++found;
    int runs = 0;
    const Case least = test::minimised(c, contract, diverges, &runs);
    EXPECT_EQ(least.world, 2);
    EXPECT_EQ(least.geometry.blocks, 1);
    EXPECT_EQ(least.geometry.threads, 64);
    EXPECT_EQ(least.dtype, DType::fp32);
    EXPECT_EQ(least.bytes(), 33 * 2 * kPackBytes) << "one tile and one lane of each rank";
    EXPECT_LT(runs, 1500) << case_to_text(c);
  }
  EXPECT_EQ(found, 100);
}

TEST(Shrink, KeepsTheRoundThatLeavesStaleData) {
  // Fails only if a round without poisoned scratch follows another round.
  const auto stale = [](const Case& c) {
    int checks = 0;
    bool poisoned = false;
    for (const Step& step : c.program) {
      if (step.kind == StepKind::poison_scratch) poisoned = true;
      if (step.kind == StepKind::call && checks > 0 && !poisoned) return true;
      if (step.kind == StepKind::check) ++checks, poisoned = false;
    }
    return false;
  };
  Case c = test::small_case();
  ASSERT_TRUE(stale(c));
  const Case least = test::minimised(c, test::two_stage(), stale);
  EXPECT_EQ(least.program, (std::vector<Step>{{StepKind::fill, 0},
                                              {StepKind::call, 0},
                                              {StepKind::check, 0},
                                              {StepKind::call, 0},
                                              {StepKind::check, 0}}));
}

TEST(Shrink, RapidCheckShrinksTheSameWay) {
  const Contract contract = test::two_stage();
  const auto gen = cases_of({contract}, {});
  const auto shrinkable = gen(rc::Random(3), 60);
  std::vector<Case> lazy;
  auto shrinks = shrinkable.shrinks();
  while (const auto next = shrinks.next()) lazy.push_back(next->value());
  EXPECT_EQ(lazy, smaller_cases(shrinkable.value(), contract));
  EXPECT_FALSE(lazy.empty());
}

TEST(Complexity, OrdersAsPeopleRead) {
  const Case base = test::small_case();
  const auto with = [&](auto edit) {
    Case c = base;
    edit(c);
    return complexity(c);
  };
  const Complexity here = complexity(base);
  // Fewer ranks weigh more than many more elements; the own grid counts above any explicit one.
  EXPECT_LT(with([](Case& c) { c.world = 2, c.shape = {1 << 20}; }), here);
  EXPECT_GT(with([](Case& c) { c.geometry.blocks = 0; }),
            with([](Case& c) { c.geometry.blocks = 80; }));
  EXPECT_LT(with([](Case& c) { c.program.pop_back(), c.world = 8; }), here);
  EXPECT_LT(with([](Case& c) { c.dtype = DType::fp32; }), here);
  EXPECT_LT(with([](Case& c) { c.dtype = DType::fp32; }),
            with([](Case& c) { c.dtype = DType::int32; }));
  EXPECT_LT(with([](Case& c) { c.shape = {33 * 32}; }), here);
  EXPECT_LT(with([](Case& c) { c.input_offset[1] = 0; }), here);
  EXPECT_LT(with([](Case& c) { c.schedule.policy = Policy::run_to_block; }), here);
  EXPECT_GT(with([](Case& c) { c.geometry.wave = 32; }), here);
  EXPECT_LT(with([](Case& c) { c.seed = 6; }), here);
  EXPECT_EQ(with([](Case&) {}), here);
}

}  // namespace
}  // namespace rankle
