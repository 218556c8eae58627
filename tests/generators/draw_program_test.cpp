// Drawn programs obey the rules, hold every kind of step often enough to matter, and have the
// shapes in which production bugs hide.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "generators/case_json.h"
#include "generators/draw_program.h"
#include "generators/generate.h"
#include "generators/limits.h"
#include "generators/names.h"
#include "generators/program_model.h"
#include "tests/generators/program_checks.h"
#include "tests/generators/test_contracts.h"

namespace rankle {
namespace {

constexpr int kDraws = 2000;

const std::vector<Case>& draws() {
  static const std::vector<Case> cases = [] {
    std::vector<Case> drawn;
    drawn.reserve(kDraws);
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      drawn.push_back(draw_case({test::two_stage()}, test::only_programs(), 1, i));
    }
    return drawn;
  }();
  return cases;
}

template <class Predicate>
int cases_with(Predicate predicate) {
  return static_cast<int>(std::count_if(draws().begin(), draws().end(), predicate));
}

// Cases in which some step satisfies the predicate.
template <class Predicate>
int cases_with_step(Predicate predicate) {
  return cases_with(
      [&](const Case& c) { return std::any_of(c.program.begin(), c.program.end(), predicate); });
}

TEST(DrawProgram, IsValidForManySeedsInAndOutOfPlaceWithAndWithoutACommunicator) {
  Contract in_place = test::two_stage();
  in_place.target = "allreduce/in_place";
  in_place.in_place = true;
  const std::vector<Contract> contracts{test::two_stage(), test::elementwise(), in_place};
  for (std::uint64_t index = 0; index < 20'000; ++index) {
    const Case c = draw_case(contracts, test::only_programs(), 11, index);
    ASSERT_EQ(test::refusal_of(c, test::contract_of(contracts, c)), "") << case_to_text(c);
    ASSERT_LE(c.program.size(), detail::kDrawnStepsMax);
    ASSERT_LE(c.bytes() * c.world, limit_of(SizeClass::small).bytes);
  }
}

RC_GTEST_PROP(DrawProgram, JsonRoundTripIsExact, ()) {
  const Case c = *cases_of(test::contracts(), test::only_programs());
  test::round_trips_through_json(c);
}

TEST(DrawProgram, HoldsEveryKindOften) {
  for (const StepKind kind : all_step_kinds()) {
    const int cases = cases_with_step([=](const Step& step) { return step.kind == kind; });
    EXPECT_GE(cases, kDraws / 25) << name_of(kind);
    RecordProperty(std::string(name_of(kind)), cases);
  }
}

TEST(DrawProgram, UsesEveryFieldOften) {
  const std::map<std::string, int> cases{
      {"staged", cases_with_step([](const Step& s) { return s.staged; })},
      {"refused", cases_with_step([](const Step& s) { return s.refused; })},
      {"copied", cases_with_step([](const Step& s) { return s.copied; })},
      {"aside", cases_with_step([](const Step& s) { return s.aside; })},
      {"second buffer", cases_with_step([](const Step& s) { return s.buffer > 0; })},
      {"second graph", cases_with_step([](const Step& s) { return s.graph > 0; })},
      {"shape", cases_with_step([](const Step& s) { return s.shape > 0; })},
      {"times", cases_with_step([](const Step& s) { return s.times == 3; })},
      {"queued fill",
       cases_with_step([](const Step& s) { return s.kind == StepKind::fill && s.queued; })},
      {"queued check",
       cases_with_step([](const Step& s) { return s.kind == StepKind::check && s.queued; })},
      {"queued delay",
       cases_with_step([](const Step& s) { return s.kind == StepKind::delay && s.queued; })},
      {"host delay",
       cases_with_step([](const Step& s) { return s.kind == StepKind::delay && !s.queued; })},
      {"sync of one rank",
       cases_with_step([](const Step& s) { return s.kind == StepKind::sync && s.rank >= 0; })},
      {"other dtype", cases_with([](const Case& c) {
         return std::any_of(c.call_shapes.begin(), c.call_shapes.end(),
                            [&](const CallShape& s) { return s.dtype != c.dtype; });
       })}};
  for (const auto& [name, count] : cases) EXPECT_GE(count, kDraws / 25) << name;
}

// The programs as kinds, for patterns.
bool has_sequence(const Case& c, const std::vector<StepKind>& kinds) {
  std::size_t at = 0;
  for (const Step& step : c.program) {
    if (at < kinds.size() && step.kind == kinds[at]) ++at;
  }
  return at == kinds.size();
}

TEST(DrawProgram, HasTheShapesOfProductionBugs) {
  using enum StepKind;
  const auto with = [](std::vector<StepKind> kinds) {
    return cases_with([&](const Case& c) { return has_sequence(c, kinds); });
  };
  EXPECT_GE(with({replay, call, replay}), kDraws / 25) << "eager between replays";
  EXPECT_GE(with({warm_up, call, capture, call, end_capture, replay}), kDraws / 100);
  EXPECT_GE(with({replay, destroy_graph, capture, call}), kDraws / 100);
  EXPECT_GE(with({capture, fork, call, join, end_capture, replay}), kDraws / 50);
  EXPECT_GE(with({call, deregister_buffer, reallocate, register_buffer, call}), kDraws / 100);
  EXPECT_GE(with({call, reconnect, call}), kDraws / 100);
  EXPECT_GE(with({call, stream, call}), kDraws / 50);
  EXPECT_GE(with({delay, call, overwrite}), kDraws / 50);
  const auto captured_calls = [](const Case& c) {
    int calls = 0, captures = 0;
    for (const Step& step : c.program) {
      if (step.kind == capture) ++captures;
      if (step.kind == end_capture) break;
      if (captures > 0 && step.kind == call) ++calls;
    }
    return calls;
  };
  for (const int calls : {1, 2, 3}) {
    EXPECT_GE(cases_with([&](const Case& c) { return captured_calls(c) == calls; }), kDraws / 25)
        << calls;
  }
  EXPECT_GE(cases_with([](const Case& c) {
              return c.program[0].kind == seed_epochs &&
                     c.program[0].amount > (std::int64_t{1} << 32) - 5;
            }),
            kDraws / 100);
  // Small, large, small on one buffer.
  EXPECT_GE(cases_with([](const Case& c) {
              std::vector<std::int64_t> counts;
              for (const Step& step : c.program) {
                if (step.kind != call || step.buffer != 0) continue;
                counts.push_back(
                    step.shape == 0 ? c.count() : c.call_shapes[std::size_t(step.shape) - 1].count);
              }
              for (std::size_t i = 2; i < counts.size(); ++i) {
                if (counts[i - 2] < counts[i - 1] && counts[i] < counts[i - 1]) return true;
              }
              return false;
            }),
            kDraws / 50);
}

TEST(DrawProgram, ObeysTheUsersRestrictions) {
  Draw draw = test::only_programs();
  draw.dtypes = {DType::bf16};
  for (std::uint64_t index = 0; index < 500; ++index) {
    const Case c = draw_case(test::contracts(), draw, 3, index);
    for (const CallShape& shape : c.call_shapes) ASSERT_EQ(shape.dtype, DType::bf16);
  }
  draw = {};
  draw.programs = Programs::none;
  for (std::uint64_t index = 0; index < 500; ++index) {
    for (const Step& step : draw_case(test::contracts(), draw, 3, index).program) {
      ASSERT_LE(step.kind, StepKind::check);
    }
  }
}

}  // namespace
}  // namespace rankle
