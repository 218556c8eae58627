// The handlers first write what is certain with plain stores, and only then try to find the source
// line, which allocates: the process is dying, so a second fault or one second too many just ends
// it.
#include "harness/crash_guard.h"

#include <execinfo.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

namespace rankle {
namespace {

constexpr std::array<int, 5> kFaults{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
constexpr std::size_t kStackBytes = std::size_t{1} << 20;  // symbolising needs a deep stack
constexpr int kFramesMax = 64;

CaseSlot* g_slot = nullptr;
CrashProbe g_probe;
timer_t g_timer;
std::atomic<bool> g_armed{false};
std::atomic<bool> g_entered{false};
std::atomic<bool> g_exiting{false};

struct Registers {
  std::uintptr_t pc = 0;
  std::uintptr_t sp = 0;
};

Registers registers_of(const void* context) {
  const auto* user = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
  return {static_cast<std::uintptr_t>(user->uc_mcontext.gregs[REG_RIP]),
          static_cast<std::uintptr_t>(user->uc_mcontext.gregs[REG_RSP])};
#elif defined(__aarch64__)
  return {user->uc_mcontext.pc, user->uc_mcontext.sp};
#else
#error "crash_guard: unknown processor"
#endif
}

void write_record(CrashCause cause, int signal, const siginfo_t* info, std::uintptr_t pc) {
  CrashRecord& record = g_slot->crash_record();
  record.cause = cause;
  record.signal = signal;
  record.fault_address =
      cause == CrashCause::fault ? reinterpret_cast<std::uintptr_t>(info->si_addr) : 0;
  record.pc = pc;
  const Actor actor = g_probe.where != nullptr ? g_probe.where() : Actor{};
  record.rank = actor.rank;
  record.block = actor.block;
  record.thread = actor.thread;
  record.complete = 1;
}

// Lines of the machinery say nothing about a target: the frame that called it does. Paths may begin
// with the build folder, so folders are looked for anywhere.
bool is_plumbing(std::string_view file) {
  const auto lies_in = [file](std::string_view folder) {
    const std::size_t at = file.find(folder);
    return at == 0 || (at != std::string_view::npos && file[at - 1] == '/');
  };
  if (lies_in("tests/") || lies_in("harness/targets/") || lies_in("kernels/")) {
    return false;
  }
  return file.empty() || file.starts_with('/') || lies_in("sim/") || lies_in("harness/");
}

// Tries one address; true once a line of a target is in the record.
bool symbolise(std::uintptr_t pc) {
  Site site;
  if (!g_probe.source_of(pc, site) || site.line <= 0) {
    return false;
  }
  CrashRecord& record = g_slot->crash_record();
  const bool plumbing = is_plumbing(site.file);
  if (plumbing && record.symbolised == 1) {
    return false;  // the innermost line stays until a better one comes
  }
  const auto copy = [](const std::string& text, char* to, std::size_t bytes) {
    const std::size_t length = std::min(text.size(), bytes - 1);
    std::memcpy(to, text.data(), length);
    to[length] = '\0';
  };
  record.symbolised = 0;
  copy(site.function, record.function, sizeof record.function);
  copy(site.file, record.file, sizeof record.file);
  record.line = site.line;
  record.symbolised = 1;
  return !plumbing;
}

// The interrupted instruction. Compilers give some no line, the compare of a loop for instance:
// then a neighbour's will do. source_of takes return addresses, hence one byte more.
bool symbolise_around(std::uintptr_t pc) {
  constexpr std::uintptr_t kNeighbours = 16;
  for (std::uintptr_t distance = 0; distance < kNeighbours; ++distance) {
    if (symbolise(pc + 1 - distance) || symbolise(pc + 1 + distance)) {
      return true;
    }
  }
  return false;
}

void symbolise_stack(const Registers& registers) {
  if (g_probe.source_of == nullptr || symbolise_around(registers.pc)) {
    return;
  }
  std::array<void*, kFramesMax> frames{};
  const int count = backtrace(frames.data(), kFramesMax);
  const auto end = frames.begin() + std::max(count, 0);
  const auto interrupted = std::find(frames.begin(), end, reinterpret_cast<void*>(registers.pc));
  if (interrupted != end) {
    for (auto frame = interrupted + 1; frame != end; ++frame) {
      if (symbolise(reinterpret_cast<std::uintptr_t>(*frame))) {
        return;
      }
    }
  }
  // A call through a bad pointer: no frame at pc, but the return address lies on the stack.
  std::uintptr_t caller = 0;
  std::memcpy(&caller, reinterpret_cast<const void*>(registers.sp), sizeof caller);
  symbolise(caller);
}

void on_alarm(int) { _exit(kGuardExitStatus); }

// A target may have taken or blocked SIGALRM: both are put right first.
void limit_symbolising() {
  struct sigaction action = {};
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, nullptr);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGALRM);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  alarm(1);
}

void on_fault(int signal, siginfo_t* info, void* context) {
  if (g_entered.exchange(true)) {
    _exit(kGuardExitStatus);
  }
  const Registers registers = registers_of(context);
  write_record(CrashCause::fault, signal, info, registers.pc);
  limit_symbolising();
  symbolise_stack(registers);
  _exit(kGuardExitStatus);
}

// SIGXCPU: the timer, or note_exit below. SIGTERM: the supervisor, or a person who ends the worker.
void on_limit(int signal, siginfo_t* info, void* context) {
  const bool exiting = g_exiting;
  if (!exiting && !g_armed) {
    if (signal == SIGTERM) {
      _exit(kGuardExitStatus);
    }
    return;  // a timer that fired as its case ended
  }
  if (g_entered.exchange(true)) {
    return;
  }
  const Registers registers = registers_of(context);
  const CrashCause cause = exiting             ? CrashCause::exit
                           : signal == SIGTERM ? CrashCause::deadline
                                               : CrashCause::cpu_limit;
  write_record(cause, signal, info, registers.pc);
  limit_symbolising();
  symbolise_stack(registers);
  if (!exiting) {
    _exit(kGuardExitStatus);
  }
  alarm(0);  // exit() goes on with its own status
}

// A target that calls exit(). Through a signal, because the handler has a deep stack of its own.
void note_exit() {
  if (g_armed && !g_entered) {
    g_exiting = true;
    raise(SIGXCPU);
  }
}

void handle(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action = {};
  action.sa_sigaction = handler;
  // SA_NODEFER: a second fault must reach the handler, which then ends the process.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  if (sigaction(signal, &action, nullptr) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot install the crash guard");
  }
}

}  // namespace

void install_crash_guard(CaseSlot& slot, const CrashProbe& probe) {
  g_slot = &slot;
  g_probe = probe;
  void* memory =
      mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::system_error(errno, std::generic_category(), "cannot map the signal stack");
  }
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = kStackBytes;
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGXCPU;
  if (sigaltstack(&stack, nullptr) != 0 ||
      timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &g_timer) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot install the crash guard");
  }
  for (const int signal : kFaults) {
    handle(signal, on_fault);
  }
  handle(SIGXCPU, on_limit);
  handle(SIGTERM, on_limit);
  // The first call loads the unwinder, which a handler should not have to do.
  std::array<void*, 2> frames{};
  backtrace(frames.data(), static_cast<int>(frames.size()));
}

void arm_case_guard(double cpu_seconds) {
  // exit() runs these backwards, among the destructors of statics that source_of may need: so it is
  // registered once the targets are loaded, and again once a case has run.
  static int registrations = 0;
  if (registrations < 2) {
    ++registrations;
    std::atexit(note_exit);
  }
  itimerspec limit = {};
  const double seconds = std::clamp(cpu_seconds, 1e-3, 1e6);
  limit.it_value.tv_sec = static_cast<time_t>(seconds);
  limit.it_value.tv_nsec = static_cast<long>(std::fmod(seconds, 1.0) * 999'999'999);
  g_armed = true;
  timer_settime(g_timer, 0, &limit, nullptr);
}

void disarm_case_guard() {
  const itimerspec none = {};
  timer_settime(g_timer, 0, &none, nullptr);
  g_armed = false;
}

double cpu_limit_of(double deadline_s) {
  return deadline_s - std::clamp(deadline_s * 0.2, 0.02, 1.5);
}

}  // namespace rankle
