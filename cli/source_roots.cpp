// See source_roots.h.
#include "cli/source_roots.h"

#include <system_error>

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

}  // namespace

std::vector<std::filesystem::path> source_roots(const std::string& given) {
  if (!given.empty()) return {given};
  std::vector<std::filesystem::path> roots;
  std::error_code error;
  const auto current = std::filesystem::current_path(error);
  if (!error) add_with_parents(current, roots);
  add_with_parents(executable_folder(), roots);
  return roots;
}

}  // namespace rankle::cli
