// See installed_files.h.
#include "cli/installed_files.h"

#include <system_error>

#include "cli/worker.h"

namespace rankle::cli {

std::filesystem::path worker_file(const std::string& platform) {
  const std::string name = "rankle-worker-" + platform;
  const auto built = executable_folder() / name;
  const auto installed = executable_folder().parent_path() / "lib" / "rankle" / name;
  std::error_code ignored;
  const bool is_installed =
      !std::filesystem::exists(built, ignored) && std::filesystem::exists(installed, ignored);
  return is_installed ? installed : built;
}

std::filesystem::path shared_folder() {
  return executable_folder().parent_path() / "share" / "rankle";
}

std::filesystem::path corpus_folder() {
  std::error_code ignored;
  // A build tree is build/<preset> of its sources.
  const auto sources = executable_folder().parent_path().parent_path();
  for (const auto& folder : {shared_folder(), sources}) {
    if (std::filesystem::is_directory(folder / "corpus", ignored)) return folder / "corpus";
  }
  return {};
}

}  // namespace rankle::cli
