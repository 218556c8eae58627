// Repro files: what is written is read back; everything else is refused in one sentence that names
// the JSON path and what is allowed; files appear whole and never replace one another.
#include "repro/repro_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "repro/atomic_file.h"
#include "tests/repro/sample_repro.h"

namespace rankle {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::sample_repro;
using testing::HasSubstr;
using testing::StartsWith;

// The sentence with which a text is refused; "" if it is taken.
std::string refusal(const std::string& text) {
  try {
    repro_from_text(text, "f.json");
    return "";
  } catch (const ReproError& error) {
    return error.what();
  }
}

std::string with(const std::string& pointer, const json& value) {
  json document = json::parse(to_text(sample_repro()));
  document[json::json_pointer(pointer)] = value;
  return document.dump();
}

class Folder : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "rankle-repro-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string text_of(const fs::path& path) const {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t file_count() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

using ReproFileOnDisk = Folder;
using AtomicFile = Folder;

TEST(ReproFile, IsReadBackAsItWasWritten) {
  const Repro repro = sample_repro();
  EXPECT_EQ(repro_from_text(to_text(repro), "f.json"), repro);
}

TEST(ReproFile, KeepsTheStepsOfActors) {
  Repro repro = sample_repro();
  repro.finding.actors.at(0).step = 2;
  EXPECT_EQ(repro_from_text(to_text(repro), "f.json").finding, repro.finding);
  EXPECT_THAT(refusal(with("/finding/actors/0/step", -1)), HasSubstr("finding.actors[0].step: -1"));
}

TEST(ReproFile, IsReadBackWithoutItsOptionalParts) {
  Repro repro = sample_repro();
  repro.minimised.reset();
  repro.original_case.reset();
  repro.flaky = FlakyNote{2, 5};
  repro.further.clear();
  EXPECT_EQ(repro_from_text(to_text(repro), "f.json"), repro);
}

TEST(ReproFile, StartsWithSchemaAndWritesHashesAsText) {
  const std::string text = to_text(sample_repro());
  EXPECT_THAT(text, StartsWith("{\n  \"schema\": 1,\n  \"rankle\": \"0.1.0\""));
  EXPECT_THAT(text, HasSubstr("\"trace_hash\": \"0x00000000deadbeef\""));
  EXPECT_EQ(text.back(), '\n');
}

TEST(ReproFile, KeepsAFindingWhoseMessageIsNoUtf8OrVeryLong) {
  Repro repro = sample_repro();
  repro.finding.message = "byte \xff here" + std::string(100'000, 'x');
  const Repro back = repro_from_text(to_text(repro), "f.json");
  EXPECT_THAT(back.finding.message, StartsWith("byte \xef\xbf\xbd here"));
}

TEST(ReproFile, RefusesTextThatIsNoJson) {
  EXPECT_THAT(refusal("hello"), StartsWith("f.json: repro: "));
  EXPECT_THAT(refusal(""), StartsWith("f.json: repro: "));
}

TEST(ReproFile, RefusesEveryTruncation) {
  const std::string text = to_text(sample_repro());
  for (std::size_t length = 0; length + 2 < text.size(); length += 7) {
    EXPECT_THAT(refusal(text.substr(0, length)), StartsWith("f.json: repro: ")) << length;
  }
}

TEST(ReproFile, RefusesAFutureSchemaBeforeAnythingElse) {
  json document = json::parse(to_text(sample_repro()));
  document["schema"] = 2;
  document["something_new"] = true;
  const std::string sentence = refusal(document.dump());
  EXPECT_THAT(sentence, StartsWith("f.json: repro.schema: 2 "));
  EXPECT_THAT(sentence, HasSubstr("1"));
}

TEST(ReproFile, RefusesUnknownKeysWithTheirPath) {
  EXPECT_THAT(refusal(with("/command", "rm -rf /")), StartsWith("f.json: repro.command: "));
  EXPECT_THAT(refusal(with("/case/geometry/warps", 3)),
              StartsWith("f.json: repro.case.geometry.warps: "));
  EXPECT_THAT(refusal(with("/finding/sites/0/column", 3)),
              StartsWith("f.json: repro.finding.sites[0].column: "));
}

TEST(ReproFile, RefusesMissingKeys) {
  json document = json::parse(to_text(sample_repro()));
  document.erase("trace_hash");
  EXPECT_THAT(refusal(document.dump()), StartsWith("f.json: repro.trace_hash: "));
}

TEST(ReproFile, RefusesCountsBeyondTheCap) {
  EXPECT_THAT(refusal(with("/case/shape", {1'000'000'000, 1'000'000'000})),
              StartsWith("f.json: repro.case.shape: "));
  EXPECT_THAT(refusal(with("/case/shape", {std::int64_t{9'000'000'000'000'000'000}})),
              HasSubstr("at most 1073741824 bytes per rank"));
  EXPECT_THAT(refusal(with("/original_case/shape", {4'000'000'000})),
              StartsWith("f.json: repro.original_case.shape: "));
}

TEST(ReproFile, RefusesDeepNesting) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_THAT(refusal(deep), StartsWith("f.json: repro"));
}

TEST(ReproFile, RefusesValuesOfTheWrongKind) {
  EXPECT_THAT(
      refusal(with("/finding/kind", "oops")),
      testing::AllOf(StartsWith("f.json: repro.finding.kind: "), HasSubstr("barrier-divergence")));
  EXPECT_THAT(refusal(with("/trace_hash", 5)), StartsWith("f.json: repro.trace_hash: "));
  EXPECT_THAT(refusal(with("/trace_hash", "0x12")), HasSubstr("16 hexadecimal digits"));
  EXPECT_THAT(refusal(with("/options/deadline_s", -1)),
              StartsWith("f.json: repro.options.deadline_s: "));
  EXPECT_THAT(refusal(with("/seed", -1)), StartsWith("f.json: repro.seed: "));
}

TEST(ReproFile, RefusesRepeatsThatDisagree) {
  EXPECT_THAT(refusal(with("/target", "allreduce/other")), StartsWith("f.json: repro.target: "));
  EXPECT_THAT(refusal(with("/kind", "crash")), StartsWith("f.json: repro.kind: "));
  EXPECT_THAT(refusal(with("/signature", "x")), StartsWith("f.json: repro.signature: "));
}

TEST(ReproFile, NamesItsFileByKindTargetAndSignature) {
  Repro repro = sample_repro();
  const std::string stem = repro_stem(repro);
  EXPECT_THAT(stem, testing::MatchesRegex("barrier-divergence-allreduce-scripted-bug-[0-9a-f]+"));
  repro.signature += "x";
  EXPECT_NE(repro_stem(repro), stem);
  repro.failing.target = "../../etc/passwd";
  EXPECT_THAT(repro_stem(repro), testing::Not(HasSubstr("/")));
}

TEST_F(ReproFileOnDisk, RefusesFilesThatAreTooLargeOrNoFiles) {
  const fs::path large = folder_ / "large.json";
  std::ofstream(large) << std::string(kReproBytesMax + 1, ' ');
  EXPECT_THROW(
      {
        try {
          read_repro(large);
        } catch (const ReproError& error) {
          EXPECT_THAT(error.what(), HasSubstr("larger than the 16777216 bytes that are allowed"));
          throw;
        }
      },
      ReproError);
  EXPECT_THROW(read_repro(folder_), ReproError);
  EXPECT_THROW(read_repro(folder_ / "absent.json"), ReproError);
  EXPECT_THROW(read_repro("/dev/zero"), ReproError);
}

TEST_F(AtomicFile, NumbersNamesThatAreTaken) {
  EXPECT_EQ(create_numbered_file(folder_, "a", "one"), folder_ / "a.json");
  EXPECT_EQ(create_numbered_file(folder_, "a", "two"), folder_ / "a-2.json");
  EXPECT_EQ(create_numbered_file(folder_, "a", "three"), folder_ / "a-3.json");
  EXPECT_EQ(text_of(folder_ / "a.json"), "one");
  EXPECT_EQ(text_of(folder_ / "a-2.json"), "two");
  EXPECT_EQ(file_count(), 3U) << "no temporary file stays";
}

TEST_F(AtomicFile, ReplacesWholly) {
  const fs::path path = folder_ / "a.json";
  replace_file(path, std::string(100, 'x'));
  replace_file(path, "short");
  EXPECT_EQ(text_of(path), "short");
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(AtomicFile, ThrowsAndLeavesNothingInAFolderThatIsNone) {
  std::ofstream(folder_ / "file") << "content";
  EXPECT_THROW(replace_file(folder_ / "file" / "a.json", "x"), std::system_error);
  EXPECT_THROW(create_numbered_file(folder_ / "absent", "a", "x"), std::system_error);
  EXPECT_EQ(text_of(folder_ / "file"), "content");
  EXPECT_EQ(file_count(), 1U);
}

}  // namespace
}  // namespace rankle
