// A worker whose executor misbehaves on command: the case's target says how ("stub/spin"). It
// speaks through the real service loop and crash guard, so that tests of supervision need no
// simulator.
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "harness/case_slot.h"
#include "harness/worker_protocol.h"
#include "harness/worker_service.h"

// Named functions with C linkage, so that the stub's source_of can tell them by dladdr.
extern "C" {
[[gnu::noinline]] void stub_crash() {
  volatile int* null = nullptr;
  *null = 1;
}

[[gnu::noinline]] void stub_spin() {
  while (true) {
    asm volatile("");
  }
}

[[gnu::noinline]] void stub_exit_3() { std::exit(3); }

[[gnu::noinline]] void stub_exit_0() { std::exit(0); }

[[gnu::noinline]] void stub_abort() { std::abort(); }

[[gnu::noinline]] void stub_call_null() {
  void (*volatile nowhere)() = nullptr;
  nowhere();
  asm volatile("");  // keeps the call from being a jump
}

[[gnu::noinline]] void stub_overflow_stack(int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  if (depth >= 0) {
    stub_overflow_stack(depth + 1);
  }
  frame[1] = frame[0];
}
}

namespace {

using namespace rankle;

std::string g_probe_mode;

Actor stub_where() noexcept { return {1, 2, 3}; }

bool stub_source_of(std::uintptr_t pc, Site& site) {
  if (g_probe_mode == "--probe-faults") {
    stub_crash();
  }
  if (g_probe_mode == "--probe-hangs") {
    stub_spin();
  }
  Dl_info info = {};
  if (dladdr(reinterpret_cast<const void*>(pc - 1), &info) == 0 || info.dli_sname == nullptr ||
      !std::string_view(info.dli_sname).starts_with("stub_")) {
    return false;
  }
  site = {info.dli_sname, "tests/harness/stub_worker.cpp", 7};
  return true;
}

// Which cases have begun, one seed a line, for tests that count them over many processes.
void log_case(std::uint64_t seed) {
  const char* file = std::getenv("RANKLE_STUB_LOG");
  if (file == nullptr) return;
  const int descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND, 0644);
  const std::string line = fmt::format("{}\n", seed);
  const ssize_t ignored = write(descriptor, line.data(), line.size());
  (void)ignored;
  close(descriptor);
}

void send_raw(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(kChannelFd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) {
      return;
    }
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

// A header that claims far more than is ever sent.
void send_huge_header() {
  std::string frame = frame_of("");
  const std::uint32_t claimed = 0xfffffff0u;
  std::memcpy(frame.data() + 4, &claimed, sizeof claimed);
  send_raw(frame);
}

void sleep_for_ever() {
  enter_phase(Phase::checking);
  note_progress(42);
  while (true) {
    pause();
  }
}

void ignore_sigterm() {
  signal(SIGTERM, SIG_IGN);
  sleep_for_ever();
}

// A child that keeps channel and output open after its parent is gone.
void leave_child() {
  if (fork() == 0) {
    sleep(60);
    _exit(0);
  }
  _exit(9);
}

void eat_memory() {
  for (int i = 0; i < 1024; ++i) {
    char* block = static_cast<char*>(std::malloc(4 << 20));
    std::memset(block, 1, 4 << 20);
    asm volatile("" : : "r"(block) : "memory");  // or the allocation is optimised away
    usleep(2000);
  }
}

void print_garbage() {
  for (int i = 0; i < 20000; ++i) {
    std::printf("RNK1 \x01\xff{\"op\":\"verdict\"}\n");
  }
  std::printf("the last line\n");
  std::fflush(stdout);
}

void scribble_over_slot() {
  CrashRecord& record = active_slot()->crash_record();
  std::memset(static_cast<void*>(&record), 0xff, sizeof record);
  record.complete = 1;
  record.symbolised = 1;
  record.cause = CrashCause::fault;
  _exit(9);
}

void die_when_idle() {
  signal(SIGALRM, SIG_DFL);
  ualarm(20000, 0);
}

const std::map<std::string, std::function<void()>>& behaviours() {
  static const std::map<std::string, std::function<void()>> map{
      {"stub/pass", [] {}},
      {"stub/crash", stub_crash},
      {"stub/spin", stub_spin},
      {"stub/exit_3", stub_exit_3},
      {"stub/exit_0", stub_exit_0},
      {"stub/abort", stub_abort},
      {"stub/call_null", stub_call_null},
      {"stub/overflow_stack", [] { stub_overflow_stack(0); }},
      {"stub/kill_9", [] { kill(getpid(), SIGKILL); }},
      {"stub/garbage", [] { send_raw("this is no frame at all\n"); }},
      {"stub/huge_frame", send_huge_header},
      {"stub/no_json", [] { send_raw(frame_of("{\"op\":")); }},
      {"stub/bad_verdict",
       [] { send_raw(frame_of(R"({"op":"verdict","number":1,"verdict":7})")); }},
      {"stub/wrong_number", [] { send_raw(frame_of(R"({"op":"verdict","number":99})")); }},
      {"stub/slow", [] { usleep(150000); }},
      {"stub/sleep", sleep_for_ever},
      {"stub/ignore_sigterm", ignore_sigterm},
      {"stub/leave_child", leave_child},
      {"stub/eat_memory", eat_memory},
      {"stub/print", print_garbage},
      {"stub/scribble", scribble_over_slot},
      {"stub/die_when_idle", die_when_idle},
      {"stub/throw", [] { throw std::runtime_error("the device is gone"); }},
  };
  return map;
}

class StubExecutor : public Executor {
 public:
  std::vector<Contract> contracts() override {
    std::vector<Contract> contracts;
    for (const auto& [name, behaviour] : behaviours()) {
      Contract contract;
      contract.target = name;
      contract.family = "stub";
      contract.summary = "misbehaves on command";
      contract.dtypes = {DType::fp32};
      contract.accums = {Accum::fp32};
      contract.worlds = {2};
      contract.bytes_max = 1 << 20;
      contracts.push_back(std::move(contract));
    }
    return contracts;
  }

  std::set<FindingKind> detectors() override { return {FindingKind::leak}; }

  Verdict run(const Case& c, const RunOptions& options) override {
    log_case(c.seed);
    behaviours().at(c.target)();
    Verdict verdict;
    verdict.trace_hash = c.seed;
    verdict.variants = {options.keep_going ? "keep_going" : "stop"};
    verdict.stats.seconds = 0.25;
    return verdict;
  }
};

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  g_probe_mode = mode;
  if (mode == "--exit-at-start") {
    std::fprintf(stderr, "no licence for this computer\n");
    return 4;
  }
  if (mode == "--silent") {
    sleep(60);
  }
  WorkerService service;
  service.name = "stub";
  service.make_executor = [&mode]() -> std::unique_ptr<Executor> {
    if (mode == "--no-device") {
      throw EnvironmentError("no device of this kind");
    }
    if (mode == "--crash-loading") {
      stub_crash();
    }
    return std::make_unique<StubExecutor>();
  };
  service.probe = {stub_where, stub_source_of};
  return serve(service);
}
