// `rankle replay`, `minimize` and `explain`: exit codes, bad files, what is written and what is
// not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "repro/atomic_file.h"
#include "repro/repro_file.h"
#include "tests/cli/command_fixture.h"
#include "tests/repro/sample_repro.h"

namespace rankle::cli {
namespace {

using rankle::test::sample_repro;
using rankle::test::scripted_finding;
using test::CommandTest;
using test::Printed;
using test::Variable;
using testing::HasSubstr;

class FileCommands : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    file_ = path("finding.json");
    write(sample_repro());
  }
  void write(Repro repro) {
    // What the scripted executor's trace is for this case.
    repro.trace_hash = 0x1234 + static_cast<std::uint64_t>(repro.failing.count());
    replace_file(file_, to_text(repro));
  }
  std::size_t file_count() const { return files_in("").size(); }

  std::string file_;
};

TEST_F(FileCommands, ReplayExitsByWhatHappens) {
  const Printed same = run({"replay", file_, "--json"});
  EXPECT_EQ(same.code, 1);
  EXPECT_EQ(same.events("end").at(0).at("trace_hash"), "0x000000000000227c");
  EXPECT_EQ(same.events("end").at(0).at("replays").at(0).at("trace_differs"), false);
  EXPECT_EQ(same.events("finding").at(0).at("signature"), sample_repro().signature);
  bug_ = [](const Case&) { return std::vector<Finding>{scripted_finding(99)}; };
  EXPECT_EQ(run({"replay", file_}).code, 7);
  bug_ = [](const Case&) { return std::vector<Finding>{}; };
  EXPECT_EQ(run({"replay", file_}).code, 0);
}

TEST_F(FileCommands, ReplaySaysThatTheTraceDiffers) {
  Repro repro = sample_repro();
  repro.trace_hash = 1;
  replace_file(file_, to_text(repro));
  const Printed printed = run({"replay", file_});
  EXPECT_EQ(printed.code, 1);
  EXPECT_THAT(printed.out, HasSubstr("the trace differs"));
}

TEST_F(FileCommands, ReplayTakesTheGravestOfSeveralFiles) {
  const std::string other = path("other.json");
  Repro repro = sample_repro();
  repro.finding = scripted_finding(99);
  repro.signature = rankle::test::scripted_signature(99);
  replace_file(other, to_text(repro));
  const Printed printed = run({"replay", file_, other, "--json"});
  EXPECT_EQ(printed.code, 7);
  EXPECT_EQ(printed.events("end").at(0).at("cases"), 2);
}

TEST_F(FileCommands, ReplayTakesASeedFromTheOptionButNotFromAVariable) {
  bug_ = [](const Case& c) -> std::vector<Finding> {
    if (c.seed == 7) return {scripted_finding()};
    return {};
  };
  EXPECT_EQ(run({"replay", file_, "--seed", "8"}).code, 0);
  const Variable seed("RANKLE_SEED", "8");
  EXPECT_EQ(run({"replay", file_}).code, 1);
}

TEST_F(FileCommands, RefuseBadFilesInOneSentenceAndLeaveThem) {
  const std::string good = file_text(file_);
  auto future = nlohmann::json::parse(good);
  future["schema"] = 99;
  auto huge = nlohmann::json::parse(good);
  huge["case"]["shape"] = {1'000'000'000'000};
  auto large = nlohmann::json::parse(good);
  large["case"]["shape"] = {8'000'000};  // within the reader's cap, beyond the contract
  auto unknown = nlohmann::json::parse(good);
  unknown["case"]["target"] = unknown["target"] = "allreduce/absent";
  unknown["signature"] = signature_of(scripted_finding(), "allreduce/absent");
  const std::vector<std::pair<std::string, std::string>> bad = {
      {good.substr(0, good.size() / 2), "repro"}, {"not json", "repro"},
      {future.dump(), "repro.schema: 99"},        {huge.dump(), "repro.case.shape"},
      {large.dump(), "repro.case.shape"},         {unknown.dump(), "repro.case.target"},
  };
  for (const auto& [text, sentence] : bad) {
    replace_file(file_, text);
    for (const char* command : {"replay", "minimize"}) {
      const Printed printed = run({command, file_});
      EXPECT_EQ(printed.code, 2) << command << " " << sentence;
      EXPECT_THAT(printed.err, HasSubstr(file_ + ": " + sentence));
      EXPECT_EQ(std::count(printed.err.begin(), printed.err.end(), '\n'), 1) << printed.err;
    }
    EXPECT_EQ(file_text(file_), text);
    EXPECT_EQ(file_count(), 1U);
  }
  EXPECT_EQ(run({"explain", path("absent.json")}).code, 2);
  EXPECT_EQ(run({"replay"}).code, 2);
}

TEST_F(FileCommands, MinimizeWritesBesideTheFileAndNumbersNames) {
  const std::string before = file_text(file_);
  const Printed printed = run({"minimize", file_, "--json"});
  EXPECT_EQ(printed.code, 0) << printed.err;
  EXPECT_EQ(printed.events("end").at(0).at("repro"), path("finding.min.json"));
  const Repro smaller = read_repro(path("finding.min.json"));
  EXPECT_EQ(smaller.failing.world, 3);
  EXPECT_EQ(smaller.signature, sample_repro().signature);
  EXPECT_EQ(file_text(file_), before);
  run({"minimize", file_});
  EXPECT_TRUE(std::filesystem::exists(path("finding.min-2.json")));
}

TEST_F(FileCommands, MinimizeOfAMinimisedFileWritesNothing) {
  run({"minimize", file_, "--in-place"});
  EXPECT_EQ(file_count(), 1U);
  const std::string minimal = file_text(file_);
  const Printed printed = run({"minimize", file_, "--json"});
  EXPECT_EQ(printed.code, 0);
  EXPECT_EQ(printed.events("finding").at(0).at("accepted"), 0);
  EXPECT_EQ(file_text(file_), minimal);
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(FileCommands, MinimizeRefusesWhatDoesNotReproduce) {
  bug_ = [](const Case&) { return std::vector<Finding>{}; };
  const Printed printed = run({"minimize", file_});
  EXPECT_EQ(printed.code, 2);
  EXPECT_THAT(printed.err, HasSubstr("does not show any more"));
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(FileCommands, ExplainNeedsNoExecutor) {
  const Printed printed = run({"explain", file_});
  EXPECT_EQ(printed.code, 0);
  EXPECT_THAT(printed.out, HasSubstr("The barrier at kernels/allreduce/scripted.cu:71"));
  EXPECT_THAT(printed.out, HasSubstr("rankle replay " + file_));
}

}  // namespace
}  // namespace rankle::cli
