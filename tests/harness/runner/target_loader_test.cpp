// Private copies per rank, statics put back for every case, and errors that name what is wrong.
#include "harness/runner/target_loader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "harness/runner/static_destructors.h"

namespace rankle {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::filesystem::path kPlugins = LOADER_PLUGINS;

Launched call(const Target& target) {
  Launched launched;
  EXPECT_EQ(target.launch(Call{}, launched), hipSuccess);
  return launched;
}

TEST(TargetLoader, ListsContractsOfHealthyTargets) {
  TargetLoader loader({kPlugins / "good"});
  ASSERT_EQ(loader.contracts().size(), 1u);
  EXPECT_EQ(loader.contracts()[0].target, "testing/healthy");
  EXPECT_EQ(loader.contracts()[0].worlds, (std::vector<int>{2, 3, 4}));
  EXPECT_TRUE(loader.failures().empty());
}

TEST(TargetLoader, EachRankHasStaticsOfItsOwn) {
  TargetLoader loader({kPlugins / "good"});
  std::string error;
  const Target* zero = loader.fresh("testing/healthy", 0, error);
  const Target* one = loader.fresh("testing/healthy", 1, error);
  ASSERT_NE(zero, nullptr) << error;
  ASSERT_NE(one, nullptr) << error;
  EXPECT_NE(call(*zero).variant, call(*one).variant);
  EXPECT_EQ(call(*zero).threads, 2);
  EXPECT_EQ(call(*zero).threads, 3);
  EXPECT_EQ(call(*one).threads, 2);
}

TEST(TargetLoader, FreshPutsInitialisedAndZeroedStaticsBack) {
  TargetLoader loader({kPlugins / "good"});
  std::string error;
  for (int time = 0; time < 3; ++time) {
    const Target* target = loader.fresh("testing/healthy", 0, error);
    ASSERT_NE(target, nullptr) << error;
    EXPECT_EQ(target->contract->target, "testing/healthy");
    EXPECT_EQ(target->scratch_bytes(7, 0), 7);
    const Launched launched = call(*target);
    EXPECT_EQ(launched.blocks, 101);
    EXPECT_EQ(launched.threads, 1);
  }
}

// The plugin builds its contract on first use, so each restore would register one more destructor
// for the same object, and the exit of this test would run them all.
TEST(TargetLoader, DestructorsOfStaticsInCopiesAreDropped) {
  TargetLoader loader({kPlugins / "good"});
  std::string error;
  loader.fresh("testing/healthy", 0, error);
  const std::size_t before = static_destructors::dropped();
  loader.fresh("testing/healthy", 0, error);
  EXPECT_EQ(static_destructors::dropped(), before + 1);
}

TEST(TargetLoader, RefreshingOneRankLeavesTheOthersAlone) {
  TargetLoader loader({kPlugins / "good"});
  std::string error;
  const Target* zero = loader.fresh("testing/healthy", 0, error);
  loader.fresh("testing/healthy", 1, error);
  call(*zero);
  loader.fresh("testing/healthy", 1, error);
  EXPECT_EQ(call(*zero).threads, 2);
}

TEST(TargetLoader, TwoLoadersDoNotShareCopies) {
  TargetLoader first({kPlugins / "good"});
  TargetLoader second({kPlugins / "good"});
  std::string error;
  EXPECT_NE(call(*first.fresh("testing/healthy", 0, error)).variant,
            call(*second.fresh("testing/healthy", 0, error)).variant);
}

TEST(TargetLoader, NamesAnUnresolvedSymbolAndTheFile) {
  TargetLoader loader({kPlugins / "bad"});
  EXPECT_THAT(loader.why_missing("testing/missing_symbol"),
              AllOf(HasSubstr("testing.missing_symbol.so"),
                    HasSubstr("rankle_test_nobody_defines_this"), Not(HasSubstr("/proc/"))));
  std::string error;
  EXPECT_EQ(loader.fresh("testing/missing_symbol", 0, error), nullptr);
  EXPECT_THAT(error, HasSubstr("rankle_test_nobody_defines_this"));
}

TEST(TargetLoader, RefusesAnotherInterfaceAndAMissingEntry) {
  TargetLoader loader({kPlugins / "bad"});
  EXPECT_THAT(loader.why_missing("testing/old_interface"),
              AllOf(HasSubstr("interface 999"), HasSubstr(fmt::format("takes {}", kTargetAbi))));
  EXPECT_THAT(loader.why_missing("testing/no_entry"), HasSubstr("rankle_target"));
  EXPECT_TRUE(loader.contracts().empty());
  EXPECT_EQ(loader.failures().size(), 3u);
}

TEST(TargetLoader, ASecondDefinitionOfANameIsRefusedAndNamesTheFirst) {
  TargetLoader loader({kPlugins / "good", kPlugins / "twin"});
  EXPECT_EQ(loader.contracts().size(), 1u);
  ASSERT_EQ(loader.failures().size(), 1u);
  EXPECT_THAT(loader.failures()[0].message,
              AllOf(HasSubstr("testing.healthy_twin.so"), HasSubstr("testing.healthy.so")));
}

TEST(TargetLoader, UnknownTargetSaysWhatThereIs) {
  TargetLoader loader({kPlugins / "good"});
  EXPECT_EQ(loader.contract("testing/none"), nullptr);
  EXPECT_THAT(loader.why_missing("testing/none"),
              AllOf(HasSubstr("\"testing/none\""), HasSubstr("testing/healthy")));
}

TEST(TargetLoader, AFolderThatCannotBeListedIsAFailureNotACrash) {
  TargetLoader loader({kPlugins / "no_such_folder"});
  ASSERT_EQ(loader.failures().size(), 1u);
  EXPECT_THAT(loader.failures()[0].message, HasSubstr("no_such_folder"));
}

class DamagedFile : public testing::TestWithParam<std::size_t> {};

TEST_P(DamagedFile, IsRefusedWithItsName) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "rankle_damaged_target";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const auto file = folder / "testing.cut.so";
  std::filesystem::copy_file(kPlugins / "good" / "testing.healthy.so", file);
  std::filesystem::resize_file(file, GetParam());
  TargetLoader loader({folder});
  EXPECT_TRUE(loader.contracts().empty());
  EXPECT_THAT(loader.why_missing("testing/cut"),
              AllOf(HasSubstr("testing.cut.so"), HasSubstr("ELF")));
  std::filesystem::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(CutAt, DamagedFile, testing::Values(0, 10, 64, 200, 4000));

}  // namespace
}  // namespace rankle
