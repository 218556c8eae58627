// See source_lines.h.
#include "repro/source_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <system_error>

namespace rankle {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kColumnsMax = 160;
constexpr int kLinesMax = 1'000'000;

bool is_source(const fs::path& path) {
  constexpr std::array<std::string_view, 9> kExtensions = {".h",   ".hpp", ".cuh", ".c",  ".cc",
                                                           ".cpp", ".cu",  ".hip", ".inc"};
  return std::find(kExtensions.begin(), kExtensions.end(), path.extension().string()) !=
         kExtensions.end();
}

bool stays_inside(const fs::path& path) {
  return !path.empty() && path.is_relative() &&
         std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

}  // namespace

std::vector<std::string> source_excerpt(const Site& site, const std::vector<fs::path>& roots,
                                        int lines_around) {
  const fs::path relative(site.file);
  if (!stays_inside(relative) || !is_source(relative) || site.line < 1 || site.line > kLinesMax)
    return {};
  for (const fs::path& root : roots) {
    std::error_code ignored;
    if (!fs::is_regular_file(root / relative, ignored)) continue;
    std::ifstream file(root / relative);
    std::vector<std::string> lines;
    std::string text;
    for (int number = 1; number <= site.line + lines_around && std::getline(file, text); ++number) {
      if (number < site.line - lines_around) continue;
      lines.push_back(fmt::format("{} {:>5} | {}", number == site.line ? '>' : ' ', number,
                                  std::string_view(text).substr(0, kColumnsMax)));
    }
    const auto own_lines = std::min(site.line, lines_around + 1);
    if (static_cast<int>(lines.size()) >= own_lines) return lines;
  }
  return {};
}

}  // namespace rankle
