// Rules on words: names of files that say nothing, and marks of unfinished work without an owner.
// The words are put together from halves here, so that this file does not break its own rule.
#include <fmt/format.h>

#include <array>
#include <regex>
#include <set>
#include <sstream>

#include "tests/tidy/rules.h"

namespace rankle::tidy {

Breaches names_say_something(const Files& files) {
  static const std::set<std::string, std::less<>> kEmptyWords = {
      "util", "utils", "helper", "helpers", "common", "manager", "misc", "stuff"};
  Breaches breaches;
  for (const SourceFile& file : files) {
    std::string words = file.path.substr(0, file.path.size() - file.extension().size());
    for (char& c : words) {
      if (c == '/' || c == '_' || c == '-' || c == '.') c = ' ';
    }
    std::istringstream in(words);
    for (std::string word; in >> word;) {
      if (kEmptyWords.contains(word)) {
        breaches.push_back(fmt::format("{}: '{}' says nothing; name the concept", file.path, word));
      }
    }
  }
  return breaches;
}

Breaches stray_words_have_an_owner(const Files& files) {
  static const std::array<std::string, 3> kNever = {
      std::string("FIX") + "ME", std::string("XX") + "X", std::string("HA") + "CK"};
  const std::string later = std::string("TO") + "DO";
  const std::regex owned(later + R"(\([a-z][a-z0-9_.-]*\): )");
  Breaches breaches;
  for (const SourceFile& file : files) {
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::string& line = file.lines[i];
      for (const std::string& word : kNever) {
        if (std::regex_search(line, std::regex("\\b" + word + "\\b"))) {
          breaches.push_back(fmt::format("{}:{}: stray '{}'", file.path, i + 1, word));
        }
      }
      if (std::regex_search(line, std::regex("\\b" + later + "\\b")) &&
          !std::regex_search(line, owned)) {
        breaches.push_back(fmt::format("{}:{}: write '{}(owner): what'", file.path, i + 1, later));
      }
    }
  }
  return breaches;
}

}  // namespace rankle::tidy
