// What a report takes from the events of a campaign: order, thinning, and lines that a kill tore.
#include "campaign/report/campaign_events.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace rankle {
namespace {

class CampaignEventsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "rankle-events-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  std::filesystem::path folder_;
};

TEST_F(CampaignEventsTest, RotatedPartsComeOldestFirst) {
  write("events.10.jsonl", R"({"event": "start", "t": 0})"
                           "\n");
  write("events.2.jsonl", R"({"event": "resumed", "t": 5})"
                          "\n");
  write("events.jsonl", R"({"event": "end", "t": 9, "reason": "time is up"})"
                        "\n");
  const CampaignEvents events = read_campaign_events(folder_);
  ASSERT_EQ(events.notes.size(), 3U);
  EXPECT_EQ(events.notes[0]["event"], "start");
  EXPECT_EQ(events.notes[1]["event"], "resumed");
  EXPECT_EQ(events.notes[2]["event"], "end");
  EXPECT_TRUE(events.ended);
  EXPECT_EQ(events.end_reason, "time is up");
  EXPECT_EQ(events.resumes, 1U);
  EXPECT_EQ(events.t_last, 9);
}

TEST_F(CampaignEventsTest, TornLinesAreCountedAndLeftOut) {
  write("events.jsonl",
        R"({"event": "progress", "t": 10, "cases": 100, "cases_per_s": 10, "findings": 1})"
        "\n"
        "[1, 2]\n{\"event\": 3, \"t\": 11}\n{\"event\": \"warning\"}\n{\"event\": \"pro");
  const CampaignEvents events = read_campaign_events(folder_);
  EXPECT_EQ(events.torn_lines, 4U);
  ASSERT_EQ(events.points.size(), 1U);
  EXPECT_EQ(events.points[0].cases, 100);
  EXPECT_EQ(events.points[0].cells, -1) << "what no event said is not zero";
}

TEST_F(CampaignEventsTest, ACampaignResumedAfterItsEndHasNotEnded) {
  write("events.jsonl", R"({"event": "end", "t": 9, "reason": "time is up"})"
                        "\n"
                        R"({"event": "resumed", "t": 9})"
                        "\n");
  EXPECT_FALSE(read_campaign_events(folder_).ended);
}

TEST_F(CampaignEventsTest, ADeadWorkerCountsAndARecycledOneDoesNot) {
  write("events.jsonl", R"({"event": "worker", "t": 1, "what": "died", "deaths": 4})"
                        "\n"
                        R"({"event": "worker", "t": 2, "what": "recycled"})"
                        "\n");
  EXPECT_EQ(read_campaign_events(folder_).worker_deaths, 4U);
}

TEST_F(CampaignEventsTest, TheTotalsOfTheEndCountToo) {
  write("events.jsonl", R"({"event": "progress", "t": 10, "cases": 100, "cells": 3})"
                        "\n"
                        R"({"event": "end", "t": 14, "cases": 140, "cells": 5, "findings": 1})"
                        "\n");
  const CampaignEvents events = read_campaign_events(folder_);
  ASSERT_EQ(events.points.size(), 2U);
  EXPECT_EQ(events.points[0].cells, 3);
  EXPECT_EQ(events.points[1].cases, 140);
  EXPECT_EQ(events.points[1].cases_per_s, -1);
}

TEST_F(CampaignEventsTest, OfManyNotesTheNewestStay) {
  std::string text;
  for (std::size_t i = 0; i < kNotesMax + 7; ++i) {
    text += R"({"event": "warning", "t": )" + std::to_string(i) + "}\n";
  }
  write("events.jsonl", text);
  const CampaignEvents events = read_campaign_events(folder_);
  EXPECT_EQ(events.notes.size(), kNotesMax);
  EXPECT_EQ(events.notes_left_out, 7U);
  EXPECT_EQ(events.notes.front()["t"], 7);
}

TEST_F(CampaignEventsTest, NoFileIsAnEmptyCampaign) {
  const CampaignEvents events = read_campaign_events(folder_);
  EXPECT_TRUE(events.points.empty());
  EXPECT_EQ(events.torn_lines, 0U);
}

TEST(ThinnedTest, KeepsTheLastPointOfEachGroup) {
  std::vector<ProgressPoint> points;
  for (int i = 0; i < 1000; ++i) points.push_back({double(i), double(i), 0, 0, 0});
  const std::vector<ProgressPoint> few = thinned(points, 10);
  ASSERT_EQ(few.size(), 10U);
  EXPECT_EQ(few.front().t, 99);
  EXPECT_EQ(few.back().t, 999) << "the totals at the end are what people read";
  EXPECT_EQ(thinned(points, 1000).size(), 1000U);
}

}  // namespace
}  // namespace rankle
