// What tests of campaigns share: a folder of their own, plans over scripted targets, and a listener
// that keeps what it was told.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "campaign/fuzz_loop.h"
#include "tests/repro/scripted_executor.h"

namespace rankle::test {

class FolderTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "rankle-campaign-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::string text_of(const std::filesystem::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  static std::vector<std::string> names_in(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  std::filesystem::path folder_;
};

inline FuzzPlan scripted_plan(std::uint64_t jobs, std::uint64_t cases) {
  FuzzPlan plan;
  plan.contracts = {clean_contract(), scripted_contract()};
  plan.seed = 7;
  plan.cases_max = cases;
  plan.findings_max = 0;
  plan.platform = "sim";
  plan.version = "0.1.0";
  plan.selection.target = "*@bug";
  plan.lanes.clear();
  for (std::uint64_t job = 0; job < jobs; ++job) plan.lanes.push_back({job, jobs});
  return plan;
}

struct KeepingListener : FuzzListener {
  void case_done(const Case& c, const Verdict&, const FuzzProgress&) override {
    cases.push_back(c);
  }
  void minimising(const Repro&, const FuzzProgress&) override {}
  void found(const Found& one) override { all_found.push_back(one); }
  void warned(const Case&, const Finding&) override {}

  std::vector<Case> cases;
  std::vector<Found> all_found;
};

}  // namespace rankle::test
