// `rankle smoke` on scripted executors: the canary, the corpus, the seed, and the files for CI.
#include <gmock/gmock.h>

#include "campaign/canary.h"
#include "cli/commit_seed.h"
#include "generators/case_json.h"
#include "tests/cli/command_fixture.h"

namespace rankle::cli::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class SmokeCommandTest : public CommandTest {
 protected:
  // No canary among the scripted targets, and no corpus but what a test writes.
  Printed smoke(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"smoke", "--no-canary", "--out", path("out"), "--json"});
    if (std::ranges::find(arguments, "--corpus") == arguments.end()) {
      arguments.insert(arguments.end(), {"--corpus", "none"});
    }
    return run(arguments);
  }

  void write_case(const std::string& name, const Case& c) const {
    std::filesystem::create_directories(folder_ / "corpus");
    std::ofstream(folder_ / "corpus" / name) << case_to_text(c);
  }

  // A case that tail_bug lets pass, and one that it does not.
  static Case clean_case() {
    Case c = rankle::test::large_case();
    c.shape = {64};
    return c;
  }
};

TEST_F(SmokeCommandTest, ACleanRunEndsWithZeroAndSaysItsSeed) {
  const Printed printed = smoke({"--target", "allreduce/clean", "--cases", "50", "--seed", "7"});
  EXPECT_EQ(printed.code, 0) << printed.err;
  EXPECT_EQ(printed.events("start").at(0).at("seed"), 7);
  EXPECT_EQ(printed.events("end").at(0).at("cases"), 50);
}

TEST_F(SmokeCommandTest, ItGoesOnAfterAFinding) {
  const Printed printed =
      smoke({"--target", "*@bug", "--cases", "80", "--seed", "7", "--minimize-time", "1s"});
  EXPECT_EQ(printed.code, 1);
  EXPECT_EQ(printed.events("end").at(0).at("cases"), 80);
}

TEST_F(SmokeCommandTest, TheCorpusRunsFirstAndCasesOfOtherTargetsArePassedOver) {
  write_case("a.json", clean_case());
  Case other = clean_case();
  other.target = "allreduce/elsewhere";
  write_case("b.json", other);
  const Printed printed = smoke({"--target", "*@bug", "--world", "2", "--dtype", "bf16", "--cases",
                                 "1", "--corpus", path("corpus"), "--junit", path("smoke.xml")});
  EXPECT_EQ(printed.events("start").at(0).at("options").at("corpus"), 0)
      << "a case of eight ranks is not for --world 2";
  const Printed all = smoke({"--target", "*@bug", "--cases", "1", "--corpus", path("corpus"),
                             "--junit", path("smoke.xml")});
  EXPECT_EQ(all.events("start").at(0).at("options").at("corpus"), 1);
  EXPECT_THAT(all.err, HasSubstr("not for this selection: 1"));
  EXPECT_THAT(file_text(path("smoke.xml")),
              HasSubstr("<testsuite name=\"rankle.corpus\" tests=\"1\" failures=\"0\""));
}

TEST_F(SmokeCommandTest, ACaseOfTheCorpusThatFailsIsAFailedTestOfItsName) {
  Case failing = rankle::test::large_case();
  failing.shape = {72};
  write_case("bad.json", failing);
  write_case("good.json", clean_case());
  const Printed printed =
      smoke({"--target", "*@bug", "--cases", "1", "--seed", "1", "--corpus", path("corpus"),
             "--minimize-time", "1s", "--junit", path("smoke.xml")});
  EXPECT_EQ(printed.code, 1);
  const std::string xml = file_text(path("smoke.xml"));
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"rankle.corpus\" tests=\"2\" failures=\"1\" "));
  EXPECT_THAT(xml, HasSubstr("name=\"" + path("corpus/bad.json") + "\""));
  EXPECT_THAT(xml, HasSubstr("<failure type=\"barrier-divergence\""));
}

TEST_F(SmokeCommandTest, FindingsStandInAllFiles) {
  const Printed printed =
      smoke({"--target", "*@bug", "--cases", "40", "--seed", "7", "--minimize-time", "1s",
             "--junit", path("smoke.xml"), "--sarif", path("smoke.sarif"), "--github"});
  EXPECT_EQ(printed.code, 1);
  const auto sarif = nlohmann::json::parse(file_text(path("smoke.sarif"))).at("runs").at(0);
  ASSERT_EQ(sarif.at("results").size(), 1U);
  EXPECT_EQ(sarif.at("results").at(0).at("properties").at("repro"), files_in("out").at(0));
  EXPECT_EQ(sarif.at("invocations").at(0).at("exitCode"), 1);
  EXPECT_THAT(file_text(path("smoke.xml")), HasSubstr("--seed 7"));
  EXPECT_THAT(printed.err, HasSubstr("::error file=kernels/allreduce/scripted.cu,line=71,"));
}

TEST_F(SmokeCommandTest, TheSeedOfACommitIsItsFirstTwelveDigits) {
  EXPECT_EQ(seed_from_commit("0123456789ab"), 0x0123456789abU);
  EXPECT_EQ(seed_from_commit("0123456789ABCDEF0123456789abcdef01234567"), 0x0123456789abU);
  EXPECT_EQ(seed_from_commit("0123456789a"), std::nullopt);
  EXPECT_EQ(seed_from_commit("0123456789ag"), std::nullopt);
  EXPECT_EQ(seed_from_commit(std::string(65, 'a')), std::nullopt);
  const Printed printed = smoke(
      {"--target", "allreduce/clean", "--cases", "1", "--seed-from-commit", "ffffffffffff0000"});
  EXPECT_EQ(printed.events("start").at(0).at("seed"), 0xffffffffffffU);
}

TEST_F(SmokeCommandTest, MistakesAreRefusedBeforeAnythingRuns) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes = {
      {{"--seed-from-commit", "main"}, "--seed-from-commit: 'main' is not allowed"},
      {{"--seed-from-commit", "0123456789ab", "--seed", "1"}, "together with --seed"},
      {{"--junit", path("absent/smoke.xml")}, "--junit:"},
      {{"--sarif", folder_.string()}, "--sarif:"},
      {{"--corpus", path("absent")}, "cannot read"},
      {{"--seed", "1", "--only-case", "3"}, "--only-case:"}};
  for (const auto& [arguments, text] : mistakes) {
    const Printed printed = smoke(arguments);
    EXPECT_EQ(printed.code, 2) << text;
    EXPECT_THAT(printed.err, HasSubstr(text));
  }
  EXPECT_THAT(files_in("out"), IsEmpty());
}

TEST_F(SmokeCommandTest, WithoutAPlantedBugThereIsNoAnswerAndTheFilesSaySo) {
  const Printed printed = run({"smoke", "--cases", "1", "--corpus", "none", "--junit",
                               path("smoke.xml"), "--sarif", path("smoke.sarif")});
  EXPECT_EQ(printed.code, 3);
  EXPECT_THAT(printed.err, HasSubstr("--no-canary"));
  EXPECT_THAT(file_text(path("smoke.xml")), HasSubstr("<error "));
  EXPECT_THAT(file_text(path("smoke.sarif")), HasSubstr("\"executionSuccessful\": false"));
}

// Has the canary's target, and sees its bug only if `sees`.
class CanaryExecutor : public rankle::test::ScriptedExecutor {
 public:
  explicit CanaryExecutor(bool sees)
      : ScriptedExecutor([sees](const Case& c) {
          const bool is_canary = c.target == canaries()[0].failing.target;
          return sees && is_canary ? std::vector<Finding>{rankle::test::scripted_finding()}
                                   : std::vector<Finding>();
        }) {}

  std::vector<Contract> contracts() override {
    std::vector<Contract> all = ScriptedExecutor::contracts();
    all.push_back(rankle::test::scripted_contract());
    all.back().target = canaries()[0].failing.target;
    return all;
  }
};

TEST_F(SmokeCommandTest, ABlindHarnessIsAnInternalErrorAndNothingElseRuns) {
  make_executor_ = [] { return std::make_unique<CanaryExecutor>(false); };
  const Printed printed = run({"smoke", "--cases", "5", "--corpus", "none", "--junit",
                               path("smoke.xml"), "--github", "--json"});
  EXPECT_EQ(printed.code, 4);
  EXPECT_THAT(printed.err, HasSubstr("the harness is blind"));
  EXPECT_THAT(printed.err, HasSubstr("::error title=rankle::the harness is blind"));
  EXPECT_THAT(file_text(path("smoke.xml")), HasSubstr("<error "));
  EXPECT_EQ(printed.events("end").at(0).at("cases"), 0);
}

TEST_F(SmokeCommandTest, ACanaryThatIsFoundIsATestThatPassed) {
  make_executor_ = [] { return std::make_unique<CanaryExecutor>(true); };
  const Printed printed = run({"smoke", "--target", "allreduce/clean", "--cases", "5", "--corpus",
                               "none", "--junit", path("smoke.xml")});
  EXPECT_EQ(printed.code, 0) << printed.err;
  EXPECT_THAT(
      file_text(path("smoke.xml")),
      HasSubstr("<testsuite name=\"rankle.canary\" tests=\"1\" failures=\"0\" errors=\"0\""));
}

}  // namespace
}  // namespace rankle::cli::test
