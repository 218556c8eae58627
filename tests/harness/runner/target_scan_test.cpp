// Contracts asked for in a process of their own: what comes back, and what happens when that
// process does not live to tell.
#include "harness/runner/target_scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

namespace rankle {
namespace {

using testing::HasSubstr;

Contract contract_named(const std::string& target) {
  Contract contract;
  contract.target = target;
  contract.family = "testing";
  contract.summary = "says \"quoted\" things\nin two lines";
  contract.dtypes = {DType::fp32};
  contract.accums = {Accum::fp32};
  contract.worlds = {2, 3};
  contract.bytes_max = 64;
  return contract;
}

TEST(TargetScan, GivesEveryContractAndEveryReasonInOrder) {
  const auto scanned = scan_targets({"a.so", "b.so", "c.so"}, [](const auto& file) {
    if (file == "b.so") return ScannedTarget{std::nullopt, "b.so: is no target"};
    return ScannedTarget{contract_named(file.string()), ""};
  });
  ASSERT_EQ(scanned.size(), 3u);
  EXPECT_EQ(scanned[0].contract, contract_named("a.so"));
  EXPECT_EQ(scanned[1].contract, std::nullopt);
  EXPECT_EQ(scanned[1].error, "b.so: is no target");
  EXPECT_EQ(scanned[2].contract, contract_named("c.so"));
}

TEST(TargetScan, ReadsInAnotherProcess) {
  const pid_t own = getpid();
  const auto scanned = scan_targets({"a.so"}, [own](const auto&) {
    return ScannedTarget{std::nullopt, getpid() == own ? "here" : "elsewhere"};
  });
  EXPECT_EQ(scanned.at(0).error, "elsewhere");
}

TEST(TargetScan, NamesTheFileThatEndsTheProcessAndGoesOnWithWhatCameBefore) {
  const auto scanned = scan_targets({"a.so", "b.so", "c.so"}, [](const auto& file) {
    if (file == "b.so") raise(SIGKILL);
    return ScannedTarget{contract_named(file.string()), ""};
  });
  ASSERT_EQ(scanned.size(), 3u);
  EXPECT_TRUE(scanned[0].contract.has_value());
  EXPECT_THAT(scanned[1].error, HasSubstr("b.so: loading it ended the process"));
  EXPECT_THAT(scanned[2].error, HasSubstr("c.so: not looked at"));
}

}  // namespace
}  // namespace rankle
