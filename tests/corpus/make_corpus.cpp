// Writes corpus/two-stage-tail anew: make-corpus FOLDER. Run by hand after a change of
// two_stage_tail_cases(); a test compares the files with it.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "generators/case_json.h"
#include "tests/corpus/two_stage_tail_cases.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make-corpus FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder(argv[1]);
  std::filesystem::create_directories(folder);
  for (const rankle::NamedCase& named : rankle::two_stage_tail_cases()) {
    const std::filesystem::path file = folder / (named.name + ".json");
    std::ofstream out(file);
    out << rankle::case_to_text(named.c);
    if (!out.flush()) {
      std::fprintf(stderr, "make-corpus: cannot write %s\n", file.c_str());
      return 3;
    }
  }
  return 0;
}
