// The page as text: one file that needs nothing else, in which a finding's words stay words.
#include "campaign/report/report_page.h"

#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "tests/campaign/report/sample_campaign.h"

namespace rankle {
namespace {

using Json = nlohmann::ordered_json;

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(ReportPageTest, HostileTextStaysText) {
  const std::string plain = report_page({{"title", "x"}});
  const std::string hostile = report_page(
      {{"title", test::kHostileText}, {"findings", {{{"sentence", test::kHostileText}}}}});
  EXPECT_EQ(count_of(hostile, "<script"), count_of(plain, "<script"));
  EXPECT_EQ(count_of(hostile, "</script"), count_of(plain, "</script"));
  EXPECT_EQ(count_of(hostile, "<img"), count_of(plain, "<img"));
}

TEST(ReportPageTest, DataComesBackAsItWas) {
  const Json data = {
      {"title", std::string("a\xE2\x80\xA8 b </script> & <!-- ") + test::kHostileText},
      {"number", 0.5}};
  EXPECT_EQ(Json::parse(json_for_script(data)), data);
  EXPECT_EQ(json_for_script(data).find_first_of("<>&"), std::string::npos);
}

TEST(ReportPageTest, BytesThatAreNoTextDoNotStopTheReport) {
  const Json data = {{"log", std::string("\xFF\xFE ok")}};
  EXPECT_NE(json_for_script(data).find(" ok"), std::string::npos);
}

TEST(ReportPageTest, WhatAPartHoldsIsNotFilledAgain) {
  const std::string filled = fill_template("a<!-- rankle: x -->b<!-- rankle: y -->", [](auto name) {
    return name == "x" ? "<!-- rankle: y -->" : "2";
  });
  EXPECT_EQ(filled, "a<!-- rankle: y -->b2");
}

TEST(ReportPageTest, AsksTheNetworkForNothing) {
  const std::string page = report_page({{"title", "x"}});
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  const std::regex outside(R"((src|href)\s*=\s*"(?!data:|#)[^"]*"|@import|url\()");
  std::smatch match;
  EXPECT_FALSE(std::regex_search(page, match, outside)) << match.str();
}

TEST(ReportPageTest, ALibraryInThePageHasItsLicenceWithIt) {
  if (!report_has_charts()) GTEST_SKIP() << "this build has no charts: npm was missing";
  const std::string page = report_page({{"title", "x"}});
  EXPECT_NE(page.find("Permission is hereby granted, free of charge"), std::string::npos);
}

}  // namespace
}  // namespace rankle
