// Starts a program with given descriptors in a process group of its own. Apart from WorkerProcess
// because what happens between fork and exec obeys its own rules: async-signal-safe calls only.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace rankle {

struct SpawnRequest {
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // additions, "NAME=value"
  int output = -1;                       // becomes stdout and stderr
  std::vector<int> inherited;            // become descriptors 3, 4, ...
};

// Returns the process id once the program runs. Throws EnvironmentError if it cannot.
pid_t spawn(const SpawnRequest& request);

}  // namespace rankle
