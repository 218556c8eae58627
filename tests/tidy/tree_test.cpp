// The repository itself keeps the house rules: one test per rule, with every breach in its output.
#include <gtest/gtest.h>

#include <ostream>

#include "tests/tidy/rules.h"

namespace rankle::tidy {

void PrintTo(const Rule& rule, std::ostream* out) { *out << rule.name; }

namespace {

const Files& repository() {
  static const Files files = read_tree(RANKLE_SOURCE_DIR);
  return files;
}

class Tree : public ::testing::TestWithParam<Rule> {};

TEST_P(Tree, Keeps) {
  // An empty tree keeps every rule: make sure that the right one was read.
  ASSERT_GT(repository().size(), 20U);
  const Breaches breaches = GetParam().check(repository());
  for (const std::string& breach : breaches) ADD_FAILURE() << breach;
}

INSTANTIATE_TEST_SUITE_P(Repository, Tree, ::testing::ValuesIn(all_rules()),
                         [](const auto& rule) { return std::string(rule.param.name); });

}  // namespace
}  // namespace rankle::tidy
