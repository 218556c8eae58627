// Virtual time: what clock64() reads and what sleeping threads wait for.
//
// Every scheduling step takes a nanosecond, reading the clock takes some more, and when nothing
// else can run time jumps to the next moment for which a thread waits. So a loop until a time ends
// and depends on nothing outside of the simulator.
#include <algorithm>

#include "sim/engine.h"

namespace rankle::sim {
namespace {

constexpr std::uint64_t kNanosecondsPerRead = 31;  // and the step itself
// A thread that reads the clock this often without progress is waiting for it; the naps that it
// then takes double, up to a millisecond: time-outs of kernels are longer.
constexpr std::uint32_t kReadsBeforeNaps = 64;
constexpr std::uint32_t kNapShiftMin = 10;
constexpr std::uint32_t kNapShiftMax = 20;

}  // namespace

std::uint64_t Engine::read_clock(Thread* thread, std::uintptr_t pc) {
  switch_point();
  time_skipped_ += kNanosecondsPerRead;
  SpinRecord& record = spin_record(*thread);
  ++record.clock_reads;
  // Who waits for a word too parks on that word, with a timer: a nap would miss the change.
  if (record.clock_reads > kReadsBeforeNaps && record.reads_without_progress == 0) {
    const std::uint32_t shift = kNapShiftMin + record.clock_reads - kReadsBeforeNaps - 1;
    sleep(thread, std::uint64_t{1} << std::min(shift, kNapShiftMax), pc);
  }
  return virtual_time();
}

void Engine::sleep(Thread* thread, std::uint64_t nanoseconds, std::uintptr_t pc) {
  restore_latest_value();
  ++g_hot.step;
  if (result_.stats.accesses + g_hot.step > config_.steps_max) {
    return end_slice(pc);  // reports the endless loop
  }
  Wave& wave = *thread->wave;
  thread->state = ThreadState::asleep;
  wave.ready &= ~(std::uint64_t{1} << thread->lane);
  set_timer(*thread, nanoseconds);
  wait_in_wave(*thread);
}

void Engine::set_timer(Thread& thread, std::uint64_t nanoseconds) {
  const std::uint64_t at = virtual_time() + std::max<std::uint64_t>(nanoseconds, 1);
  timers_.push_back({at, &thread});
  next_timer_ = std::min(next_timer_, at);
}

void Engine::drop_timer(const Thread& thread) {
  std::erase_if(timers_, [&thread](const Timer& t) { return t.thread == &thread; });
}

void Engine::wake_sleepers() {
  const std::uint64_t now = virtual_time();
  std::vector<Thread*> due;
  next_timer_ = ~std::uint64_t{0};
  std::erase_if(timers_, [&](const Timer& t) {
    if (t.at <= now)
      due.push_back(t.thread);
    else
      next_timer_ = std::min(next_timer_, t.at);
    return t.at <= now;
  });
  for (Thread* thread : due) {
    if (thread->state == ThreadState::parked) {
      thread->spin->has_timer = false;
      unpark(*thread);
      continue;
    }
    thread->state = ThreadState::ready;
    thread->wave->ready |= std::uint64_t{1} << thread->lane;
    runnable_.add(thread->wave);
  }
}

// Nothing can run: jumps to the earliest timer. False if nobody waits for a time.
bool Engine::advance_time() {
  if (timers_.empty()) return false;
  std::uint64_t first = ~std::uint64_t{0};
  for (const Timer& t : timers_) first = std::min(first, t.at);
  if (first > virtual_time()) time_skipped_ += first - virtual_time();
  wake_sleepers();
  return true;
}

}  // namespace rankle::sim
