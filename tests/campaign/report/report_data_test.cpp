// A campaign directory as data: the numbers, the findings in order, and what a damaged directory
// still gives.
#include "campaign/report/report_data.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/campaign/report/sample_campaign.h"

namespace rankle {
namespace {

using Json = nlohmann::ordered_json;

class ReportDataTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "rankle-report-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Json read() const {
    return report_data({folder_,
                        [](const std::string&) { return std::vector<std::filesystem::path>(); },
                        "rankle test", "today"});
  }

  std::filesystem::path folder_;
};

TEST_F(ReportDataTest, HeadlineSaysWhatTheCampaignDid) {
  test::write_sample_campaign(folder_);
  const Json data = read();
  const Json& headline = data["headline"];
  EXPECT_EQ(headline["cases"], 18'576'000);
  EXPECT_EQ(headline["seconds"], 86400);
  EXPECT_EQ(headline["cases_per_s"], 215);
  EXPECT_EQ(headline["open"], 2);
  EXPECT_EQ(headline["flaky"], 1);
  EXPECT_EQ(headline["fixed"], 1);
  EXPECT_EQ(headline["worker_deaths"], 3);
  EXPECT_EQ(headline["resumes"], 1);
  EXPECT_EQ(headline["end_reason"], "time is up");
  EXPECT_EQ(headline["cells"], 1440);
  EXPECT_EQ(data["config"]["seed"], 7);
  EXPECT_EQ(data["mutants"].size(), 3U);
  EXPECT_EQ(data["series"]["t"].size(), 1500U);
}

TEST_F(ReportDataTest, OpenFindingsComeFirstInTheOrderOfTheirDiscovery) {
  test::write_sample_campaign(folder_);
  const Json findings = read()["findings"];
  ASSERT_EQ(findings.size(), 4U);
  EXPECT_EQ(findings[0]["kind"], "barrier-divergence");
  EXPECT_EQ(findings[0]["t"], 1742);
  EXPECT_EQ(findings[0]["seen"], 23);
  EXPECT_EQ(findings[1]["kind"], "data-race");
  EXPECT_EQ(findings[2]["state"], "flaky");
  EXPECT_EQ(findings[2]["reproduces"], "2/5");
  EXPECT_EQ(findings[3]["state"], "fixed");
}

TEST_F(ReportDataTest, AFindingCarriesItsExplanationItsCaseAndACommandThatNamesItsFile) {
  test::write_sample_campaign(folder_);
  const Json finding = read()["findings"][0];
  const std::string stem = finding["stem"];
  const auto file = folder_ / "findings" / stem / "case.json";
  EXPECT_EQ(finding["replay"], "rankle replay " + file.string());
  EXPECT_NE(finding["explanation"].get<std::string>().find("kernels/allreduce/scripted.cu:71"),
            std::string::npos);
  EXPECT_EQ(Json::parse(finding["case"].get<std::string>())["world"], 4);
  std::ifstream stream(file);
  EXPECT_EQ(finding["repro"], std::string(std::istreambuf_iterator<char>(stream), {}))
      << "the report alone must be enough to replay";
}

TEST_F(ReportDataTest, ALongLogKeepsItsEnd) {
  test::write_sample_campaign(folder_);
  const std::string stem = read()["findings"][0]["stem"];
  std::ofstream(folder_ / "findings" / stem / "log.txt") << std::string(100'000, 'x') << "the end";
  const std::string log = read()["findings"][0]["log"];
  EXPECT_TRUE(log.ends_with("the end"));
  EXPECT_LT(log.size(), 17'000U);
}

TEST_F(ReportDataTest, WhatCannotBeReadIsSaidAndTheRestIsThere) {
  test::write_sample_campaign(folder_);
  std::ofstream(folder_ / "coverage.json") << "{";
  const Json data = read();
  ASSERT_EQ(data["problems"].size(), 3U);
  EXPECT_NE(data["problems"][0].get<std::string>().find("coverage.json"), std::string::npos);
  EXPECT_NE(data["problems"][1].get<std::string>().find("torn/case.json"), std::string::npos);
  EXPECT_EQ(data["problems"][2], "events.jsonl: 1 line is torn; left out");
  EXPECT_EQ(data["findings"].size(), 4U);
}

TEST_F(ReportDataTest, AFolderThatIsNoCampaignIsRefused) {
  EXPECT_THROW(read(), ReportDirError);
  std::filesystem::remove(folder_);
  EXPECT_THROW(read(), ReportDirError);
  std::ofstream(folder_.string()) << "a file";
  EXPECT_THROW(read(), ReportDirError);
}

TEST_F(ReportDataTest, ACampaignThatHasJustBegunHasAReport) {
  std::ofstream(folder_ / "config.json") << R"({"schema": 1, "seed": 3})";
  const Json data = read();
  EXPECT_EQ(data["headline"]["cases"], 0);
  EXPECT_EQ(data["headline"]["cases_per_s"], 0);
  EXPECT_TRUE(data["findings"].empty());
  EXPECT_TRUE(data["problems"].empty());
}

}  // namespace
}  // namespace rankle
