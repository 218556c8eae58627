// See glob.h.
#include "cli/glob.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace rankle::cli {
namespace {

// Levenshtein distance, two rows.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

// Greedy with one point of return: only the last star can need to take more characters.
bool glob_matches(std::string_view glob, std::string_view text) {
  std::size_t g = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t taken = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      taken = t;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
      ++g;
      ++t;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

bool target_glob_matches(std::string_view glob, std::string_view target) {
  const bool mutant = target.find('@') != std::string_view::npos;
  if (mutant && glob.find('@') == std::string_view::npos) return false;
  return glob_matches(glob, target);
}

std::vector<std::string> closest_names(std::string_view text, const std::vector<std::string>& names,
                                       std::size_t count) {
  std::vector<std::pair<std::size_t, std::size_t>> ranked;  // distance, index
  ranked.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    ranked.emplace_back(edit_distance(text, names[i]), i);
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> result;
  for (const auto& [distance, index] : ranked) {
    if (result.size() == count) break;
    result.push_back(names[index]);
  }
  return result;
}

}  // namespace rankle::cli
