// Finds marks by reading the source line by line; the function of a mark is the last one that
// began.
#include "tests/litmus/source_marks.h"

#include <gtest/gtest.h>

#include <cctype>
#include <fstream>

namespace rankle::sim::litmus {
namespace {

// The name before the first parenthesis of a line that begins a function; empty if it begins none.
std::string function_begun_by(const std::string& line) {
  if (line.empty() || std::isalpha(static_cast<unsigned char>(line[0])) == 0) {
    if (line.rfind("__", 0) != 0) return "";
  }
  const std::size_t paren = line.find('(');
  if (paren == std::string::npos || line.find(';') != std::string::npos) return "";
  std::size_t begin = paren;
  while (begin > 0 && (std::isalnum(static_cast<unsigned char>(line[begin - 1])) != 0 ||
                       line[begin - 1] == '_')) {
    --begin;
  }
  return line.substr(begin, paren - begin);
}

}  // namespace

std::map<std::string, int> marks_of(const std::string& file) {
  constexpr std::string_view kMark = "// RACE ";
  std::ifstream in(std::string(RANKLE_SOURCE_DIR) + "/" + file);
  EXPECT_TRUE(in.good()) << file;
  std::map<std::string, int> marks;
  std::string function;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (const std::string begun = function_begun_by(line); !begun.empty()) function = begun;
    const std::size_t at = line.find(kMark);
    if (at == std::string::npos) continue;
    const std::string name = function + " " + line.substr(at + kMark.size());
    EXPECT_TRUE(marks.emplace(name, number).second) << file << ":" << number << ": " << name;
  }
  return marks;
}

}  // namespace rankle::sim::litmus
