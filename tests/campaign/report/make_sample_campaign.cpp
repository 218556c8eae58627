// Writes the sample campaign for the test in a browser: make_sample_campaign FOLDER.
#include <cstdio>

#include "tests/campaign/report/sample_campaign.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_sample_campaign FOLDER\n", stderr);
    return 2;
  }
  rankle::test::write_sample_campaign(argv[1]);
  return 0;
}
