// How a command ends. A user's mistake and a machine that lacks something (EnvironmentError of
// harness/executor.h, exit 3) are thrown; findings are values and never come this way; anything
// else that is thrown is an internal error (exit 4).
#pragma once

#include <stdexcept>

namespace rankle::cli {

// Exit codes, as promised in docs/cli.md. `replay` has its own meaning of 0, 1 and 7.
enum Exit : int {
  kExitClean = 0,
  kExitFinding = 1,
  kExitUsage = 2,
  kExitEnvironment = 3,
  kExitInternal = 4,
  kExitFlaky = 5,
  kExitOtherFinding = 7,
  kExitInterrupted = 130  // by a signal, before there was an answer
};

// The user's mistake: names the option or JSON path, the value, and what is allowed. Exit 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace rankle::cli
