// Replays every case of corpus/ on every clean target whose contract accepts it. Large payloads
// take seconds on each: without RANKLE_CORPUS_ALL (scripts/check-long sets it) they run on the
// target that the file names, or not at all.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "generators/case_json.h"
#include "harness/runner/in_process_executor.h"
#include "tests/corpus/two_stage_tail_cases.h"

namespace rankle {
namespace {

namespace fs = std::filesystem;

// Payloads over all ranks, up to which a case runs on every target, and on its own at least.
constexpr std::int64_t kEveryTargetBytes = std::int64_t{512} << 10;
constexpr std::int64_t kOwnTargetBytes = std::int64_t{4400} << 10;

bool runs_all() { return std::getenv("RANKLE_CORPUS_ALL") != nullptr; }

InProcessExecutor& executor() {
  static InProcessExecutor made({SHIPPED_TARGETS});
  return made;
}

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Corpus, HoldsTheTwoStageTailCasesAsTheyAreWrittenToday) {
  const fs::path folder = fs::path(CORPUS) / "two-stage-tail";
  const std::vector<NamedCase> cases = two_stage_tail_cases();
  EXPECT_EQ(cases.size(), 74u);
  EXPECT_EQ(files_of(folder).size(), cases.size());
  for (const NamedCase& named : cases) {
    EXPECT_EQ(text_of(folder / (named.name + ".json")), case_to_text(named.c))
        << "write the files again: make-corpus " << folder;
  }
}

// The case as a target's own: what only the named target promises is left out.
Case for_target(Case c, const Contract& contract) {
  c.target = contract.target;
  if (!c.same_bits_as.empty()) c.same_bits_as = contract.same_bits_as;
  return c;
}

class ReplayCorpus : public testing::TestWithParam<fs::path> {};

TEST_P(ReplayCorpus, PassesOnEveryCleanTargetThatAcceptsIt) {
  std::optional<JsonError> error;
  const std::optional<Case> read = case_from_text(text_of(GetParam()), error);
  ASSERT_TRUE(read.has_value()) << error->path << ": " << error->message;
  const std::int64_t bytes = read->bytes() * read->world;
  if (bytes > kOwnTargetBytes && !runs_all()) {
    GTEST_SKIP() << bytes << " bytes over all ranks; run with RANKLE_CORPUS_ALL=1";
  }
  int accepted = 0;
  for (const Contract& contract : executor().contracts()) {
    const Case c = for_target(*read, contract);
    if (contract.is_mutant() || contract.family != "allreduce" || validate(c, contract)) continue;
    ++accepted;
    if (bytes > kEveryTargetBytes && !runs_all() && c.target != read->target) continue;
    const Verdict verdict = executor().run(c, {});
    EXPECT_EQ(verdict.outcome, Outcome::pass)
        << c.target << verdict.error
        << (verdict.findings.empty() ? "" : verdict.findings.front().message);
  }
  EXPECT_GE(accepted, 6);
}

std::string name_of_test(const testing::TestParamInfo<fs::path>& info) {
  std::string name =
      info.param.parent_path().filename().string() + "_" + info.param.stem().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char ch) { return !std::isalnum(ch); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Files, ReplayCorpus, testing::ValuesIn(files_of(CORPUS)), name_of_test);

}  // namespace
}  // namespace rankle
