// The explanation against a golden file, and the rules that a golden file cannot show. To renew the
// golden file after a wanted change: RANKLE_UPDATE_GOLDEN=1 build/sim/tests/repro_test
#include "repro/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "repro/describe_case.h"
#include "repro/source_lines.h"
#include "tests/repro/sample_repro.h"

namespace rankle {
namespace {

using test::sample_repro;
using testing::HasSubstr;
using testing::IsEmpty;

const std::filesystem::path kGolden = RANKLE_GOLDEN_DIR;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Explain, MatchesTheGoldenFile) {
  ExplainOptions options;
  options.source_roots = {kGolden};
  options.file = "findings/one.json";
  const std::string text = explain(sample_repro(), options);
  const auto golden = kGolden / "explain.txt";
  if (std::getenv("RANKLE_UPDATE_GOLDEN") != nullptr) std::ofstream(golden) << text;
  EXPECT_EQ(text, text_of(golden));
}

// The steps, who did what to which buffer, and the first wrong read.
TEST(Explain, TellsAFailingProgramAsAStory) {
  Repro repro = sample_repro();
  repro.finding = {};
  repro.finding.kind = FindingKind::uninitialised_read;
  repro.finding.message =
      "thread 0 of block 0 on rank 1 reads 16 bytes that nobody has written: byte 256 of 'copy 0 "
      "of an input in graph 0 of rank 0' (783 bytes on device 0)";
  repro.finding.sites = {{"operator()", "kernels/allreduce/scripted.cu", 71}};
  repro.finding.actors = {{1, 0, 0, 4}};
  repro.further.clear();
  repro.failing.program = {{.kind = StepKind::capture},
                           {.kind = StepKind::call},
                           {.kind = StepKind::call, .copied = true},
                           {.kind = StepKind::end_capture},
                           {.kind = StepKind::replay},
                           {.kind = StepKind::check}};
  ExplainOptions options;
  options.source_roots = {kGolden};
  options.file = "findings/program.json";
  const std::string text = explain(repro, options);
  const auto golden = kGolden / "explain_program.txt";
  if (std::getenv("RANKLE_UPDATE_GOLDEN") != nullptr) std::ofstream(golden) << text;
  EXPECT_EQ(text, text_of(golden));
}

TEST(Explain, LeadsWithTheBarriersSourceLine) {
  EXPECT_EQ(
      sentence_of(test::scripted_finding()),
      "The barrier at kernels/allreduce/scripted.cu:71: thread 0 of block 1 on rank 2 reached "
      "it 3 times, thread 64 only 2 times");
}

TEST(Explain, DoesNotNameTheLineTwice) {
  Finding finding = test::scripted_finding();
  finding.message = "the barrier at kernels/allreduce/scripted.cu:71 is not uniform";
  EXPECT_EQ(sentence_of(finding), finding.message);
}

TEST(Explain, QuotesCommandsForAShell) {
  EXPECT_EQ(replay_command("a b'c.json"), "rankle replay 'a b'\\''c.json'");
  EXPECT_EQ(
      fuzz_command(sample_repro()),
      "rankle fuzz --target 'allreduce/*@*' --world 4,8 --dtype bf16 --seed 7 --only-case 41");
}

TEST(Explain, TakesControlCharactersOutOfTextsFromFiles) {
  Repro repro = sample_repro();
  repro.finding.message = "\x1b[2Jgone";
  repro.finding.details = {"two\nlines"};
  repro.variants = {"\x07"};
  const std::string text = explain(repro, {});
  EXPECT_THAT(text, HasSubstr(" [2Jgone"));
  EXPECT_THAT(text, HasSubstr("two lines"));
  EXPECT_EQ(text.find_first_of("\x1b\x07"), std::string::npos);
}

TEST(Explain, HasAMeaningForEveryKind) {
  for (int i = 0; i <= static_cast<int>(FindingKind::timeout); ++i) {
    EXPECT_THAT(meaning_of(static_cast<FindingKind>(i)), testing::EndsWith("."));
  }
}

TEST(SourceLines, AreThoseAroundTheSite) {
  EXPECT_THAT(source_excerpt({"reduce", "kernels/allreduce/scripted.cu", 71}, {kGolden}, 1),
              testing::ElementsAre("     70 |     sum(tile);", ">    71 |     __syncthreads();",
                                   "     72 |   }"));
}

TEST(SourceLines, AreNotTakenFromOutsideTheRootsOrFromOtherFiles) {
  std::ofstream(std::filesystem::temp_directory_path() / "rankle-secret.h") << "secret\n";
  EXPECT_THAT(source_excerpt({"", "/tmp/rankle-secret.h", 1}, {"/"}, 1), IsEmpty());
  EXPECT_THAT(source_excerpt({"", "../rankle-secret.h", 1}, {"/tmp/x"}, 1), IsEmpty());
  EXPECT_THAT(source_excerpt({"", "etc/passwd", 1}, {"/"}, 1), IsEmpty());
  EXPECT_THAT(source_excerpt({"", "kernels/allreduce/scripted.cu", 9999}, {kGolden}, 1), IsEmpty());
}

TEST(DescribeCase, SplitsAMessageIntoPartsAndTiles) {
  const PackSplit split = split_of(sample_repro().failing);
  EXPECT_EQ(split.packs, 521);
  EXPECT_EQ(split.part, 130);
  EXPECT_EQ(split.part_last, 131);
  EXPECT_EQ(split.tile, 64);
  EXPECT_EQ(split.tiles, 3);
  EXPECT_EQ(split.tail, 3);
}

TEST(DescribeCase, PutsCommasIntoNumbers) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(-1234567), "-1,234,567");
}

}  // namespace
}  // namespace rankle
