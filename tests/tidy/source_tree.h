// The repository as the tidy test sees it: every text file with its lines, read once. Reads the
// working tree rather than git, so that a file is judged before it is committed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace rankle::tidy {

struct SourceFile {
  std::string path;  // relative to the root, with '/'
  std::string text;
  std::vector<std::string> lines;

  std::string_view folder() const;     // "sim" of "sim/detail/fiber.h"; empty at the root
  std::string_view name() const;       // "fiber.h"
  std::string_view extension() const;  // ".h"; empty if there is none
  bool is_header() const { return extension() == ".h"; }
  bool is_cpp() const { return extension() == ".cpp"; }
  bool is_code() const { return is_header() || is_cpp(); }
  bool is_cmake() const { return extension() == ".cmake" || name() == "CMakeLists.txt"; }
  bool is_script() const { return text.starts_with("#!"); }
  bool is_markdown() const { return extension() == ".md"; }
};

// A file that exists only in a test.
SourceFile make_source(std::string path, std::string text);

// All text files below `root`, sorted by path; build trees, .git and binary files are left out.
std::vector<SourceFile> read_tree(const std::filesystem::path& root);

}  // namespace rankle::tidy
