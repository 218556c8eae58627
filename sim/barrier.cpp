// The block barrier: the divergence detector, and what a wave does afterwards.
//
// The language rule comes first: the n-th barrier of every thread of a block must be the same one.
// After the report things go on per wave, as hardware does: a barrier completes when every wave
// that has not ended has arrived, wherever. Measured on an H200: counts that differ at a warp
// boundary pair up wrongly and go on, a split inside a warp hangs, exited lanes do not count. On
// AMD one arriving lane arrives for its wave; with no reconvergence point on fibers, the lanes at
// the lowest program counter go first.
#include <bit>
#include <utility>

#include "sim/engine.h"
#include "sim/lanes.h"
#include "sim/race_feed.h"
#include "sim/site_hash.h"
#include "sim/symbols.h"

namespace rankle::sim {
namespace {

// Every lane that still lives waits at a barrier, and there is one.
bool is_waiting(const Wave& wave) {
  return wave.waiting != 0 && (wave.waiting | wave.exited) == first_lanes(wave.lanes);
}

std::string ordinal(std::uint32_t n) {
  const char* suffix = "th";
  if (n % 100 < 11 || n % 100 > 13) {
    suffix = n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
  }
  return std::to_string(n) + suffix;
}

std::string plural(std::uint32_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

}  // namespace

Context Engine::arrive_at_barrier(Thread& thread, std::uintptr_t pc) {
  restore_latest_value();
  Wave& wave = *thread.wave;
  const std::uint64_t bit = std::uint64_t{1} << thread.lane;
  if (wave.waiting == 0) {
    wave.barrier_site = pc;
    wave.barrier_hash = site_hash(pc);
    wave.sites_differ = false;
  } else if (wave.barrier_site != pc) {
    wave.sites_differ = true;
  }
  mix(wave.barrier_site == pc ? wave.barrier_hash : site_hash(pc));
  ++thread.barriers;
  thread.barrier_site = pc;
  if (!keeps_barrier_rule(thread)) check_barrier_rule(thread);
  thread.state = ThreadState::at_barrier;
  wave.ready &= ~bit;
  wave.waiting |= bit;
  if (is_waiting(wave)) wave_arrives(wave);
  if (wave.in_op != 0 && wave.ready == 0) settle_wave(wave, false);
  ++g_hot.step;
  if ((wave.waiting & bit) != 0) return after_waiting(wave);
  return g_hot.step >= g_hot.interrupt_at && !stopped_ ? after_interrupt(thread) : nullptr;
}

void Engine::leave_barrier(Thread& thread) {
  thread.state = ThreadState::ready;
  if (thread.spin != nullptr) thread.spin->reads_without_progress = 0;
}

// The common case: at the barrier that the first one of this phase is at, and nobody has ended.
bool Engine::keeps_barrier_rule(const Thread& thread) const {
  const Block& block = *thread.wave->block;
  const BlockBarrier& barrier = block.barrier;
  return barrier.phase_open && barrier.first_barriers == thread.barriers &&
         barrier.first_site == thread.barrier_site && block.threads_exited == 0;
}

void Engine::check_barrier_rule(Thread& thread) {
  Block& block = *thread.wave->block;
  BlockBarrier& barrier = block.barrier;
  if (thread.barriers > barrier.reached_max) barrier.reached_max = thread.barriers;
  if (barrier.mismatch_reported) return;
  if (block.threads_exited > 0 && block.exited_barriers_min < thread.barriers) {
    barrier.mismatch_reported = true;
    report_exit_divergence(block, thread.index, block.exited_thread);
    return;
  }
  if (!barrier.phase_open) {
    barrier.phase_open = true;
    barrier.first_site = thread.barrier_site;
    barrier.first_thread = thread.index;
    barrier.first_barriers = thread.barriers;
    return;
  }
  const Thread& first = block.threads[barrier.first_thread];
  if (first.barriers == thread.barriers && same_site(barrier.first_site, thread.barrier_site))
    return;
  barrier.mismatch_reported = true;
  report_divergence(first, barrier.first_site, thread, thread.barrier_site);
}

// The compiler may have copied one barrier of the source (unrolling, peeling): compare source
// lines.
bool Engine::same_site(std::uintptr_t a, std::uintptr_t b) {
  if (a == b) return true;
  bool same = false;
  on_main_stack([&] {
    const std::vector<SourceLine>& chain_a = symbols().chain_of(a);
    const std::vector<SourceLine>& chain_b = symbols().chain_of(b);
    same = chain_a.size() == chain_b.size() && !chain_a.empty();
    for (std::size_t i = 0; same && i < chain_a.size(); ++i) {
      same = chain_a[i].file == chain_b[i].file && chain_a[i].line == chain_b[i].line &&
             chain_a[i].function == chain_b[i].function;
    }
  });
  return same;
}

void Engine::report_divergence(const Thread& a, std::uintptr_t site_a, const Thread& b,
                               std::uintptr_t site_b) {
  const ThreadId who_a = id_of(a);
  const ThreadId who_b = id_of(b);
  std::string message;
  std::vector<std::string> details;
  on_main_stack([&] {
    message = "threads of one block wait at different barriers: " + text_of(who_a) + " at " +
              place_of(site_a) + ", thread " + std::to_string(who_b.thread) + " at " +
              place_of(site_b);
  });
  for (const Thread* t : {&a, &b}) {
    details.push_back("thread " + std::to_string(t->index) + " had passed " +
                      plural(t->barriers - 1, "barrier") + " before this one");
  }
  report(ReportKind::barrier_divergence, std::move(message), {{site_a, who_a}, {site_b, who_b}},
         std::move(details));
}

void Engine::report_exit_divergence(const Block& block, std::uint32_t waiting,
                                    std::uint32_t exited) {
  const Thread& waiter = block.threads[waiting];
  const ThreadId who = id_of(waiter);
  std::string message;
  on_main_stack([&] {
    message = text_of(who) + " reaches its " + ordinal(waiter.barriers) + " barrier at " +
              place_of(waiter.barrier_site) + ", but thread " + std::to_string(exited) +
              " of the same block ended after " + plural(block.threads[exited].barriers, "barrier");
  });
  report(ReportKind::barrier_divergence, std::move(message), {{waiter.barrier_site, who}});
}

void Engine::wave_arrives(Wave& wave) {
  Block& block = *wave.block;
  if (config_.barrier_model == BarrierModel::nvidia) {
    // Lanes at different barriers never meet: the warp hangs, and with it the block.
    std::uintptr_t first = 0;
    bool split = false;
    for_each_lane(wave.waiting, [&](int lane) {
      const std::uintptr_t site = wave.threads[lane].barrier_site;
      if (first == 0) first = site;
      split = split || !same_site(first, site);
    });
    if (split) return;
  }
  if (!wave.arrived) {
    wave.arrived = true;
    ++block.barrier.waves_arrived;
  }
  if (block.barrier.waves_arrived + block.waves_exited == block.waves.size())
    complete_barrier(block);
}

void Engine::complete_barrier(Block& block) {
  ++result_.stats.barriers;
  ++progress_;
  if (block.race != nullptr) g_races->barrier(block.race);
  block.barrier.waves_arrived = 0;
  block.barrier.phase_open = false;
  block.barrier.last_voters = std::exchange(block.barrier.voters, 0);
  block.barrier.last_votes = std::exchange(block.barrier.votes, 0);
  for (Wave& wave : block.waves) {
    if (!wave.arrived) continue;
    wave.arrived = false;
    if (!wave.sites_differ) {
      wave.ready |= std::exchange(wave.waiting, 0);
      runnable_.add(&wave);
      continue;
    }
    std::uintptr_t lowest = ~std::uintptr_t{0};
    for_each_lane(wave.waiting,
                  [&](int lane) { lowest = std::min(lowest, wave.threads[lane].barrier_site); });
    for_each_lane(wave.waiting, [&](int lane) {
      Thread& thread = wave.threads[lane];
      if (thread.barrier_site == lowest || same_site(thread.barrier_site, lowest))
        make_ready(thread);
    });
  }
}

void Engine::make_ready(Thread& thread) {
  Wave& wave = *thread.wave;
  const std::uint64_t bit = std::uint64_t{1} << thread.lane;
  wave.waiting &= ~bit;
  wave.ready |= bit;
  runnable_.add(&wave);
}

// Runs on the scheduler's stack, after the thread's own stack has been given back.
void Engine::end_thread(Thread& thread) {
  Wave& wave = *thread.wave;
  Block& block = *wave.block;
  const std::uint64_t bit = std::uint64_t{1} << thread.lane;
  wave.ready &= ~bit;
  wave.exited |= bit;
  if (wave.ready == 0) runnable_.remove(&wave);
  ++progress_;
  if (block.threads_exited == 0 || thread.barriers < block.exited_barriers_min) {
    block.exited_barriers_min = thread.barriers;
    block.exited_thread = thread.index;
  }
  ++block.threads_exited;
  BlockBarrier& barrier = block.barrier;
  const bool others_went_further = thread.barriers < barrier.reached_max;
  if (others_went_further && !barrier.mismatch_reported) {
    barrier.mismatch_reported = true;
    report_exit_divergence(block, barrier.first_thread, thread.index);
    if (stopped_) return;
  }
  if (wave.in_op != 0) return lane_left(wave);
  if (is_waiting(wave)) return wave_arrives(wave);
  if (wave.exited != first_lanes(wave.lanes)) return;
  ++block.waves_exited;
  if (block.waves_exited == block.waves.size()) return end_block(block);
  if (barrier.waves_arrived > 0 &&
      barrier.waves_arrived + block.waves_exited == block.waves.size()) {
    complete_barrier(block);
  }
}

}  // namespace rankle::sim
