// Walks the working tree for the tidy test. Generated trees are skipped by name.
#include "tests/tidy/source_tree.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

namespace rankle::tidy {
namespace {

// `golden` holds expected outputs and inputs of tests, which have a form of their own.
constexpr std::array<std::string_view, 5> kSkippedFolders = {".git", "build", ".cache", "golden",
                                                             "node_modules"};

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

std::string_view SourceFile::folder() const {
  const std::size_t slash = path.find('/');
  return slash == std::string::npos ? std::string_view{} : std::string_view(path).substr(0, slash);
}

std::string_view SourceFile::name() const {
  const std::size_t slash = path.rfind('/');
  return std::string_view(path).substr(slash == std::string::npos ? 0 : slash + 1);
}

std::string_view SourceFile::extension() const {
  const std::string_view file = name();
  const std::size_t dot = file.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view{} : file.substr(dot);
}

SourceFile make_source(std::string path, std::string text) {
  SourceFile file{std::move(path), std::move(text), {}};
  std::istringstream in(file.text);
  for (std::string line; std::getline(in, line);) file.lines.push_back(line);
  return file;
}

std::vector<SourceFile> read_tree(const std::filesystem::path& root) {
  namespace fs = std::filesystem;
  std::vector<SourceFile> files;
  for (auto it = fs::recursive_directory_iterator(root); it != fs::end(it); ++it) {
    const std::string name = it->path().filename().string();
    if (it->is_directory()) {
      if (std::ranges::find(kSkippedFolders, name) != kSkippedFolders.end()) {
        it.disable_recursion_pending();
      }
      continue;
    }
    if (!it->is_regular_file()) continue;
    std::string text = read_file(it->path());
    if (text.find('\0') != std::string::npos) continue;
    files.push_back(
        make_source(it->path().lexically_relative(root).generic_string(), std::move(text)));
  }
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

}  // namespace rankle::tidy
