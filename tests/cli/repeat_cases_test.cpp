// `rankle replay PATH... --iterations N`: one line for each case and mode, folders, exit codes, and
// what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generators/case_json.h"
#include "repro/atomic_file.h"
#include "repro/repro_file.h"
#include "tests/cli/command_fixture.h"
#include "tests/repro/sample_repro.h"

namespace rankle::cli {
namespace {

using rankle::test::large_case;
using rankle::test::sample_repro;
using rankle::test::scripted_finding;
using test::CommandTest;
using test::Printed;
using testing::HasSubstr;

class RepeatCommand : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    bug_ = [](const Case&) { return std::vector<Finding>{}; };
    Case c = large_case();
    c.world = 2;
    c.input_offset = c.output_offset = {0, 0};
    std::filesystem::create_directories(folder_ / "cases" / "deep");
    replace_file(path("cases/second.json"), case_to_text(c));
    replace_file(path("cases/deep/first.json"), to_text(sample_repro()));
    replace_file(path("cases/notes.txt"), "no case");
  }
};

TEST_F(RepeatCommand, PrintsALineForEachCaseAndMode) {
  const Printed printed = run({"replay", path("cases"), "--iterations", "100"});
  EXPECT_EQ(printed.code, 0) << printed.err;
  EXPECT_THAT(printed.out, HasSubstr("first eager 100 iterations: pass\n"
                                     "first graph 100 iterations: pass\n"
                                     "second eager 100 iterations: pass\n"
                                     "second graph 100 iterations: pass\n"
                                     "4 passed, 0 failed\n"));
}

TEST_F(RepeatCommand, SaysWhatFailedAndWhen) {
  // In the second part of the eager mode; and never in graphs.
  bug_ = [](const Case& c) -> std::vector<Finding> {
    if (c.seed == 8 && c.program[0].kind == StepKind::fill) return {scripted_finding()};
    return {};
  };
  const Printed printed =
      run({"replay", path("cases/second.json"), "--iterations", "100", "--json"});
  EXPECT_EQ(printed.code, 1);
  EXPECT_THAT(printed.err, HasSubstr("second eager 64 iterations, then barrier-divergence: "));
  EXPECT_THAT(printed.err, HasSubstr("second graph 100 iterations: pass"));
  const auto repeats = printed.events("repeat");
  ASSERT_EQ(repeats.size(), 2U);
  EXPECT_EQ(repeats[0].at("outcome"), "finding");
  EXPECT_EQ(repeats[0].at("case").at("seed"), 8);
  EXPECT_EQ(repeats[0].at("signature"), rankle::test::scripted_signature());
  EXPECT_EQ(repeats[1].at("iterations"), 100);
  const auto end = printed.events("end").at(0);
  EXPECT_EQ(end.at("failed"), 1);
  EXPECT_EQ(end.at("passed"), 1);
  EXPECT_EQ(end.at("exit"), 1);
}

TEST_F(RepeatCommand, TakesModesAndAnotherTarget) {
  std::vector<Case> ran;
  bug_ = [&ran](const Case& c) {
    ran.push_back(c);
    return std::vector<Finding>{};
  };
  EXPECT_EQ(run({"replay", path("cases"), "--iterations", "3", "--modes", "graph", "--target",
                 "allreduce/clean"})
                .code,
            0);
  ASSERT_EQ(ran.size(), 2U);
  for (const Case& c : ran) {
    EXPECT_EQ(c.target, "allreduce/clean");
    EXPECT_EQ(c.program[0].kind, StepKind::capture);
  }
}

TEST_F(RepeatCommand, RefusesWhatMakesNoSense) {
  const std::string file = path("cases/second.json");
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{"replay", file, "--iterations", "0"}, "--iterations: '0'"},
      {{"replay", file, "--iterations", "2", "--modes", "lazy"}, "allowed: eager, graph"},
      {{"replay", file, "--modes", "eager"},
       "--modes: 'eager' is not allowed without --iterations"},
      {{"replay", file, "--target", "x"}, "--target: 'x' is not allowed without --iterations"},
      {{"replay", path("cases/notes.txt"), "--iterations", "2"}, "notes.txt: case"},
      {{"replay", path("absent.json"), "--iterations", "2"}, "absent.json"},
  };
  for (const auto& [arguments, sentence] : wrong) {
    const Printed printed = run(arguments);
    EXPECT_EQ(printed.code, 2) << sentence << printed.err;
    EXPECT_THAT(printed.err, HasSubstr(sentence));
  }
  std::filesystem::create_directories(folder_ / "empty");
  EXPECT_THAT(run({"replay", path("empty"), "--iterations", "2"}).err,
              HasSubstr("holds no .json file"));
}

}  // namespace
}  // namespace rankle::cli
