// Each rule is shown one file that breaks it and one that just keeps it: a rule that cannot fail
// would make the whole tidy test worthless.
#include "tests/tidy/rules.h"

#include <gmock/gmock.h>

#include "tests/tidy/code_scan.h"

namespace rankle::tidy {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string repeated(std::string_view line, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += line;
  return text;
}

std::string function_of(int lines) {
  return "// A file.\nint f() {\n" + repeated("  g();\n", lines - 2) + "}\n";
}

TEST(SizeRules, AFileOf400LinesPassesAndOf401Fails) {
  EXPECT_THAT(files_are_short({make_source("sim/a.cpp", repeated("// x\n", 400))}), IsEmpty());
  EXPECT_THAT(files_are_short({make_source("sim/a.cpp", repeated("// x\n", 401))}),
              ElementsAre("sim/a.cpp: 401 lines; at most 400"));
}

TEST(SizeRules, AFunctionOf70LinesPassesAndOf71FailsWithItsNameAndLine) {
  EXPECT_THAT(functions_are_short({make_source("sim/a.cpp", function_of(70))}), IsEmpty());
  EXPECT_THAT(functions_are_short({make_source("sim/a.cpp", function_of(71))}),
              ElementsAre("sim/a.cpp:2: f has 71 lines; at most 70"));
}

TEST(SizeRules, ALineOf100ColumnsPassesAndOf101Fails) {
  EXPECT_THAT(lines_are_short({make_source("a.cmake", repeated("x", 100))}), IsEmpty());
  EXPECT_THAT(lines_are_short({make_source("a.cmake", repeated("x", 101))}),
              ElementsAre("a.cmake:1: 101 columns; at most 100"));
}

TEST(SizeRules, ColumnsAreCountedInCharactersNotBytes) {
  EXPECT_THAT(lines_are_short({make_source("a.cpp", repeated("ü", 100))}), IsEmpty());
}

TEST(SizeRules, AFileWithoutOpeningCommentFails) {
  EXPECT_THAT(files_open_with_a_comment({make_source("sim/a.h", "#pragma once\n")}),
              ElementsAre(HasSubstr("sim/a.h:1: must open with a comment")));
  EXPECT_THAT(files_open_with_a_comment({make_source("scripts/x", "#!/bin/sh\nset -e\n")}),
              ElementsAre(HasSubstr("scripts/x:2")));
  EXPECT_THAT(files_open_with_a_comment({make_source("scripts/x", "#!/bin/sh\n# Why.\n")}),
              IsEmpty());
}

TEST(SizeRules, AHeaderWithoutPragmaOnceFails) {
  EXPECT_THAT(headers_have_pragma_once({make_source("sim/a.h", "// A.\nint x;\n")}),
              ElementsAre("sim/a.h: a header needs #pragma once"));
  EXPECT_THAT(headers_have_pragma_once({make_source("sim/a.h", "// A.\n#pragma once\n")}),
              IsEmpty());
}

TEST(WordRules, AnEmptyWordInAPathFails) {
  EXPECT_THAT(names_say_something({make_source("sim/string_utils.h", "")}),
              ElementsAre(HasSubstr("'utils' says nothing")));
  EXPECT_THAT(names_say_something({make_source("helpers/a.h", "")}),
              ElementsAre(HasSubstr("'helpers' says nothing")));
  EXPECT_THAT(names_say_something({make_source("sim/utilisation.h", "")}), IsEmpty());
}

TEST(WordRules, AMarkOfUnfinishedWorkNeedsAnOwner) {
  const std::string later = std::string("TO") + "DO";
  EXPECT_THAT(stray_words_have_an_owner({make_source("a.cpp", "// " + later + ": more\n")}),
              ElementsAre(HasSubstr("a.cpp:1: write")));
  EXPECT_THAT(stray_words_have_an_owner({make_source("a.cpp", "// " + later + "(ada): more\n")}),
              IsEmpty());
  EXPECT_THAT(stray_words_have_an_owner({make_source("a.md", std::string("FIX") + "ME\n")}),
              ElementsAre(HasSubstr("a.md:1: stray")));
}

struct LayerCase {
  std::string path;
  std::string include;
  bool allowed;
};

class Layers : public ::testing::TestWithParam<LayerCase> {};

TEST_P(Layers, IncludesAgainstTheDirectionFail) {
  const LayerCase& c = GetParam();
  const auto file = make_source(c.path, "// A.\n#include " + c.include + "\n");
  EXPECT_EQ(includes_follow_the_layers({file}).empty(), c.allowed) << c.path << " " << c.include;
}

INSTANTIATE_TEST_SUITE_P(
    Tidy, Layers,
    ::testing::Values(LayerCase{"harness/a.cpp", "\"generators/case.h\"", true},
                      LayerCase{"generators/a.cpp", "\"harness/verdict.h\"", false},
                      LayerCase{"repro/a.cpp", "\"cli/output.h\"", false},
                      LayerCase{"repro/a.cpp", "\"kernels/pack.h\"", false},
                      LayerCase{"cli/a.cpp", "<hip/hip_runtime.h>", false},
                      LayerCase{"harness/a.cpp", "<hip/hip_runtime.h>", true},
                      LayerCase{"harness/a.cpp", "\"sim/machine.h\"", true},
                      LayerCase{"harness/a.cpp", "\"tests/x.h\"", false},
                      LayerCase{"kernels/a.h", "\"generators/dtype.h\"", false},
                      LayerCase{"kernels/a.h", "<hip/hip_runtime.h>", true},
                      LayerCase{"kernels/a.h", "<cstdint>", true},
                      LayerCase{"kernels/a.h", "<fmt/format.h>", false},
                      LayerCase{"kernels/a.h", "\"kernels/pack.h\"", true},
                      LayerCase{"sim/a.cpp", "\"harness/verdict.h\"", false},
                      LayerCase{"sim/a.cpp", "<boost/context/fiber.hpp>", true},
                      LayerCase{"tests/sim/a.cpp", "\"cli/output.h\"", true}));

TEST(StructureRules, AFileThatNothingUsesFails) {
  const auto list = make_source("sim/CMakeLists.txt", "# Sim.\nadd_library(sim used.cpp)\n");
  const auto used = make_source("sim/used.cpp", "// A.\n#include \"sim/used.h\"\n");
  const auto header = make_source("sim/used.h", "// A.\n#pragma once\n");
  EXPECT_THAT(every_source_is_used({list, used, header}), IsEmpty());
  const auto dead = make_source("sim/dead.cpp", "// A.\n");
  const auto dead_header = make_source("sim/dead.h", "// A.\n#pragma once\n");
  EXPECT_THAT(every_source_is_used({list, used, header, dead, dead_header}),
              ElementsAre("sim/dead.cpp: nothing builds it", "sim/dead.h: nothing includes it"));
}

TEST(StructureRules, NamingATestDoesNotBuildTheSourceOfTheSameName) {
  const auto list = make_source("CMakeLists.txt", "# Root.\nadd_test(NAME verdict_test)\n");
  EXPECT_THAT(every_source_is_used({list, make_source("harness/verdict.cpp", "// A.\n")}),
              ElementsAre("harness/verdict.cpp: nothing builds it"));
}

TEST(StructureRules, AGlobBuildsWhatItMatchesAndNothingElse) {
  const auto list =
      make_source("sim/CMakeLists.txt", "# Sim.\nfile(GLOB S CONFIGURE *_test.cpp\n run/*.cpp)\n");
  EXPECT_THAT(every_source_is_used({list, make_source("sim/fiber_test.cpp", "// A.\n"),
                                    make_source("sim/run/a.cpp", "// A.\n")}),
              IsEmpty());
  EXPECT_THAT(
      every_source_is_used({list, make_source("sim/fiber.cpp", "// A.\n"),
                            make_source("sim/run/deep/b.cpp", "// A.\n"),
                            make_source("repro/replay_test.cpp", "// A.\n")}),
      ElementsAre("sim/fiber.cpp: nothing builds it", "sim/run/deep/b.cpp: nothing builds it",
                  "repro/replay_test.cpp: nothing builds it"));
}

TEST(DocumentRules, ADocumentThatNoIndexLinksFails) {
  const auto index = make_source("docs/README.md", "[limits](limits.md)\n");
  const auto limits = make_source("docs/limits.md", "# Limits\n");
  EXPECT_THAT(documents_are_linked({index, limits}), IsEmpty());
  EXPECT_THAT(documents_are_linked({index, limits, make_source("docs/lost.md", "")}),
              ElementsAre(HasSubstr("docs/lost.md")));
}

TEST(DocumentRules, ALinkToNothingFailsWithItsLine) {
  const auto page = make_source("docs/a.md", "# A\n[b](b.md#x) [web](https://example.org/)\n");
  EXPECT_THAT(links_lead_somewhere({page}), ElementsAre("docs/a.md:2: docs/b.md does not exist"));
  EXPECT_THAT(links_lead_somewhere({page, make_source("docs/b.md", "")}), IsEmpty());
}

TEST(CodeScan, BracesInCommentsStringsAndMacrosDoNotCount) {
  const std::string text =
      "#define OPEN(x) \\\n  {\nint f() {\n  // }\n  char c = '}';\n  g(\"}\", R\"(}})\");\n}\n";
  const auto functions = functions_of(text);
  ASSERT_EQ(functions.size(), 1U);
  EXPECT_EQ(functions[0].name, "f");
  EXPECT_EQ(functions[0].first_line, 3);
  EXPECT_EQ(functions[0].last_line, 7);
}

TEST(CodeScan, FindsMembersAndTestsButNotClassesNamespacesOrInitialisers) {
  const std::string text =
      "namespace a {\nstruct B {\n  int x = 1;\n  int f() const {\n    return x;\n  }\n};\n"
      "const int table[] = {1, 2};\nTEST(B, Holds) {\n  if (true) {\n  }\n}\n}\n";
  const auto functions = functions_of(text);
  ASSERT_EQ(functions.size(), 2U);
  EXPECT_EQ(functions[0].name, "f");
  EXPECT_EQ(functions[0].lines(), 3);
  EXPECT_EQ(functions[1].name, "TEST(B, Holds)");
  EXPECT_EQ(functions[1].lines(), 4);
}

TEST(CodeScan, DigitSeparatorsDoNotOpenALiteral) {
  EXPECT_EQ(functions_of("int f() {\n  return 1'000;\n}\nint g() {\n}\n").size(), 2U);
}

}  // namespace
}  // namespace rankle::tidy
