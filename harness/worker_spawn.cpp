// fork, arrange, exec. Everything that allocates is done before the fork; a failure after it comes
// back as an errno through a close-on-exec pipe, so that "no such file" is told as such.
#include "harness/worker_spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "harness/executor.h"

extern char** environ;

namespace rankle {
namespace {

constexpr int kFirstInherited = 3;
constexpr int kOutOfTheWay = 64;  // first descriptor that no inherited one will be put on

std::string resolved(const std::string& program) {
  const char* path = std::getenv("PATH");
  if (program.find('/') != std::string::npos || path == nullptr) {
    return program;
  }
  std::string_view rest = path;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    const std::string candidate = fmt::format("{}/{}", folder.empty() ? "." : folder, program);
    if (access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
  }
  return program;
}

std::vector<std::string> environment_with(const std::vector<std::string>& additions) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view name = std::string_view(*entry).substr(0, std::strcspn(*entry, "=") + 1);
    const bool replaced =
        std::any_of(additions.begin(), additions.end(),
                    [name](const std::string& addition) { return addition.starts_with(name); });
    if (!replaced) {
      all.emplace_back(*entry);
    }
  }
  all.insert(all.end(), additions.begin(), additions.end());
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

struct ChildPlan {
  const char* program;
  char* const* arguments;
  char* const* environment;
  const int* inherited;
  int inherited_count;
  int output;
  int null_input;
  int report;  // errno goes here
  pid_t parent;
};

[[noreturn]] void fail_in_child(int report) {
  const int error = errno;
  const ssize_t ignored = write(report, &error, sizeof error);
  (void)ignored;
  _exit(127);
}

// Runs in the child: async-signal-safe calls only.
[[noreturn]] void become(const ChildPlan& plan) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != plan.parent) {
    _exit(127);  // it died before the line above
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  signal(SIGINT, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  const rlimit no_core = {0, 0};  // a core file of 40 GiB of mapped device memory helps nobody
  setrlimit(RLIMIT_CORE, &no_core);

  // First out of the way of the targets, then onto them: dup2 may not overwrite a source.
  int moved[8];
  const int report = fcntl(plan.report, F_DUPFD_CLOEXEC, kOutOfTheWay);
  const int output = fcntl(plan.output, F_DUPFD_CLOEXEC, kOutOfTheWay);
  const int input = fcntl(plan.null_input, F_DUPFD_CLOEXEC, kOutOfTheWay);
  for (int i = 0; i < plan.inherited_count; ++i) {
    moved[i] = fcntl(plan.inherited[i], F_DUPFD_CLOEXEC, kOutOfTheWay);
  }
  bool good = dup2(input, 0) == 0 && dup2(output, 1) == 1 && dup2(output, 2) == 2;
  for (int i = 0; i < plan.inherited_count; ++i) {
    good = good && dup2(moved[i], kFirstInherited + i) == kFirstInherited + i;
  }
  if (!good) {
    fail_in_child(report);
  }
  // Descriptors that other parts of the supervisor opened without care must not leak into workers.
  syscall(SYS_close_range, kFirstInherited + plan.inherited_count, ~0U, CLOSE_RANGE_CLOEXEC);
  execve(plan.program, plan.arguments, plan.environment);
  fail_in_child(report);
}

// 0 once the program runs, else the errno of the child's failure.
int await_exec(int report) {
  int error = 0;
  ssize_t got = 0;
  do {
    got = read(report, &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  return got == sizeof error ? error : 0;
}

}  // namespace

pid_t spawn(const SpawnRequest& request) {
  if (request.arguments.empty() || request.inherited.size() > 8) {
    throw EnvironmentError("the worker command line is empty");
  }
  std::vector<std::string> argument_texts = request.arguments;
  std::vector<std::string> environment_texts = environment_with(request.environment);
  const std::vector<char*> arguments = pointers_to(argument_texts);
  const std::vector<char*> environment = pointers_to(environment_texts);
  const std::string program = resolved(request.arguments.front());

  int report[2];
  const int null_input = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null_input < 0 || pipe2(report, O_CLOEXEC) != 0) {
    const int error = errno;
    if (null_input >= 0) {
      close(null_input);
    }
    throw EnvironmentError(fmt::format("cannot start the worker {}: {}", program, strerror(error)));
  }
  const ChildPlan plan{program.c_str(),
                       arguments.data(),
                       environment.data(),
                       request.inherited.data(),
                       static_cast<int>(request.inherited.size()),
                       request.output,
                       null_input,
                       report[1],
                       getpid()};
  const pid_t child = fork();
  if (child == 0) {
    become(plan);
  }
  int error = child < 0 ? errno : 0;
  close(report[1]);
  close(null_input);
  if (child > 0) {
    error = await_exec(report[0]);
  }
  close(report[0]);
  if (error != 0) {
    if (child > 0) {
      waitpid(child, nullptr, 0);
    }
    throw EnvironmentError(fmt::format("cannot start the worker {}: {}", program, strerror(error)));
  }
  return child;
}

}  // namespace rankle
