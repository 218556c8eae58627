// One worker process as the supervisor sees it: started with a channel and a slot, talked to with
// deadlines, and ended for certain, with all processes of its group. Knows nothing of cases.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "harness/worker_protocol.h"

namespace rankle {

using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC

struct WorkerCommand {
  // A command line: `{"build/sim/rankle-worker-sim"}`. A name without a slash is looked up in PATH.
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // additions, "NAME=value"
  std::uint64_t memory_bytes_max = 0;    // resident memory of the process; 0: no limit
};

// How a process ended.
struct ExitState {
  int signal = 0;  // 0: it exited by itself
  int status = 0;  // exit status if signal is 0
};

enum class ReceiveState { message, garbage, ended, timed_out, memory_limit, interrupted };

struct Received {
  ReceiveState state = ReceiveState::timed_out;
  std::string payload;  // message: its JSON text; garbage: what is wrong, in words
};

// Not thread-safe. A worker dies with the thread that started it (PR_SET_PDEATHSIG), so an executor
// belongs to the thread that uses it.
class WorkerProcess {
 public:
  // Throws EnvironmentError, which names the program, if it cannot be started.
  WorkerProcess(const WorkerCommand& command, int slot_fd);
  ~WorkerProcess();  // ends it
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  pid_t pid() const { return pid_; }

  // False if the worker is gone.
  bool send(const nlohmann::json& message);
  // Waits for a message. `interrupted`, if there is one, is asked at least every 50 ms.
  Received receive(Clock::time_point deadline, const std::function<bool()>& interrupted = {});

  // SIGTERM to the group, which a guarded worker answers by recording where it is; SIGKILL to what
  // is left after `grace`. Idempotent.
  ExitState terminate(std::chrono::milliseconds grace);
  // Waits `grace` for it to end by itself, then terminates it.
  ExitState finish(std::chrono::milliseconds grace);

  // The last printable characters of its stdout and stderr, one string per line.
  std::vector<std::string> output_tail();

 private:
  bool has_ended();
  bool wait_until_ended(std::chrono::milliseconds time);
  ExitState reap();
  void drain_output();
  bool over_memory_limit() const;

  pid_t pid_ = -1;
  int channel_ = -1;
  int output_ = -1;
  std::uint64_t memory_bytes_max_ = 0;
  FrameDecoder decoder_;
  std::string output_text_;
  bool reaped_ = false;
  ExitState exit_;
};

}  // namespace rankle
