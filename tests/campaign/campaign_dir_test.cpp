// The directory of a campaign: what a kill leaves can be read, and nobody else works in it.
#include "campaign/campaign_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "campaign/event_log.h"
#include "campaign/positions.h"
#include "tests/campaign/campaign_fixture.h"

namespace rankle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class Dir : public test::FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    path_ = folder_ / "campaign";
  }
  std::vector<std::string> lines_of(const std::filesystem::path& file) const {
    std::vector<std::string> lines;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
  std::filesystem::path path_;
};

TEST_F(Dir, RefusesAFolderOfSomethingElse) {
  std::filesystem::create_directory(path_);
  std::ofstream(path_ / "thesis.tex") << "x";
  EXPECT_THROW(CampaignDir{path_}, CampaignError);
  EXPECT_THAT(names_in(path_), ElementsAre("thesis.tex"));
}

TEST_F(Dir, IsLockedWhileOneWorksInIt) {
  const CampaignDir dir(path_);
  EXPECT_THROW(CampaignDir{path_}, CampaignError);
}

TEST_F(Dir, ConfigIsReadAsItWasWritten) {
  CampaignConfig config;
  config.seed = 7;
  config.jobs = 3;
  config.platform = "sim";
  config.started = "2026-12-01T09:58:32Z";
  config.arguments = {{"world", "2,4"}, {"keep-going", "true"}};
  const CampaignDir dir(path_);
  EXPECT_FALSE(dir.config());
  dir.begin(config);
  const auto read = dir.config();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->seed, 7u);
  EXPECT_EQ(read->arguments, config.arguments);
  std::ofstream(path_ / "config.json") << R"({"schema": 99})";
  EXPECT_THROW(dir.config(), CampaignError);
}

TEST_F(Dir, PositionsAreNewerThanStateAndCountTheCasesBetween) {
  const CampaignDir dir(path_);
  CampaignState state;
  state.progress.cases = 10;
  state.progress.failed = 4;
  state.lanes = {{10, 2}, {11, 2}};
  dir.write_state(state, 7);
  {
    Positions positions(dir.layout().positions(), 7, {10, 11});
    positions.set(0, 16);
    positions.set_seconds(12.5);
  }
  const CampaignState read = dir.state(7);
  EXPECT_THAT(read.lanes, ElementsAre(Lane{16, 2}, Lane{11, 2}));
  EXPECT_EQ(read.progress.cases, 13u);
  EXPECT_EQ(read.progress.passed, 9u);
  EXPECT_EQ(read.progress.seconds, 12.5);
  EXPECT_THAT(dir.state(8).lanes, ElementsAre(Lane{10, 2}, Lane{11, 2})) << "another seed's";
}

TEST_F(Dir, PositionsThatWereCutShortAreNotBelieved) {
  std::filesystem::create_directory(path_);
  {
    const Positions positions(path_ / "positions", 7, {10});
  }
  EXPECT_TRUE(Positions::read(path_ / "positions", 7));
  std::filesystem::resize_file(path_ / "positions", 100);
  EXPECT_FALSE(Positions::read(path_ / "positions", 7));
}

TEST_F(Dir, AnotherNumberOfWorkersBeginsAfterAllThatRan) {
  CampaignState state;
  state.lanes = {{10, 2}, {17, 2}};
  EXPECT_EQ(lanes_after(state, 2), state.lanes);
  EXPECT_THAT(lanes_after(state, 3), ElementsAre(Lane{17, 3}, Lane{18, 3}, Lane{19, 3}));
  EXPECT_THAT(lanes_after({}, 2), ElementsAre(Lane{0, 2}, Lane{1, 2}));
}

TEST_F(Dir, EventsAreRotatedAndTheOldestGoes) {
  const CampaignDir dir(path_);
  EventLog log(dir.layout(), 100, {.file_bytes_max = 500, .old_files_max = 2});
  for (int i = 0; i < 100; ++i) log.add("progress", {{"cases", i}});
  EXPECT_EQ(log.error(), "");
  EXPECT_TRUE(std::filesystem::exists(dir.layout().old_events(2)));
  EXPECT_FALSE(std::filesystem::exists(dir.layout().old_events(3)));
  EXPECT_LE(std::filesystem::file_size(dir.layout().events()), 500u);
  const auto last = nlohmann::json::parse(lines_of(dir.layout().events()).back());
  EXPECT_EQ(last.at("event"), "progress");
  EXPECT_EQ(last.at("cases"), 99);
  EXPECT_GE(last.at("t"), 100.0);
}

TEST_F(Dir, EventsThatCannotBeWrittenAreToldInOneSentence) {
  const CampaignDir dir(path_);
  std::filesystem::create_directory(dir.layout().events());
  EventLog log(dir.layout(), 0);
  log.add("progress", {});
  EXPECT_THAT(log.error(), HasSubstr("events.jsonl"));
}

}  // namespace
}  // namespace rankle
