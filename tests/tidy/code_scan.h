// Just enough reading of C++ for the tidy test: text without comments and literals, the functions
// of a file, and its includes. Not a parser; it relies on the code being formatted by clang-format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/source_tree.h"

namespace rankle::tidy {

// Same text with comments, string and character literals and preprocessor lines replaced by spaces;
// newlines stay, so that offsets and line numbers stay.
std::string blank_out_non_code(std::string_view text);

struct FunctionSpan {
  std::string name;
  int first_line = 0;  // of the declarator, 1-based
  int last_line = 0;   // of the closing brace

  int lines() const { return last_line - first_line + 1; }
};

// Functions, in order; a lambda or local class counts as part of the function that it stands in.
std::vector<FunctionSpan> functions_of(std::string_view text);

struct Include {
  std::string path;
  bool quoted = false;
  int line = 0;
};

std::vector<Include> includes_of(const SourceFile& file);

}  // namespace rankle::tidy
