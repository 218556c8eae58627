// What CI systems are told: numbers, places, and texts that survive their quoting. That the files
// are valid is for schemas to say (reports_test.sh).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "campaign/ci/github_annotations.h"
#include "campaign/ci/junit_report.h"
#include "campaign/ci/sarif_report.h"
#include "tests/campaign/ci/sample_run.h"

namespace rankle {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(JunitReportTest, SuitesCountWhatIsInThem) {
  const std::string xml = junit_report(test::sample_run());
  EXPECT_THAT(xml, HasSubstr("<testsuites name=\"rankle\" tests=\"5\" failures=\"1\" errors=\"1\" "
                             "skipped=\"1\" time=\"61.500\">"));
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"rankle.corpus\" tests=\"2\" failures=\"0\" "
                             "errors=\"0\" skipped=\"1\" time=\"0.200\" "
                             "timestamp=\"2026-01-01T00:00:00\">"));
  EXPECT_THAT(xml, HasSubstr("<property name=\"seed\" value=\"7\"/>"));
}

TEST(JunitReportTest, TextsSurviveTheirQuoting) {
  const std::string xml = junit_report(test::sample_run());
  EXPECT_THAT(xml, HasSubstr("50% of &lt;a &amp; &quot;b&quot;&gt;, 1:2&#10;second line?? end"));
}

nlohmann::json sarif_of(const RunRecord& record) {
  return nlohmann::json::parse(sarif_report(record)).at("runs").at(0);
}

TEST(SarifReportTest, AFindingStandsAtItsLineAndTheOthersAreRelated) {
  const auto run = sarif_of(test::sample_run());
  const auto& result = run.at("results").at(1);
  EXPECT_EQ(result.at("ruleId"), "barrier-divergence");
  EXPECT_EQ(result.at("level"), "error");
  const auto& physical = result.at("locations").at(0).at("physicalLocation");
  EXPECT_EQ(physical.at("artifactLocation").at("uri"), "kernels/allreduce/scripted.cu");
  EXPECT_EQ(physical.at("region").at("startLine"), 71);
  const auto& related = result.at("relatedLocations").at(0);
  EXPECT_EQ(related.at("physicalLocation").at("artifactLocation").at("uri"),
            "kernels/odd%20name%2C1.h");
  EXPECT_EQ(related.at("message").at("text"), "thread 3 of block 0 on rank 1");
  EXPECT_THAT(result.at("message").at("text").get<std::string>(),
              HasSubstr("rankle replay 'out dir/finding.json'"));
}

TEST(SarifReportTest, RulesAreTheKindsThatWereSeen) {
  const auto run = sarif_of(test::sample_run());
  const auto& rules = run.at("tool").at("driver").at("rules");
  ASSERT_EQ(rules.size(), 2U);
  for (const auto& result : run.at("results")) {
    EXPECT_EQ(rules.at(result.at("ruleIndex").get<std::size_t>()).at("id"), result.at("ruleId"));
  }
}

TEST(SarifReportTest, AFlakyFindingIsAWarningAndAWarningIsANote) {
  const auto run = sarif_of(test::sample_run());
  EXPECT_EQ(run.at("results").at(0).at("level"), "warning");
  EXPECT_TRUE(run.at("results").at(0).at("locations").empty());
  EXPECT_EQ(run.at("results").at(2).at("level"), "note");
}

TEST(SarifReportTest, EqualSignaturesHaveOneFingerprint) {
  RunRecord record = test::sample_run();
  record.findings.push_back(record.findings[1]);
  record.findings.back().repro.failing.world = 2;
  const auto results = sarif_of(record).at("results");
  EXPECT_EQ(results.at(1).at("partialFingerprints"), results.at(2).at("partialFingerprints"));
  EXPECT_NE(results.at(0).at("partialFingerprints"), results.at(1).at("partialFingerprints"));
}

TEST(SarifReportTest, ARunThatSaysNothingIsNoSuccess) {
  RunRecord record;
  record.error = "the harness is blind";
  record.exit_code = 4;
  const auto invocation = sarif_of(record).at("invocations").at(0);
  EXPECT_EQ(invocation.at("executionSuccessful"), false);
  EXPECT_EQ(invocation.at("toolExecutionNotifications").at(0).at("message").at("text"),
            record.error);
}

TEST(GithubAnnotationsTest, CertainFindingsComeFirstAtTheirLine) {
  const std::vector<std::string> lines = github_annotations(test::sample_run());
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_THAT(lines[0],
              StartsWith("::error file=kernels/allreduce/scripted.cu,line=71,title=rankle%3A "
                         "barrier-divergence in allreduce/scripted@bug::"));
  EXPECT_THAT(lines[1], StartsWith("::warning title=rankle%3A timeout"));
  EXPECT_THAT(lines[2], StartsWith("::notice file=kernels/allreduce/scripted.cu,line=99,"));
}

TEST(GithubAnnotationsTest, OneLineEachWhateverIsInTheTexts) {
  for (const std::string& line : github_annotations(test::sample_run())) {
    EXPECT_THAT(line, Not(HasSubstr("\n")));
  }
  EXPECT_THAT(github_annotations(test::sample_run())[0], HasSubstr("50%25 of <a & \"b\">, 1:2"));
}

TEST(GithubAnnotationsTest, ABlindRunIsAnError) {
  RunRecord record;
  record.error = "the harness is blind";
  EXPECT_EQ(github_annotations(record),
            std::vector<std::string>{"::error title=rankle::the harness is blind"});
}

}  // namespace
}  // namespace rankle
