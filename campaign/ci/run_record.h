// What a run in CI did, as the files for CI systems need it: what was tested, what failed, what was
// found. Filled by a command, written by junit_report.h, sarif_report.h and github_annotations.h.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

#include "harness/verdict.h"
#include "repro/repro_file.h"

namespace rankle {

// One line in a list of tests: the canary, a case of the corpus, the fuzzing of a target.
struct RunTest {
  enum class State { passed, failed, error, skipped };

  std::string suite;  // "rankle.canary", "rankle.corpus", "rankle.fuzz"
  std::string name;   // of the file or of the target
  State state = State::passed;
  std::uint64_t cases = 0;
  double seconds = 0;
  std::string message;  // one sentence, if it did not pass
  std::string kind;     // of the finding, if it failed
  std::string text;     // further lines
};

struct RunFinding {
  Repro repro;
  std::string file;  // its repro file; empty if it could not be written
};

struct RunWarning {
  std::string target;
  Finding finding;
};

struct RunRecord {
  std::string version, commit, platform;
  std::string command;  // "rankle smoke --time 60s --seed 7"
  std::uint64_t seed = 0;
  std::time_t started = 0;
  double seconds = 0;
  int exit_code = 0;
  std::vector<RunTest> tests;
  std::vector<RunFinding> findings;
  std::vector<RunWarning> warnings;
  std::string error;  // why the run says nothing: blind, no worker; else empty
};

// The sentence, the case, and the two commands, for a person who reads a CI's page.
std::string text_of(const RunFinding& finding);

// "2026-03-01T12:00:00Z"
std::string utc_text(std::time_t time);

}  // namespace rankle
