// See ci_files.h.
#include "cli/ci_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "campaign/ci/github_annotations.h"
#include "campaign/ci/junit_report.h"
#include "campaign/ci/sarif_report.h"
#include "harness/executor.h"
#include "repro/atomic_file.h"

namespace rankle::cli {
namespace {

namespace fs = std::filesystem;

void check_file(const TextOption& option) {
  if (!option.given()) return;
  const fs::path file = option.text();
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    option.refuse(fmt::format(
        "lies in {}, which is no folder; a file in one that exists is allowed", folder.string()));
  }
  if (fs::is_directory(file, ignored)) option.refuse("is a folder; the name of a file is allowed");
}

void write_file(const TextOption& option, const std::string& text) {
  if (!option.given()) return;
  try {
    replace_file(option.text(), text);
  } catch (const std::system_error& error) {
    throw EnvironmentError(fmt::format("{}: {}", option.origin(), error.what()));
  }
}

}  // namespace

CiFiles CiFiles::declare(OptionSet& options) {
  CiFiles files;
  files.junit_ = &options.add("junit", "file for the run as JUnit XML");
  files.sarif_ = &options.add("sarif", "file for the findings as SARIF 2.1.0");
  files.github_ = &options.flag("github", "print findings as annotations of GitHub Actions");
  return files;
}

void CiFiles::check() const {
  check_file(*junit_);
  check_file(*sarif_);
}

void CiFiles::write(const RunRecord& record, Console& console) const {
  if (*github_) {
    for (const std::string& line : github_annotations(record)) console.say(line);
  }
  write_file(*junit_, junit_report(record));
  write_file(*sarif_, sarif_report(record));
}

}  // namespace rankle::cli
