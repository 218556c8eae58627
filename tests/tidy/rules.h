// The house rules that a machine can check, one function each. A rule takes the files and returns
// one sentence for each breach, "path:line: what is wrong"; no breach gives an empty list. The
// idea of a test over the source itself is TigerBeetle's.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/source_tree.h"

namespace rankle::tidy {

inline constexpr int kFileLinesMax = 400;
inline constexpr int kFunctionLinesMax = 70;
inline constexpr int kColumnsMax = 100;

using Files = std::vector<SourceFile>;
using Breaches = std::vector<std::string>;

// Size and shape of a file (size_rules.cpp).
Breaches files_are_short(const Files& files);
Breaches functions_are_short(const Files& files);
Breaches lines_are_short(const Files& files);
Breaches files_open_with_a_comment(const Files& files);
Breaches headers_have_pragma_once(const Files& files);

// Words (word_rules.cpp).
Breaches names_say_something(const Files& files);
Breaches stray_words_have_an_owner(const Files& files);

// Who may know whom (structure_rules.cpp).
Breaches includes_follow_the_layers(const Files& files);
Breaches every_source_is_used(const Files& files);

// Documents (document_rules.cpp).
Breaches documents_are_linked(const Files& files);
Breaches links_lead_somewhere(const Files& files);

struct Rule {
  std::string_view name;
  std::function<Breaches(const Files&)> check;
};

const std::vector<Rule>& all_rules();

}  // namespace rankle::tidy
