// The worker's side of the protocol: serves requests until the supervisor leaves. Every platform's
// worker executable is this loop around its own executor.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/crash_guard.h"
#include "harness/executor.h"

namespace rankle {

struct WorkerService {
  std::string name;  // "sim"
  // Of the real devices, for people; asked for once the executor is made. May be empty.
  std::function<std::vector<std::string>()> devices;
  // Called once, at the first request, so that a failure can be told to the supervisor. May throw
  // std::exception; the sentence becomes an environment_error.
  std::function<std::unique_ptr<Executor>()> make_executor;
  CrashProbe probe;
  // Whether a case may use no more processor time than its deadline. Not where threads wait for a
  // device by spinning.
  bool limits_cpu = true;
};

// True if this process was started by a supervisor.
bool started_by_supervisor();

// Serves on the inherited descriptors. Returns the process's exit status.
int serve(const WorkerService& service);

}  // namespace rankle
