// Device code that gives up (__trap, assert, abort), that prints, and that reads the C clock.
//
// assert, abort, printf and clock are C library functions, so device code calls the library's. We
// define them in the executable, which plugins resolve first: a call from the fiber of a GPU thread
// is ours, any other goes on to the library.
#include <dlfcn.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "sim/caller.h"
#include "sim/engine.h"

namespace rankle::sim {
namespace {

// False for the simulator's own code that runs on the scheduler's stack on a GPU thread's behalf.
bool on_gpu_fiber() {
  if (g_hot.thread == nullptr) return false;
  const auto here_now = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto stack = reinterpret_cast<std::uintptr_t>(g_hot.thread->stack);
  return here_now >= stack && here_now < stack + Engine::instance().thread_stack_bytes();
}

template <typename F>
F next_definition(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

}  // namespace

void Engine::crash(const std::string& what, std::uintptr_t pc) {
  report(ReportKind::crash, text_of(current_id()) + " " + what, {here(pc)});
  stopped_ = true;  // whatever was asked for: a GPU's context is lost now
  while (g_hot.thread != nullptr) yield();
}

}  // namespace rankle::sim

using namespace rankle::sim;

#pragma GCC visibility push(default)
extern "C" {

void rankle_sim_trap() {
  if (g_hot.thread == nullptr) __builtin_trap();
  Engine::instance().crash("executes a trap", RANKLE_CALLER);
}

__attribute__((noreturn)) void __assert_fail(const char* expression, const char* file,
                                             unsigned line, const char* function) noexcept {
  if (on_gpu_fiber() && std::strncmp(file, "sim/", 4) != 0) {
    Engine::instance().crash(std::string("fails the assertion '") + expression + "'",
                             RANKLE_CALLER);
  }
  using Fail = void (*)(const char*, const char*, unsigned, const char*);
  next_definition<Fail>("__assert_fail")(expression, file, line, function);
  __builtin_trap();
}

__attribute__((noreturn)) void abort() noexcept {
  if (on_gpu_fiber()) Engine::instance().crash("calls abort()", RANKLE_CALLER);
  next_definition<void (*)()>("abort")();
  __builtin_trap();
}

// What kernels print goes to the error stream: a worker's output stream may carry a protocol. The
// library's formatting needs more stack than a fiber has.
int printf(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  int printed = 0;
  if (on_gpu_fiber()) {
    Engine::instance().on_main_stack([&] { printed = std::vfprintf(stderr, format, arguments); });
  } else {
    printed = std::vfprintf(stdout, format, arguments);
  }
  va_end(arguments);
  return printed;
}

// Device code means the cycles of its GPU by this, the host its processor time.
std::clock_t clock() noexcept {
  if (!on_gpu_fiber()) return next_definition<std::clock_t (*)()>("clock")();
  return static_cast<std::clock_t>(Engine::instance().read_clock(g_hot.thread, RANKLE_CALLER));
}

// clang turns a printf of a line without arguments into this.
int puts(const char* text) {
  if (!on_gpu_fiber()) return next_definition<int (*)(const char*)>("puts")(text);
  Engine::instance().on_main_stack([&] { std::fprintf(stderr, "%s\n", text); });
  return 1;
}
}
#pragma GCC visibility pop
