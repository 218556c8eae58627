// Waiting threads. A fiber that only re-reads words which do not change would run for ever, so
// after some reads without progress it parks on the words that it read last; a write that changes
// one of them wakes it. When nothing at all can run, every parked thread gets another bounded run;
// if that changes nothing either, nobody will ever write those words: deadlock.
#include <algorithm>
#include <utility>

#include "sim/engine.h"

namespace rankle::sim {
namespace {

// A read of a word that still holds what it held counts four times a read of another word: 16 turns
// of a loop on one flag are enough to know it waits, while 64 different flags may be looked at in
// passing.
constexpr int kSameAgain = 4;
constexpr int kReadsBeforeParking = 64;
constexpr int kReadsAfterWaking = 8;
constexpr int kTimersInARow = 32;  // the last one is of 2^43 ns, more than two hours

int find_word(const SpinRecord& record, std::uintptr_t word) {
  for (int i = 0; i < record.used; ++i) {
    if (record.word[i] == word) return i;
  }
  return -1;
}

int slot_for(SpinRecord& record) {
  if (record.used < kSpinWords) return record.used++;
  const int slot = record.oldest;
  record.oldest = (record.oldest + 1) % kSpinWords;
  return slot;
}

}  // namespace

SpinRecord& Engine::spin_record(Thread& thread) {
  if (thread.spin == nullptr) {
    if (spin_records_used_ == spin_records_.size()) spin_records_.emplace_back();
    thread.spin = &spin_records_[spin_records_used_++];
    *thread.spin = SpinRecord{};
    thread.spin->park_after = kReadsBeforeParking;
  }
  return *thread.spin;
}

// Notes a synchronising read; true if the thread has to park.
bool Engine::spins(Thread* thread, std::uintptr_t word, int bytes, std::uint64_t value,
                   std::uintptr_t pc) {
  word = owner_address(word);
  SpinRecord& record = spin_record(*thread);
  int at = find_word(record, word);
  if (at >= 0 && record.value[at] != value) {
    record.reads_without_progress = 0;
    record.park_after = kReadsBeforeParking;
    record.clock_reads = 0;
    record.backoff = 0;
  }
  record.reads_without_progress += at >= 0 ? kSameAgain : 1;
  if (at < 0) at = slot_for(record);
  record.word[at] = word;
  record.value[at] = value;
  record.site[at] = pc;
  record.bytes[at] = static_cast<std::uint8_t>(bytes);
  return record.reads_without_progress >= record.park_after;
}

void Engine::park(Thread* thread) {
  Wave& wave = *thread->wave;
  thread->state = ThreadState::parked;
  ++result_.stats.gave_way;
  count_stop();
  wave.ready &= ~(std::uint64_t{1} << thread->lane);
  for (int i = 0; i < thread->spin->used; ++i) watch_.add(thread->spin->word[i], thread);
  parked_.push_back(thread);
  // Who also looks at the clock may have set itself a limit: let time pass for it in the end.
  SpinRecord& record = *thread->spin;
  if (record.clock_reads != 0 && record.backoff < kTimersInARow) {
    record.has_timer = true;
    set_timer(*thread, std::uint64_t{4096} << record.backoff++);
  }
  yield();
}

void Engine::unpark(Thread& thread) {
  if (thread.state != ThreadState::parked) return;
  watch_.remove(&thread, thread.spin->word, thread.spin->used);
  parked_.erase(std::find(parked_.begin(), parked_.end(), &thread));
  if (std::exchange(thread.spin->has_timer, false)) drop_timer(thread);
  thread.spin->reads_without_progress = 0;
  thread.spin->park_after = kReadsAfterWaking;
  thread.state = ThreadState::ready;
  thread.wave->ready |= std::uint64_t{1} << thread.lane;
  runnable_.add(thread.wave);
}

void Engine::wake_watchers(std::uintptr_t address, std::size_t bytes) {
  std::vector<Thread*> waiting;
  watch_.collect(address, bytes, waiting);
  for (Thread* thread : waiting) unpark(*thread);
}

// Remembers who changed a word last, for the report of a deadlock.
void Engine::note_write(std::uintptr_t word, std::uint64_t value, std::uintptr_t pc) {
  last_writes_[word] = {value, here(pc)};
}

bool Engine::resolve_stall() {
  if (wake_polling_hosts(false)) return true;
  if (!parked_.empty() && (!stalled_once_ || progress_ != progress_at_stall_)) {
    stalled_once_ = true;
    progress_at_stall_ = progress_;
    const std::vector<Thread*> waiting = parked_;
    for (Thread* thread : waiting) unpark(*thread);
    return true;
  }
  if (advance_time() || settle_waves() || wake_polling_hosts(true)) return true;
  report_deadlock();
  stopped_ = true;
  return false;
}

}  // namespace rankle::sim
