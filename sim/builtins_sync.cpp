// The device functions at which threads wait for each other or for a time: block barriers with and
// without a vote, wave operations, the grid barrier, clocks and sleeps. The entrances from
// sim_device/; the work is done in barrier.cpp, wave_ops.cpp and clock.cpp.
#include <cstdint>

#include "sim/caller.h"
#include "sim/engine.h"
#include "sim/wave_ops.h"

namespace rankle::sim {
namespace {

__attribute__((noinline, cold)) void report_host(const char* call, std::uintptr_t pc) {
  Engine::instance().report(ReportKind::api_error, std::string("host code calls ") + call,
                            {here(pc)});
}

// True on the host, where no such call has a meaning; reports it.
inline bool on_host(const char* call, std::uintptr_t pc) {
  if (__builtin_expect(g_hot.thread != nullptr, 1)) return false;
  report_host(call, pc);
  return true;
}

// A thread waits here with as little stack below its kernel as can be: it is cold when it goes on.
__attribute__((always_inline)) inline void wait_at_barrier(std::uintptr_t pc) {
  Thread& thread = *g_hot.thread;
  const Context to = Engine::instance().arrive_at_barrier(thread, pc);
  if (to != nullptr) jump(to, &thread.context);
  Engine::leave_barrier(thread);
}

bool is_width(int width, int wave) { return width > 0 && width <= wave && !(width & (width - 1)); }

}  // namespace

// One thread of each block comes here, between two barriers of its block.
void Engine::arrive_at_grid_barrier(Thread* thread, std::uintptr_t pc) {
  Launch& launch = *thread->wave->block->launch;
  ++g_hot.step;
  if (launch.at_grid_barrier.size() + 1 < launch.blocks_total) {
    launch.at_grid_barrier.push_back(thread);
    thread->barrier_site = pc;
    thread->state = ThreadState::at_grid_barrier;
    thread->wave->ready &= ~(std::uint64_t{1} << thread->lane);
    return yield();
  }
  ++progress_;
  ++result_.stats.barriers;
  std::vector<Thread*> all = launch.at_grid_barrier;
  all.push_back(thread);
  race_rendezvous(all);
  for (Thread* other : launch.at_grid_barrier) {
    other->state = ThreadState::ready;
    other->wave->ready |= std::uint64_t{1} << other->lane;
    runnable_.add(other->wave);
  }
  launch.at_grid_barrier.clear();
}

}  // namespace rankle::sim

using namespace rankle::sim;

#pragma GCC visibility push(default)
extern "C" {

void rankle_sim_barrier() {
  if (on_host("__syncthreads()", RANKLE_CALLER)) return;
  wait_at_barrier(RANKLE_CALLER);
}

// The number of threads of the block for which the predicate holds. `voters` receives the number of
// those that brought one.
int rankle_sim_barrier_vote(int predicate, int* voters) {
  *voters = 1;
  if (on_host("a voting __syncthreads", RANKLE_CALLER)) return predicate != 0 ? 1 : 0;
  Thread* const thread = g_hot.thread;
  BlockBarrier& barrier = thread->wave->block->barrier;
  ++barrier.voters;
  barrier.votes += predicate != 0 ? 1 : 0;
  wait_at_barrier(RANKLE_CALLER);
  // Nobody completes the next barrier before this thread has come to it: the counts still stand.
  *voters = static_cast<int>(barrier.last_voters);
  return static_cast<int>(barrier.last_votes);
}

std::uint64_t rankle_sim_wave_op(int kind, int masked, std::uint64_t mask, std::uint64_t value,
                                 int argument) {
  if (on_host("a wave operation", RANKLE_CALLER)) return value;
  WaveOp op;
  op.kind = static_cast<WaveOpKind>(kind);
  op.masked = masked != 0;
  op.mask = mask;
  op.value = value;
  op.argument = argument;
  op.pc = RANKLE_CALLER;
  return Engine::instance().join_wave_op(g_hot.thread, op);
}

void rankle_sim_bad_width(int width) {
  if (g_hot.thread == nullptr) return;
  const int wave = Engine::instance().config().wave;
  if (is_width(width, wave)) return;
  Engine::instance().report(ReportKind::api_error,
                            text_of(current_id()) + " shuffles with a width of " +
                                std::to_string(width) + "; allowed: powers of two up to " +
                                std::to_string(wave),
                            {here(RANKLE_CALLER)});
}

void rankle_sim_grid_barrier() {
  if (on_host("grid_group::sync()", RANKLE_CALLER)) return;
  Engine& engine = Engine::instance();
  Thread* const thread = g_hot.thread;
  if (!thread->wave->block->launch->cooperative) {
    engine.report(ReportKind::api_error,
                  text_of(current_id()) +
                      " calls grid_group::sync() in a kernel that was not launched with "
                      "hipLaunchCooperativeKernel",
                  {here(RANKLE_CALLER)});
    return;
  }
  wait_at_barrier(RANKLE_CALLER);
  if (thread->index == 0) engine.arrive_at_grid_barrier(thread, RANKLE_CALLER);
  wait_at_barrier(RANKLE_CALLER);
}

int rankle_sim_is_cooperative() {
  return g_hot.thread != nullptr && g_hot.thread->wave->block->launch->cooperative ? 1 : 0;
}

std::uint64_t rankle_sim_clock() {
  Engine& engine = Engine::instance();
  return g_hot.thread == nullptr ? engine.virtual_time()
                                 : engine.read_clock(g_hot.thread, RANKLE_CALLER);
}

void rankle_sim_sleep(std::uint64_t nanoseconds) {
  if (g_hot.thread == nullptr) return;
  Engine::instance().sleep(g_hot.thread, nanoseconds, RANKLE_CALLER);
}
}
#pragma GCC visibility pop
