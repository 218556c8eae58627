// What the tests of supervision share: cases for the stub worker, and counts of this process's
// descriptors and children.
#pragma once

#include <dirent.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <vector>

#include "harness/worker_executor.h"

namespace rankle {

inline Case stub_case(const std::string& name, std::uint64_t seed = 0) {
  Case c;
  c.target = "stub/" + name;
  c.shape = {16};
  c.input_offset = {0, 0};
  c.output_offset = {0, 0};
  c.program = {{StepKind::call, 0}};
  c.seed = seed;
  return c;
}

inline WorkerOptions stub_options(std::vector<std::string> arguments = {}) {
  WorkerOptions options;
  options.command.arguments = {RANKLE_STUB_WORKER};
  options.command.arguments.insert(options.command.arguments.end(), arguments.begin(),
                                   arguments.end());
  return options;
}

inline RunOptions within(double seconds) {
  RunOptions options;
  options.deadline_s = seconds;
  return options;
}

inline int open_descriptors() {
  int count = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (readdir(folder) != nullptr) {
    ++count;
  }
  closedir(folder);
  return count;
}

// True if this process has no child, running or zombie.
inline bool has_no_children() { return waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD; }

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace rankle
