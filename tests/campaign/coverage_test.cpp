// Coverage cells: which cell a run hits, how many there are, and what is named as never hit.
#include "campaign/coverage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/repro/scripted_executor.h"

namespace rankle {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;

Draw draw_without_programs() {
  Draw draw;
  draw.programs = Programs::none;
  draw.worlds = {8};
  return draw;
}

Coverage scripted_coverage() {
  return Coverage({test::scripted_contract()}, draw_without_programs());
}

Verdict verdict_with(std::vector<std::string> variants) {
  Verdict verdict;
  verdict.variants = std::move(variants);
  return verdict;
}

TEST(CoverageCell, IsOneForEachVariantThatRanksChose) {
  const auto cells = cells_of(test::large_case(), verdict_with({"a", "b", "a"}));
  ASSERT_THAT(cells, SizeIs(2));
  EXPECT_EQ(cells[0], (Cell{"allreduce/scripted@bug", "a", "bf16", "8",
                            tail_class(test::large_case()), "one offset", "rounds", "random"}));
  EXPECT_EQ(cells[1][1], "b");
}

TEST(CoverageCell, IsNoneForARunThatDied) {
  EXPECT_TRUE(cells_of(test::large_case(), Verdict{}).empty());
}

TEST(CoverageCell, TellsOffsetsThatDifferFromOneThatDoesNot) {
  Case c = test::large_case();
  c.input_offset.assign(8, 0);
  EXPECT_EQ(alignment_class(c), "aligned");
  c.input_offset[3] = 8;
  EXPECT_EQ(alignment_class(c), "offsets differ");
}

TEST(CoverageCell, NamesWhatAProgramIsAbout) {
  Case c = test::large_case();
  c.program = {{.kind = StepKind::call}};
  EXPECT_EQ(step_pattern(c), "one call");
  c.program.push_back({.kind = StepKind::capture});
  EXPECT_EQ(step_pattern(c), "graph");
  c.program.push_back({.kind = StepKind::reallocate});
  EXPECT_EQ(step_pattern(c), "buffers");
}

TEST(Coverage, CountsCellsOnceAndHitsAlways) {
  Coverage coverage = scripted_coverage();
  const auto cells = cells_of(test::large_case(), verdict_with({"a"}));
  EXPECT_EQ(coverage.add(cells), 1u);
  EXPECT_EQ(coverage.add(cells), 0u);
  EXPECT_EQ(coverage.hit(), 1u);
  EXPECT_EQ(coverage.cells().at(0).second, 2u);
  EXPECT_EQ(coverage.hit_of("allreduce/scripted@bug"), 1u);
}

TEST(Coverage, SpaceIsWhatContractAndDrawAllowTimesTheVariantsKnown) {
  Coverage coverage = scripted_coverage();
  // 2 dtypes, 1 world, 4 tails, 3 alignments, 2 patterns, 7 policies.
  EXPECT_EQ(coverage.space(), 2u * 1 * 4 * 3 * 2 * 7);
  coverage.add(cells_of(test::large_case(), verdict_with({"a", "b"})));
  EXPECT_EQ(coverage.space(), 2u * 2 * 1 * 4 * 3 * 2 * 7);
}

TEST(Coverage, NamesValuesThatNeverCameBeforePairs) {
  Coverage coverage = scripted_coverage();
  EXPECT_THAT(coverage.never_hit(10).front(), HasSubstr("never run to its end"));
  Case c = test::large_case();
  coverage.add(cells_of(c, verdict_with({"a"})));
  EXPECT_THAT(coverage.never_hit(10), Contains("allreduce/scripted@bug: never dtype fp32"));
  c.dtype = DType::fp32;
  c.schedule.policy = Policy::round_robin;
  coverage.add(cells_of(c, verdict_with({"a"})));
  EXPECT_THAT(coverage.never_hit(50),
              Contains("allreduce/scripted@bug: dtype fp32 never with policy random"));
  EXPECT_THAT(coverage.never_hit(50).back(), HasSubstr("cells never hit"));
  EXPECT_THAT(coverage.never_hit(2), SizeIs(3));
}

TEST(Coverage, TextGivesTheSameCellsAgain) {
  Coverage coverage = scripted_coverage();
  coverage.add(cells_of(test::large_case(), verdict_with({"a<\"tail\">"})), 5);
  const std::string text = to_text(coverage);
  EXPECT_EQ(nlohmann::json::parse(text).at("cells").at(0).at("world"), 8);
  Coverage again = scripted_coverage();
  add_from_text(again, text);
  EXPECT_EQ(again.cells(), coverage.cells());
  EXPECT_EQ(to_text(again), text);
}

TEST(Coverage, PassesOverCellsThatCannotBeRead) {
  Coverage coverage = scripted_coverage();
  add_from_text(coverage, R"({"cells": [7, {"target": "x"}, {"hits": -1}]})");
  add_from_text(coverage, R"([1])");
  EXPECT_EQ(coverage.hit(), 0u);
  EXPECT_THROW(add_from_text(coverage, "{"), nlohmann::json::exception);
}

}  // namespace
}  // namespace rankle
