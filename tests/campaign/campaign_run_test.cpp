// Campaigns on scripted executors: what lies in the directory, what resuming does with it, and how
// a campaign ends that cannot write or cannot see.
#include "campaign/campaign_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "campaign/canary.h"
#include "generators/case_json.h"
#include "tests/campaign/campaign_fixture.h"

namespace rankle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Campaign : public test::FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    path_ = folder_ / "campaign";
    layout_ = {path_};
    settings_.canary = false;
    bug_ = test::tail_bug;
  }

  CampaignSummary run(std::uint64_t cases, std::uint64_t jobs = 2) {
    CampaignDir dir(path_);
    FuzzPlan plan = test::scripted_plan(jobs, cases);
    Coverage coverage(plan.contracts, plan.draw);
    settings_.workers = jobs;
    const auto make = [this](int) -> std::unique_ptr<Executor> {
      return std::make_unique<test::ScriptedExecutor>(bug_);
    };
    const auto explain = [](const Repro& repro) { return "explains " + repro.signature; };
    const auto note = [this](const std::string& text) { notes_.push_back(text); };
    if (!dir.config()) {
      CampaignConfig config;
      config.seed = plan.seed;
      dir.begin(config);
    }
    return CampaignRun({dir, plan, coverage, listener_, make, explain, note}, settings_)
        .run(make(0));
  }

  std::vector<nlohmann::json> events(const std::string& name) const {
    std::vector<nlohmann::json> all;
    std::ifstream stream(layout_.events());
    for (std::string line; std::getline(stream, line);) {
      auto event = nlohmann::json::parse(line);
      if (event.at("event") == name) all.push_back(std::move(event));
    }
    return all;
  }

  std::filesystem::path path_;
  CampaignLayout layout_;
  CampaignSettings settings_;
  test::ScriptedExecutor::Bug bug_;
  test::KeepingListener listener_;
  std::vector<std::string> notes_;
};

TEST_F(Campaign, KeepsAFindingWithAllItsFiles) {
  const CampaignSummary summary = run(300);
  EXPECT_EQ(summary.fuzz.progress.findings, 1u);
  ASSERT_THAT(names_in(layout_.findings()), SizeIs(1));
  const FindingLayout finding{layout_.findings() / names_in(layout_.findings())[0]};
  const Repro small = read_repro(finding.repro());
  const Repro original = read_repro(finding.original());
  EXPECT_EQ(small.signature, test::scripted_signature());
  EXPECT_EQ(small.original_case, original.failing);
  EXPECT_EQ(text_of(finding.explanation()), "explains " + small.signature);
  EXPECT_THAT(text_of(finding.log()), HasSubstr("barrier-divergence"));
  const auto found = nlohmann::json::parse(text_of(finding.found()));
  EXPECT_EQ(found.at("seen"), 1u + summary.fuzz.progress.duplicates);
  ASSERT_THAT(events("finding"), SizeIs(1));
  EXPECT_EQ(events("finding")[0].at("repro"), finding.repro().string());
  EXPECT_THAT(events("start"), SizeIs(1));
  EXPECT_THAT(events("end"), SizeIs(1));
}

TEST_F(Campaign, ResumedRunsWhatIsLeftAndKnowsItsFindings) {
  run(200);
  const std::size_t before = listener_.cases.size();
  const CampaignSummary summary = run(500);
  EXPECT_EQ(summary.fuzz.progress.cases, before + (500 - 200) + names_in(layout_.corpus()).size());
  EXPECT_EQ(summary.fuzz.progress.findings, 1u) << "the old one counts";
  EXPECT_THAT(listener_.all_found, SizeIs(1)) << "and is told once";
  EXPECT_THAT(names_in(layout_.findings()), SizeIs(1));
  EXPECT_THAT(events("resumed"), SizeIs(1));
  const auto start = events("start")[0].at("t").get<double>();
  EXPECT_GE(events("resumed")[0].at("t").get<double>(), start);
}

TEST_F(Campaign, FindingThatShowsNoMoreIsMovedToFixedAndBackAgain) {
  run(200);
  const std::vector<std::string> names = names_in(layout_.findings());
  bug_ = [](const Case&) { return std::vector<Finding>{}; };
  CampaignSummary summary = run(210);
  EXPECT_EQ(summary.rechecked.fixed, 1u);
  EXPECT_EQ(summary.fuzz.progress.findings, 0u);
  EXPECT_THAT(names_in(layout_.findings()), IsEmpty());
  EXPECT_EQ(names_in(layout_.fixed()), names);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("moved to fixed/")));
  bug_ = test::tail_bug;
  summary = run(220);
  EXPECT_EQ(summary.rechecked.returned, 1u);
  EXPECT_EQ(names_in(layout_.findings()), names);
  EXPECT_THAT(names_in(layout_.fixed()), IsEmpty());
}

TEST_F(Campaign, FindingThatShowsSometimesIsMovedToFlaky) {
  run(200);
  const auto small =
      read_repro(FindingLayout{layout_.findings() / names_in(layout_.findings())[0]}.repro());
  auto runs = std::make_shared<int>(0);
  bug_ = [small, runs](const Case& c) {
    const bool shows = c == small.failing && ++*runs % 2 == 0;
    return shows ? std::vector{test::scripted_finding()} : std::vector<Finding>{};
  };
  const CampaignSummary summary = run(201);
  EXPECT_EQ(summary.rechecked.gone_flaky, 1u);
  EXPECT_THAT(names_in(layout_.findings()), IsEmpty());
  EXPECT_THAT(names_in(layout_.flaky()), SizeIs(1));
  EXPECT_EQ(summary.fuzz.progress.flaky, 1u);
}

TEST_F(Campaign, MinimisesWhatAKillKeptFromIt) {
  run(200);
  const FindingLayout finding{layout_.findings() / names_in(layout_.findings())[0]};
  const Repro small = read_repro(finding.repro());
  std::filesystem::copy_file(finding.original(), finding.repro(),
                             std::filesystem::copy_options::overwrite_existing);
  run(200);
  EXPECT_EQ(read_repro(finding.repro()).failing, small.failing);
}

TEST_F(Campaign, TellsWhatAKillKeptFromBeingTold) {
  run(200);
  const FindingLayout finding{layout_.findings() / names_in(layout_.findings())[0]};
  auto found = nlohmann::json::parse(text_of(finding.found()));
  EXPECT_EQ(found.at("reported"), true);
  found["reported"] = false;
  std::ofstream(finding.found()) << found;
  run(200);
  EXPECT_THAT(listener_.all_found, SizeIs(2));
  run(200);
  EXPECT_THAT(listener_.all_found, SizeIs(2));
}

TEST_F(Campaign, FolderWithoutItsReproFileIsNoFinding) {
  std::filesystem::create_directories(layout_.findings() / "half");
  std::ofstream(layout_.lock()) << "";
  bug_ = [](const Case&) { return std::vector<Finding>{}; };
  EXPECT_EQ(run(20).fuzz.progress.findings, 0u);
}

TEST_F(Campaign, RunsItsCorpusFirstAndPassesOverWhatItCannotRead) {
  std::filesystem::create_directories(layout_.corpus());
  std::ofstream(layout_.lock()) << "";
  std::ofstream(layout_.corpus() / "a.json") << "no case";
  std::ofstream(layout_.corpus() / "b.json") << case_to_text(test::large_case());
  run(10, 1);
  EXPECT_EQ(listener_.cases.at(0), test::large_case());
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("a.json")));
}

TEST_F(Campaign, KeepsOneCaseOfEachVariantForTheCorpus) {
  run(300);
  EXPECT_THAT(names_in(layout_.corpus()), SizeIs(2)) << "one for each of two targets";
  EXPECT_TRUE(nlohmann::json::parse(text_of(layout_.coverage())).contains("cells"));
}

TEST_F(Campaign, EndsWhereTheDirectoryFailsAndTellsTheFindingAllTheSame) {
  run(200);
  const std::string stem = names_in(layout_.findings())[0];
  std::filesystem::remove_all(path_);
  listener_ = {};
  std::filesystem::create_directories(layout_.findings());
  std::ofstream(layout_.lock()) << "";
  std::ofstream(layout_.findings() / stem) << "a file where the folder is to be";
  const CampaignSummary summary = run(100'000);
  EXPECT_EQ(summary.fuzz.end, FuzzEnd::store_failed);
  EXPECT_THAT(summary.fuzz.error, HasSubstr("findings"));
  ASSERT_THAT(listener_.all_found, SizeIs(1));
  EXPECT_NE(listener_.all_found[0].write_error, "");
}

TEST_F(Campaign, IsBlindWithoutItsCanary) {
  settings_.canary = true;
  EXPECT_THROW(run(10), EnvironmentError) << "no planted bug among the scripted targets";
}

}  // namespace
}  // namespace rankle
