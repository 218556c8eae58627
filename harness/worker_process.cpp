// Talking to and ending a worker process. The end of a worker is seen in two ways: at once by the
// end of its channel, and within a slice of 50 ms by waitpid, for a worker whose children keep the
// channel.
#include "harness/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "harness/worker_spawn.h"

namespace rankle {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSlice{50};
constexpr std::size_t kOutputKept = 2048;  // bytes of the worker's own output
constexpr std::size_t kOutputLines = 8;

int milliseconds_until(Clock::time_point time) {
  const auto left = std::chrono::ceil<milliseconds>(time - Clock::now());
  return static_cast<int>(std::clamp(left, milliseconds{0}, kSlice).count());
}

void close_all(std::initializer_list<int> fds) {
  for (const int fd : fds) {
    if (fd >= 0) {
      close(fd);
    }
  }
}

}  // namespace

WorkerProcess::WorkerProcess(const WorkerCommand& command, int slot_fd)
    : memory_bytes_max_(command.memory_bytes_max) {
  int channel[2] = {-1, -1};
  int output[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0 ||
      pipe2(output, O_CLOEXEC) != 0) {
    const int error = errno;
    close_all({channel[0], channel[1]});
    throw EnvironmentError(fmt::format("cannot start a worker: {}", strerror(error)));
  }
  SpawnRequest request;
  request.arguments = command.arguments;
  request.environment = command.environment;
  request.environment.push_back(fmt::format("{}={},{}", kWorkerVariable, kChannelFd, kSlotFd));
  request.output = output[1];
  request.inherited = {channel[1], slot_fd};
  try {
    pid_ = spawn(request);
  } catch (...) {
    close_all({channel[0], channel[1], output[0], output[1]});
    throw;
  }
  close_all({channel[1], output[1]});
  channel_ = channel[0];
  output_ = output[0];
  fcntl(output_, F_SETFL, O_NONBLOCK);
}

WorkerProcess::~WorkerProcess() {
  terminate(milliseconds{0});
  close_all({channel_, output_});
}

bool WorkerProcess::send(const nlohmann::json& message) { return send_message(channel_, message); }

Received WorkerProcess::receive(Clock::time_point deadline,
                                const std::function<bool()>& interrupted) {
  std::array<char, 65536> bytes;
  while (true) {
    try {
      if (std::optional<std::string> payload = decoder_.next()) {
        return {ReceiveState::message, std::move(*payload)};
      }
    } catch (const ProtocolError& error) {
      return {ReceiveState::garbage, error.what()};
    }
    if (Clock::now() >= deadline) {
      return {ReceiveState::timed_out, {}};
    }
    if (interrupted && interrupted()) {
      return {ReceiveState::interrupted, {}};
    }
    std::array<pollfd, 2> fds{{{channel_, POLLIN, 0}, {output_, POLLIN, 0}}};
    const int ready = poll(fds.data(), fds.size(), milliseconds_until(deadline));
    drain_output();
    const ssize_t got = recv(channel_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got > 0) {
      decoder_.feed({bytes.data(), static_cast<std::size_t>(got)});
      continue;
    }
    const bool stream_ended = got == 0 || (errno != EAGAIN && errno != EINTR);
    if (stream_ended || (ready == 0 && has_ended())) {
      return {ReceiveState::ended, {}};
    }
    if (over_memory_limit()) {
      return {ReceiveState::memory_limit, {}};
    }
  }
}

ExitState WorkerProcess::terminate(milliseconds grace) {
  if (reaped_) {
    return exit_;
  }
  if (grace.count() > 0) {
    kill(-pid_, SIGTERM);
    kill(-pid_, SIGCONT);  // a stopped process would not see the first
    wait_until_ended(grace);
  }
  return reap();
}

ExitState WorkerProcess::finish(milliseconds grace) {
  if (!reaped_) {
    wait_until_ended(grace);
  }
  return reap();
}

bool WorkerProcess::has_ended() {
  siginfo_t info = {};
  return reaped_ ||
         (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
          info.si_pid == pid_);
}

bool WorkerProcess::wait_until_ended(milliseconds time) {
  const auto deadline = Clock::now() + time;
  auto pause = milliseconds{1};
  while (!has_ended()) {
    if (Clock::now() >= deadline) {
      return false;
    }
    pollfd output{output_, POLLIN, 0};
    poll(&output, output_ >= 0 ? 1 : 0, static_cast<int>(pause.count()));
    if ((output.revents & POLLHUP) != 0 && (output.revents & POLLIN) == 0) {
      usleep(1000);  // closed: poll returns at once
    }
    drain_output();
    pause = std::min(pause * 2, milliseconds{10});
  }
  return true;
}

// The group is killed while the leader is not yet reaped: its number cannot belong to others then.
ExitState WorkerProcess::reap() {
  if (reaped_) {
    return exit_;
  }
  kill(-pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  reaped_ = true;
  drain_output();
  exit_ = WIFSIGNALED(status) ? ExitState{WTERMSIG(status), 0} : ExitState{0, WEXITSTATUS(status)};
  return exit_;
}

void WorkerProcess::drain_output() {
  std::array<char, 4096> bytes;
  // Bounded: a worker that prints without end must not keep us here.
  for (int i = 0; i < 64; ++i) {
    const ssize_t got = read(output_, bytes.data(), bytes.size());
    if (got <= 0) {
      return;
    }
    output_text_.append(bytes.data(), static_cast<std::size_t>(got));
    if (output_text_.size() > 2 * kOutputKept) {
      output_text_.erase(0, output_text_.size() - kOutputKept);
    }
  }
}

bool WorkerProcess::over_memory_limit() const {
  if (memory_bytes_max_ == 0) {
    return false;
  }
  std::uint64_t pages_mapped = 0;
  std::uint64_t pages_resident = 0;
  std::FILE* file = std::fopen(fmt::format("/proc/{}/statm", pid_).c_str(), "re");
  if (file == nullptr) {
    return false;
  }
  const int read = std::fscanf(file, "%lu %lu", &pages_mapped, &pages_resident);
  std::fclose(file);
  return read == 2 &&
         pages_resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) > memory_bytes_max_;
}

std::vector<std::string> WorkerProcess::output_tail() {
  std::vector<std::string> lines;
  std::string line;
  const auto finish_line = [&] {
    if (!line.empty()) {
      lines.push_back(std::move(line));
    }
    line.clear();
  };
  for (const char c : output_text_) {
    if (c == '\n') {
      finish_line();
    } else {
      line += c < ' ' || c > '~' ? '?' : c;
    }
  }
  finish_line();
  if (lines.size() > kOutputLines) {
    lines.erase(lines.begin(), lines.end() - kOutputLines);
  }
  return lines;
}

}  // namespace rankle
