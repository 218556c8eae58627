// The table in docs/detectors.md is generated: this test compares it with what the table gives.
// RANKLE_UPDATE_DOCS=1 writes the right text into the document.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/litmus/litmus.h"

namespace rankle::sim::litmus {
namespace {

const std::string kDocument = std::string(RANKLE_SOURCE_DIR) + "/docs/detectors.md";
constexpr std::string_view kBegin = "<!-- litmus table: begin -->\n";
constexpr std::string_view kEnd = "<!-- litmus table: end -->\n";

std::string read(const std::string& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in.good()) << path;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(LitmusDocument, ShowsTheTableAsItIs) {
  const std::string text = read(kDocument);
  const std::size_t begin = text.find(kBegin);
  const std::size_t end = text.find(kEnd);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const std::size_t from = begin + kBegin.size();
  const std::string expected = "\n" + litmus_document() + "\n";
  if (text.substr(from, end - from) == expected) return;
  if (std::getenv("RANKLE_UPDATE_DOCS") != nullptr) {
    std::ofstream(kDocument) << text.substr(0, from) + expected + text.substr(end);
    return;
  }
  ADD_FAILURE() << "docs/detectors.md is stale; RANKLE_UPDATE_DOCS=1 "
                   "build/sim/tests/litmus_test --gtest_filter=LitmusDocument.* writes:\n"
                << expected;
}

}  // namespace
}  // namespace rankle::sim::litmus
