// Form of the planted bugs: each is a small patch against kernels/ with a header that says what it
// is. That they apply is tested by tests/kernels/CMakeLists.txt.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr int kChangedLinesMax = 10;

std::vector<fs::path> patches() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(RANKLE_KERNELS_DIR "/mutants")) {
    if (entry.path().extension() == ".patch") found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The text behind "Field: " in the part before the diff; empty if there is none.
std::string header_field(const std::vector<std::string>& lines, const std::string& field) {
  for (const std::string& line : lines) {
    if (line.starts_with("--- ")) break;
    if (line.starts_with(field + ": ")) return line.substr(field.size() + 2);
  }
  return "";
}

TEST(MutantPatches, AllThatThisVersionPromisesExist) {
  std::set<std::string> names;
  for (const fs::path& patch : patches()) {
    names.insert(header_field(lines_of(patch), "Target") + "@" + patch.stem().string());
  }
  const std::set<std::string> promised{
      "allreduce/one_stage@mapping_by_address",
      "allreduce/one_stage@no_exit_barrier",
      "allreduce/one_stage@predicted_slot",
      "allreduce/one_stage@ready_not_cleared_in_graphs",
      "allreduce/one_stage@shared_barrier_flags",
      "allreduce/one_stage@shared_epoch_cell",
      "allreduce/one_stage@wrong_rank_grid",
      "allreduce/one_stage_naive@cached_before_capture",
      "allreduce/one_stage_naive@elements_leave_early",
      "allreduce/one_stage_naive@epoch_from_host",
      "allreduce/one_stage_naive@pack_align",
      "allreduce/one_stage_naive@staging_outside_capture",
      "allreduce/two_stage_naive@early_return_before_barrier",
      "allreduce/two_stage_naive@free_without_barrier",
      "allreduce/two_stage_naive@grid_waits_for_all_blocks",
      "allreduce/two_stage_naive@int_width",
      "allreduce/two_stage_naive@oob_last_part",
      "allreduce/two_stage_naive@scratch_shared_by_streams",
      "allreduce/two_stage_naive@uninit_scratch",
      "allreduce/two_stage_tail@counter_per_variant",
      "allreduce/two_stage_tail@epochs_compared_plainly",
      "allreduce/two_stage_tail@no_wait_between_streams",
      "allreduce/two_stage_tail@reordered_sum",
      "allreduce/two_stage_tail@shard_index",
      "allreduce/two_stage_tail@slots_never_returned",
      "allreduce/two_stage_tail@staging_in_packs",
      "allreduce/two_stage_tail@tail_drop",
      "allreduce/two_stage_uniform@block_race",
      "allreduce/two_stage_uniform@cap_excluded",
      "allreduce/two_stage_uniform@divergent_barrier",
      "allreduce/two_stage_uniform@lost_offset",
      "allreduce/two_stage_uniform@signals_cleared_at_first_call",
      "allreduce/two_stage_uniform@slot_of_local_rank",
      "allreduce/two_stage_write@bigger_call_over_results",
      "allreduce/two_stage_write@scratch_without_result",
  };
  for (const std::string& name : promised) EXPECT_TRUE(names.contains(name)) << name;
}

TEST(MutantPatches, LieInTheFolderOfTheirClass) {
  for (const fs::path& patch : patches()) {
    EXPECT_EQ(header_field(lines_of(patch), "Class"), patch.parent_path().filename()) << patch;
  }
}

TEST(MutantPatches, StateTargetReportPlantAndInstantiations) {
  const std::regex report(R"([\w.-]+/[\w.-]+#\d+)");
  const std::regex instantiates(R"([a-z0-9]+(,[a-z0-9]+)*; worlds [2-8](,[2-8])*)");
  for (const fs::path& patch : patches()) {
    const auto lines = lines_of(patch);
    const std::string target = header_field(lines, "Target");
    EXPECT_TRUE(fs::exists(fs::path(RANKLE_KERNELS_DIR) / (target + ".h"))) << patch << target;
    EXPECT_TRUE(std::regex_match(header_field(lines, "Report"), report)) << patch;
    EXPECT_TRUE(header_field(lines, "Plants").ends_with(".")) << patch;
    EXPECT_TRUE(std::regex_match(header_field(lines, "Instantiates"), instantiates)) << patch;
  }
}

TEST(MutantPatches, ChangeAtMostTenLinesOfKernelsOnly) {
  for (const fs::path& patch : patches()) {
    int changed = 0;
    for (const std::string& line : lines_of(patch)) {
      const bool names_file = line.starts_with("--- ") || line.starts_with("+++ ");
      if (names_file) {
        EXPECT_TRUE(line.substr(4).starts_with("a/kernels/") ||
                    line.substr(4).starts_with("b/kernels/"))
            << patch << ": " << line;
      } else if (line.starts_with("-") || line.starts_with("+")) {
        ++changed;
      }
    }
    EXPECT_GE(changed, 1) << patch;
    EXPECT_LE(changed, kChangedLinesMax) << patch;
  }
}

}  // namespace
