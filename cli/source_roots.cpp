// See source_roots.h.
#include "cli/source_roots.h"

#include <algorithm>
#include <cctype>
#include <system_error>

#include "cli/installed_files.h"
#include "cli/worker.h"

namespace rankle::cli {
namespace {

void add_with_parents(std::filesystem::path folder, std::vector<std::filesystem::path>& roots) {
  while (true) {
    roots.push_back(folder);
    if (!folder.has_parent_path() || folder == folder.parent_path()) return;
    folder = folder.parent_path();
  }
}

// Where the build keeps the patched sources of a mutant (cmake/RankleTargets.cmake).
std::filesystem::path patched_copy(std::string target) {
  std::replace_if(
      target.begin(), target.end(),
      [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return executable_folder() / "mutants" / target;
}

}  // namespace

std::vector<std::filesystem::path> source_roots(const std::string& given,
                                                const std::string& target) {
  if (!given.empty()) return {given};
  if (target.find('@') != std::string::npos) return {patched_copy(target)};
  std::vector<std::filesystem::path> roots;
  std::error_code error;
  const auto current = std::filesystem::current_path(error);
  if (!error) add_with_parents(current, roots);
  add_with_parents(executable_folder(), roots);
  roots.push_back(shared_folder());
  return roots;
}

}  // namespace rankle::cli
