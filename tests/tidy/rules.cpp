// The list of rules: the tree test runs each entry as a test of its own.
#include "tests/tidy/rules.h"

namespace rankle::tidy {

const std::vector<Rule>& all_rules() {
  static const std::vector<Rule> rules = {
      {"files_are_short", files_are_short},
      {"functions_are_short", functions_are_short},
      {"lines_are_short", lines_are_short},
      {"files_open_with_a_comment", files_open_with_a_comment},
      {"headers_have_pragma_once", headers_have_pragma_once},
      {"names_say_something", names_say_something},
      {"stray_words_have_an_owner", stray_words_have_an_owner},
      {"includes_follow_the_layers", includes_follow_the_layers},
      {"every_source_is_used", every_source_is_used},
      {"documents_are_linked", documents_are_linked},
      {"links_lead_somewhere", links_lead_somewhere},
  };
  return rules;
}

}  // namespace rankle::tidy
