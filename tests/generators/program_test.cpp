// Each rule of program.h, with a program that breaks only it, and the programs that must pass.
#include "generators/program.h"

#include <gtest/gtest.h>

#include "generators/limits.h"

namespace rankle {
namespace {

constexpr Step fill(int round) { return {StepKind::fill, round}; }
constexpr Step check(int round) { return {StepKind::check, round}; }
constexpr Step call{StepKind::call, 0};
constexpr Step sync{StepKind::sync, 0};
constexpr Step poison_output{StepKind::poison_output, 0};
constexpr Step poison_scratch{StepKind::poison_scratch, 0};

ProgramSetting setting(bool in_place = false) { return {4, in_place, true, {CallShape{}}}; }

// The path of the violation; empty if there is none.
std::string path_of(const std::vector<Step>& program, bool in_place = false) {
  const auto violation = check_program(program, setting(in_place));
  return violation ? violation->path : "";
}

TEST(Program, PassesWhatAResultIsDefinedFor) {
  EXPECT_EQ(path_of({fill(0), call, check(0)}), "");
  EXPECT_EQ(path_of({poison_output, poison_scratch, fill(3), poison_output, poison_scratch, call,
                     sync, call, call, check(3), check(3), fill(1), call, check(1)}),
            "");
  EXPECT_EQ(path_of({fill(0), call, sync, fill(1), call, check(1)}), "");
  EXPECT_EQ(path_of({fill(0), call, sync, fill(1), check(0), call, check(1)}), "");
  EXPECT_EQ(path_of({fill(0), call, check(0), poison_output, fill(1), call, check(1)}, true), "");
}

TEST(Program, NeedsACallAndACheck) {
  EXPECT_EQ(path_of({}), "case.program");
  EXPECT_EQ(path_of({fill(0), call}), "case.program");
  EXPECT_EQ(path_of({fill(0)}), "case.program");
  EXPECT_EQ(path_of({fill(0), call, check(0), call, sync}), "case.program");
}

TEST(Program, IsCapped) {
  std::vector<Step> program{fill(0)};
  program.resize(kProgramStepsMax - 1, call);
  program.push_back(check(0));
  EXPECT_EQ(path_of(program), "");
  program.push_back(check(0));
  EXPECT_EQ(path_of(program), "case.program");
}

TEST(Program, RefusesACheckOfARoundNotFilledAndCalled) {
  EXPECT_EQ(path_of({fill(0), call, check(1)}), "case.program[2].round");
  EXPECT_EQ(path_of({check(0)}), "case.program[0].round");
  EXPECT_EQ(path_of({fill(0), check(0)}), "case.program[1].kind");
  EXPECT_EQ(path_of({fill(0), call, check(0), fill(1), check(1)}), "case.program[4].round");
  EXPECT_EQ(path_of({fill(0), call, sync, fill(1), call, check(0)}), "case.program[5].round");
  EXPECT_EQ(path_of({fill(0), call, sync, fill(1), check(1)}), "case.program[4].round");
  EXPECT_EQ(path_of({fill(0), call, sync, fill(1), check(0)}, true), "case.program[4].kind");
}

TEST(Program, StagesCallsAndNothingElse) {
  EXPECT_EQ(path_of({fill(0), {StepKind::call, 0, true}, check(0)}), "");
  EXPECT_EQ(path_of({{StepKind::fill, 0, true}, call, check(0)}), "case.program[0].staged");
  EXPECT_EQ(path_of({fill(0), call, {StepKind::check, 0, true}}), "case.program[2].staged");
}

TEST(Program, LetsACallBeRefusedThatIsLargerThanAllThatMayBeStaged) {
  const auto path = [](const std::vector<Step>& program, bool captures_stage = false) {
    const ProgramSetting two{2, false, true, {{.count = 8}, {.count = 4}}, captures_stage};
    const auto violation = check_program(program, two);
    return violation ? violation->path : "";
  };
  const Step too_large{.staged = true, .refused = true};
  const Step staged{.staged = true};
  const Step small{.staged = true, .shape = 1};
  EXPECT_EQ(path({fill(0), call, too_large, check(0)}), "");
  EXPECT_EQ(path({fill(0), small, too_large, check(0)}), "");
  EXPECT_EQ(path({too_large, fill(0), call, check(0)}), "") << "it reads no input";
  EXPECT_EQ(path({fill(0), too_large, check(0)}), "case.program[2].kind") << "nor writes a result";
  EXPECT_EQ(path({fill(0), staged, too_large, check(0)}), "case.program[2].shape");
  EXPECT_EQ(path({too_large, fill(0), staged, check(0)}), "case.program[2].shape");
  const std::vector<Step> captured{too_large,
                                   {.kind = StepKind::capture},
                                   call,
                                   {.kind = StepKind::end_capture},
                                   {.kind = StepKind::replay, .round = 0},
                                   check(0)};
  EXPECT_EQ(path(captured), "");
  EXPECT_EQ(path(captured, true), "case.program[2].shape");
  EXPECT_EQ(path({fill(0), call, {.refused = true}, check(0)}), "case.program[2].refused");
}

TEST(Program, RefusesACallWithoutInput) {
  EXPECT_EQ(path_of({call, fill(0), call, check(0)}), "case.program[0].kind");
}

TEST(Program, RefusesACheckOfAPoisonedOutput) {
  EXPECT_EQ(path_of({fill(0), call, sync, poison_output, check(0)}), "case.program[4].kind");
}

TEST(Program, RefusesWritesThatMayOvertakeTheCall) {
  EXPECT_EQ(path_of({fill(0), call, fill(1), call, check(1)}), "case.program[2].kind");
  EXPECT_EQ(path_of({fill(0), call, poison_output, call, check(0)}), "case.program[2].kind");
  // A sync is no barrier between ranks: a peer may still read this rank's scratch.
  EXPECT_EQ(path_of({fill(0), call, sync, poison_scratch, call, check(0)}), "case.program[3].kind");
}

TEST(Program, RefusesRoundsUsedTwiceOutOfRangeOrOnOtherSteps) {
  EXPECT_EQ(path_of({fill(0), call, check(0), fill(0), call, check(0)}), "case.program[3].round");
  EXPECT_EQ(path_of({fill(-1), call, check(-1)}), "case.program[0].round");
  EXPECT_EQ(path_of({fill(256), call, check(256)}), "case.program[0].round");
  EXPECT_EQ(path_of({fill(255), call, check(255)}), "");
  EXPECT_EQ(path_of({fill(1), {StepKind::call, 1}, check(1)}), "case.program[1].round");
}

TEST(Program, RefusesInPlaceWhatDestroysTheInput) {
  EXPECT_EQ(path_of({fill(0), poison_output, call, check(0)}, true), "case.program[1].kind");
  EXPECT_EQ(path_of({fill(0), call, call, check(0)}, true), "case.program[2].kind");
}

TEST(Program, KeepsBuffersApart) {
  const Step fill1{.kind = StepKind::fill, .round = 1, .buffer = 1};
  const Step call1{.kind = StepKind::call, .buffer = 1};
  const Step check1{.kind = StepKind::check, .round = 1, .buffer = 1};
  EXPECT_EQ(path_of({fill(0), call, fill1, call1, check(0), check1}), "");
  EXPECT_EQ(path_of({fill(0), call, call1, check(0)}), "case.program[2].kind") << "no input";
  EXPECT_EQ(path_of({fill(0), call, fill1, call1, check(0)}), "case.program") << "never checked";
  EXPECT_EQ(path_of({fill(0), call, fill1, call1, check(1)}), "case.program[4].round");
  EXPECT_EQ(path_of({{.kind = StepKind::fill, .buffer = 4}, call, check(0)}),
            "case.program[0].buffer");
  EXPECT_EQ(path_of({{.kind = StepKind::fill, .buffer = -1}, call, check(0)}),
            "case.program[0].buffer");
}

TEST(Program, SaysWhatIsAllowed) {
  EXPECT_EQ(
      check_program({fill(0), call, fill(1)}, setting())->message,
      "case.program[2].kind: fill may overtake the last call; a sync or check must come first");
  EXPECT_EQ(check_program({fill(2), call, check(1)}, setting())->message,
            "case.program[2].round: 1 was never filled; a fill must come first");
}

}  // namespace
}  // namespace rankle
