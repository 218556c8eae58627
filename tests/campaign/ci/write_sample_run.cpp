// Writes the sample run, and an empty one, for the schemas: write_sample_run FOLDER.
#include <cstdio>
#include <fstream>
#include <string>

#include "campaign/ci/junit_report.h"
#include "campaign/ci/sarif_report.h"
#include "tests/campaign/ci/sample_run.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: write_sample_run FOLDER\n", stderr);
    return 2;
  }
  const std::string folder = std::string(argv[1]) + "/";
  rankle::RunRecord empty;
  empty.error = "the harness is blind";
  std::ofstream(folder + "full.xml") << rankle::junit_report(rankle::test::sample_run());
  std::ofstream(folder + "full.sarif") << rankle::sarif_report(rankle::test::sample_run());
  std::ofstream(folder + "empty.xml") << rankle::junit_report(empty);
  std::ofstream(folder + "empty.sarif") << rankle::sarif_report(empty);
  return 0;
}
