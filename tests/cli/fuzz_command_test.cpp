// `rankle fuzz` and `list` on scripted executors: exit codes, events, files, the copyable lines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "repro/repro_file.h"
#include "tests/cli/command_fixture.h"

namespace rankle::cli {
namespace {

using rankle::test::scripted_finding;
using test::CommandTest;
using test::Printed;
using test::Variable;
using testing::HasSubstr;

class Fuzz : public CommandTest {
 protected:
  Printed fuzz(std::vector<std::string> more) {
    std::vector<std::string> arguments = {"fuzz",  "--target",  "*@bug",   "--seed", "7",
                                          "--out", path("out"), "--cases", "500"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
};

TEST_F(Fuzz, ExitsCleanWithoutAFinding) {
  const Printed printed =
      run({"fuzz", "--cases", "50", "--seed", "1", "--out", path("out"), "--json"});
  EXPECT_EQ(printed.code, 0);
  EXPECT_TRUE(printed.events("finding").empty());
  const auto end = printed.events("end").at(0);
  EXPECT_EQ(end.at("exit"), 0);
  EXPECT_EQ(end.at("cases"), 50);
  EXPECT_GT(end.at("cases_per_s"), 0.0);
  EXPECT_FALSE(std::filesystem::exists(path("out"))) << "no folder without a finding";
}

TEST_F(Fuzz, WritesAMinimisedReproThatReplaysAndStopsAtTheFirst) {
  const Printed printed = fuzz({"--json"});
  EXPECT_EQ(printed.code, 1);
  const auto findings = printed.events("finding");
  ASSERT_EQ(findings.size(), 1U);
  const auto& finding = findings[0];
  EXPECT_EQ(finding.at("kind"), "barrier-divergence");
  EXPECT_EQ(finding.at("target"), "allreduce/scripted@bug");
  EXPECT_EQ(finding.at("minimise_end"), "minimal");
  for (const char* key : {"signature", "cases", "seconds", "repro", "minimise_seconds"}) {
    EXPECT_TRUE(finding.contains(key)) << key;
  }
  const std::string file = finding.at("repro");
  EXPECT_EQ(files_in("out"), std::vector<std::string>{file});
  const Repro repro = read_repro(file);
  EXPECT_EQ(repro.failing.world, 3);
  EXPECT_EQ(repro.seed, 7U);
  ASSERT_TRUE(repro.minimised);
  EXPECT_GT(repro.minimised->accepted, 0U);
  EXPECT_TRUE(repro.original_case);
  EXPECT_EQ(run({"replay", file}).code, 1);
  EXPECT_EQ(printed.events("start").at(0).at("seed"), 7);
  EXPECT_EQ(printed.events("end").at(0).at("exit"), 1);
}

TEST_F(Fuzz, EndsAFindingWithTwoLinesThatReproduceIt) {
  const Printed printed = fuzz({});
  const std::size_t replay = printed.out.find("  rankle replay " + path("out"));
  const std::size_t fuzz =
      printed.out.find("\n  rankle fuzz --target '*@bug' --seed 7 --only-case ");
  ASSERT_NE(replay, std::string::npos);
  ASSERT_NE(fuzz, std::string::npos);
  EXPECT_EQ(printed.out.find('\n', replay), fuzz);
  const std::size_t number = printed.out.find("--only-case ", fuzz) + 12;
  const std::string index = printed.out.substr(number, printed.out.find('\n', number) - number);
  const Printed again = run({"fuzz", "--target", "*@bug", "--seed", "7", "--only-case", index,
                             "--out", path("again"), "--json"});
  EXPECT_EQ(again.code, 1);
  EXPECT_EQ(again.events("end").at(0).at("cases"), 1);
}

TEST_F(Fuzz, NeverOverwritesARepro) {
  fuzz({});
  const auto first = files_in("out");
  ASSERT_EQ(first.size(), 1U);
  const std::string before = file_text(first[0]);
  fuzz({"--seed", "8"});
  EXPECT_EQ(files_in("out").size(), 2U);
  EXPECT_EQ(file_text(first[0]), before);
}

TEST_F(Fuzz, ReportsOneSignatureOnce) {
  bug_ = [](const Case& c) -> std::vector<Finding> {
    if (c.count() == 0) return {};
    return {scripted_finding(c.world >= 4 ? 71 : 99)};
  };
  const Printed printed = fuzz({"--max-findings", "0", "--json"});
  EXPECT_EQ(printed.code, 1);
  EXPECT_EQ(printed.events("finding").size(), 2U);
  EXPECT_EQ(printed.events("end").at(0).at("cases"), 500);
  EXPECT_GT(printed.events("end").at(0).at("duplicates"), 100);
}

TEST_F(Fuzz, CallsAFindingFlakyThatDoesNotShowAgain) {
  int runs = 0;
  bug_ = [&runs](const Case&) -> std::vector<Finding> {
    if (++runs != 3) return {};
    return {scripted_finding()};
  };
  const Printed printed = fuzz({"--max-findings", "0", "--json"});
  EXPECT_EQ(printed.code, 5);
  EXPECT_EQ(printed.events("finding").at(0).at("flaky"), "1/5");
  EXPECT_EQ(read_repro(printed.events("finding").at(0).at("repro").get<std::string>()).flaky,
            (FlakyNote{1, 5}));
}

TEST_F(Fuzz, PrintsTheFindingEvenIfItCannotBeWritten) {
  std::ofstream(path("file")) << "x";
  const Printed printed = fuzz({"--out", path("file/below"), "--json"});
  EXPECT_EQ(printed.code, 1);
  EXPECT_TRUE(printed.events("finding").at(0).contains("write_error"));
  EXPECT_THAT(printed.err, HasSubstr("rankle fuzz --target"));
}

TEST_F(Fuzz, StopsCleanlyWhenInterrupted) {
  interrupted_ = true;
  const Printed printed = fuzz({"--json"});
  EXPECT_EQ(printed.code, 0);
  EXPECT_EQ(printed.events("end").at(0).at("reason"), "interrupted");
}

TEST_F(Fuzz, RefusesMistakesWithWhatIsAllowed) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes = {
      {{"--target", "allreduce/claen"},
       "--target: 'allreduce/claen' matches no target; the closest"},
      {{"--target", "allreduce/scr*"}, "matches mutants only"},
      {{"--world", "5"}, "--world: '5' asks for 5, which no target"},
      {{"--world", "2,5"}, "allowed: 2, 3, 4, 8"},
      {{"--world", "two"}, "--world: 'two' is not allowed"},
      {{"--world", "2,,4"}, "has an empty entry"},
      {{"--dtype", "fp7"}, "--dtype: 'fp7' names no element type (fp7); allowed: fp64, fp32"},
      {{"--dtype", "int8"}, "allowed: fp32, bf16"},
      {{"--time", "60"}, "--time: '60' is not allowed; a duration such as"},
      {{"--cases", "0"}, "--cases: '0' is not allowed; a whole number from 1"},
      {{"--seed", "-1"}, "--seed: '-1' is not allowed"},
      {{"--platform", "tpu"}, "--platform: 'tpu' is no platform; allowed: sim, amd, nvidia"},
      {{"--relaxed-handoff", "maybe"},
       "--relaxed-handoff: 'maybe' is not allowed; one of error, warning, off"},
      {{"--volatile", "atomic"}, "--volatile: 'atomic' is not allowed; one of relaxed, plain"},
      {{"--programs", "all"}, "--programs: 'all' is not allowed; one of none, mixed, only"},
      {{"--frobnicate"}, "--frobnicate"},
  };
  for (const auto& [arguments, sentence] : mistakes) {
    std::vector<std::string> line = {"fuzz", "--cases", "1", "--out", path("out")};
    if (arguments[0] == "--cases") line = {"fuzz"};
    line.insert(line.end(), arguments.begin(), arguments.end());
    const Printed printed = run(line);
    EXPECT_EQ(printed.code, 2) << sentence;
    EXPECT_THAT(printed.err, HasSubstr(sentence));
    EXPECT_EQ(std::count(printed.err.begin(), printed.err.end(), '\n'), 1) << printed.err;
  }
  EXPECT_FALSE(std::filesystem::exists(path("out")));
}

TEST_F(Fuzz, RefusesOnlyCaseWithoutASeed) {
  const Printed printed = run({"fuzz", "--only-case", "3"});
  EXPECT_EQ(printed.code, 2);
  EXPECT_THAT(printed.err, HasSubstr("--only-case: '3' needs --seed"));
}

TEST_F(Fuzz, ReadsVariablesWhichOptionsOverride) {
  const Variable cases("RANKLE_CASES", "3");
  const Variable seed("RANKLE_SEED", "9");
  const Printed printed = run({"fuzz", "--json", "--seed", "4", "--out", path("out")});
  EXPECT_EQ(printed.events("end").at(0).at("cases"), 3);
  EXPECT_EQ(printed.events("start").at(0).at("seed"), 4);
  const Variable world("RANKLE_WORLD", "77");
  const Printed refused = run({"fuzz"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("RANKLE_WORLD: '77'"));
}

TEST_F(Fuzz, PrintsWhatItDrewFirst) {
  const Printed printed = run({"fuzz", "--cases", "1", "--out", path("out")});
  EXPECT_THAT(
      printed.out.substr(0, printed.out.find('\n')),
      testing::MatchesRegex("rankle [0-9.]+ \\(.*\\), platform sim \\(.*\\), seed [0-9]+, .*"));
}

TEST_F(Fuzz, CountsWhatItDrewWithStatistics) {
  const Printed printed =
      run({"fuzz", "--cases", "40", "--statistics", "--json", "--out", path("out")});
  const auto end = printed.events("end").at(0);
  int worlds = 0;
  for (const auto& count : end.at("statistics").at("world")) worlds += count.get<int>();
  EXPECT_EQ(worlds, 40);
}

using List = CommandTest;

TEST_F(List, ShowsTargetsAndMutantsWithTheirClass) {
  const Printed printed = run({"list", "--json"});
  EXPECT_EQ(printed.code, 0);
  const auto targets = printed.events("target");
  ASSERT_EQ(targets.size(), 2U);
  EXPECT_EQ(targets[0].at("name"), "allreduce/clean");
  EXPECT_EQ(targets[0].at("class"), "");
  EXPECT_EQ(targets[1].at("class"), "SCRIPTED");
  EXPECT_EQ(targets[1].at("family"), "allreduce");
  EXPECT_EQ(targets[1].at("dtypes"), (nlohmann::json{"fp32", "bf16"}));
  EXPECT_EQ(targets[1].at("worlds"), (nlohmann::json{2, 3, 4, 8}));
  EXPECT_EQ(printed.events("end").at(0).at("exit"), 0);
}

TEST_F(List, ShowsEveryDetectorAtTheStartAndForEachTarget) {
  const Printed printed = run({"list", "--json"});
  const auto detectors = printed.events("start").at(0).at("detectors");
  ASSERT_EQ(detectors.size(), all_finding_kinds().size());
  for (const auto& [name, on] : detectors.items()) {
    EXPECT_EQ(on, name == "barrier-divergence") << name;  // what the scripted executor sees
  }
  for (const auto& target : printed.events("target")) {
    EXPECT_EQ(target.at("detectors"), detectors) << target.at("name");
  }
  const Printed fuzz = run({"fuzz", "--cases", "1", "--json", "--out", path("out")});
  EXPECT_EQ(fuzz.events("start").at(0).at("detectors"), detectors);
}

TEST_F(List, LeavesMutantsOutOfAGlobWithoutAnAt) {
  EXPECT_EQ(run({"list", "--target", "allreduce/*", "--json"}).events("target").size(), 1U);
  EXPECT_EQ(run({"list", "--target", "nothing"}).code, 2);
}

TEST_F(List, IsNamedForATypo) {
  const Printed printed = run({"lst"});
  EXPECT_EQ(printed.code, 2);
  EXPECT_THAT(printed.err, HasSubstr("'lst' is no command; allowed: list, fuzz, smoke"));
}

}  // namespace
}  // namespace rankle::cli
