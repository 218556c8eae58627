// Rules on the size and shape of files. A file or function over the limit is usually two ideas.
#include <fmt/format.h>

#include "tests/tidy/code_scan.h"
#include "tests/tidy/rules.h"

namespace rankle::tidy {
namespace {

// Written by hand and read by people: held to the same limits as the C++.
bool is_program_text(const SourceFile& file) {
  return file.is_code() || file.is_cmake() || file.is_script();
}

// Columns, not bytes: continuation bytes of UTF-8 do not count.
int columns_of(std::string_view line) {
  int columns = 0;
  for (const char c : line) columns += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  return columns;
}

}  // namespace

Breaches files_are_short(const Files& files) {
  Breaches breaches;
  for (const SourceFile& file : files) {
    const int lines = static_cast<int>(file.lines.size());
    if (is_program_text(file) && lines > kFileLinesMax) {
      breaches.push_back(fmt::format("{}: {} lines; at most {}", file.path, lines, kFileLinesMax));
    }
  }
  return breaches;
}

Breaches functions_are_short(const Files& files) {
  Breaches breaches;
  for (const SourceFile& file : files) {
    if (!file.is_code()) continue;
    for (const FunctionSpan& function : functions_of(file.text)) {
      if (function.lines() > kFunctionLinesMax) {
        breaches.push_back(fmt::format("{}:{}: {} has {} lines; at most {}", file.path,
                                       function.first_line, function.name, function.lines(),
                                       kFunctionLinesMax));
      }
    }
  }
  return breaches;
}

Breaches lines_are_short(const Files& files) {
  Breaches breaches;
  for (const SourceFile& file : files) {
    if (!is_program_text(file)) continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const int columns = columns_of(file.lines[i]);
      if (columns > kColumnsMax) {
        breaches.push_back(
            fmt::format("{}:{}: {} columns; at most {}", file.path, i + 1, columns, kColumnsMax));
      }
    }
  }
  return breaches;
}

Breaches files_open_with_a_comment(const Files& files) {
  Breaches breaches;
  for (const SourceFile& file : files) {
    if (!is_program_text(file)) continue;
    const std::size_t at = file.is_script() ? 1 : 0;
    const std::string_view first = at < file.lines.size() ? file.lines[at] : std::string_view{};
    if (!first.starts_with(file.is_code() ? "// " : "# ")) {
      breaches.push_back(fmt::format(
          "{}:{}: must open with a comment that says what the file is and why", file.path, at + 1));
    }
  }
  return breaches;
}

Breaches headers_have_pragma_once(const Files& files) {
  Breaches breaches;
  for (const SourceFile& file : files) {
    if (file.is_header() && file.text.find("\n#pragma once\n") == std::string::npos) {
      breaches.push_back(fmt::format("{}: a header needs #pragma once", file.path));
    }
  }
  return breaches;
}

}  // namespace rankle::tidy
