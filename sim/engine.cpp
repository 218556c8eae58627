// The scheduler loop and the fibers that it runs.
#include "sim/engine.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

#include "sim/capture.h"
#include "sim/host_function.h"
#include "sim/host_memory.h"
#include "sim/kernel_types.h"
#include "sim/lanes.h"
#include "sim/race_feed.h"
#include "sim/site_hash.h"
#include "sim/weak_memory.h"
#include "sim/windows.h"

namespace rankle::sim {
namespace {

constexpr std::size_t kThreadStackBytes = 16 << 10;
constexpr std::size_t kHostStackBytes = 512 << 10;

}  // namespace

Hot g_hot;

void interrupt_slow() { Engine::instance().interrupt(); }
void restore_slow() { g_weak.restore(); }

Engine* Engine::instance_ = nullptr;

Engine& Engine::make_instance() {
  instance_ = new Engine;
  return *instance_;
}

Engine::Engine() : thread_stacks_(kThreadStackBytes, 1024), host_stacks_(kHostStackBytes, 8) {
  memory();
}

void Engine::reset(const Config& config) {
  config_ = config;
  windows().reset();
  registrations().clear();
  memory().reset(config.bytes_max);
  thread_stacks_.reset();
  host_stacks_.reset();
  hosts_.clear();
  streams_.clear();
  default_streams_.clear();
  events_.clear();
  for (const std::unique_ptr<Launch>& launch : launches_) {
    if (launch->storage != nullptr) launch->destroy(launch->storage);
  }
  launches_.clear();
  reset_captures();
  forget_kernel_types();
  ops_.clear();
  for (int device = 0; device < kDevicesMax; ++device) {
    pending_[device].clear();
    resident_[device] = 0;
    peers_[device] = std::uint32_t{1} << device | std::uint32_t{1} << kHostRegion |
                     std::uint32_t{1} << kSharedRegion;
    set_peer(device, device, true);
  }
  free_blocks_.clear();
  for (const std::unique_ptr<Block>& block : blocks_) free_blocks_.push_back(block.get());
  shared_slots_.clear();
  spin_records_used_ = 0;
  watch_.clear();
  parked_.clear();
  timers_.clear();
  next_timer_ = ~std::uint64_t{0};
  time_skipped_ = 0;
  last_writes_.clear();
  runnable_.clear();
  current_ = nullptr;
  host_ = nullptr;
  give_way_ = stopped_ = stalled_once_ = false;
  progress_ = progress_at_stall_ = moment_of_poll_ = 0;
  fruitless_polls_ = 0;
  host_barrier_generation_ = 0;
  host_barrier_arrived_ = 0;
  result_ = Result{};
  g_hot = Hot{};
  host_reachable_ = config.separate_address_spaces ? 0 : std::uint32_t{1} << kHostRegion;
  g_hot.reachable = host_reachable_;
  begin_races();
  begin_weak_memory();
  g_hot.slice = slice();
  scheduler_ = make_scheduler(config);
  scheduler_->new_execution(config, runnable_);
  g_hot.interrupt_at = 0;
  lanes_left_ = kAnyLanes;
  decisions_ = 0;
}

Result Engine::run(const Config& config, const std::function<void(int)>& rank_main) {
  reset(config);
  rank_main_ = rank_main;
  for (int device = 0; device < config.devices; ++device) {
    auto stream = std::make_unique<Stream>();
    stream->kind = EntityKind::stream;
    stream->id = stream_entity(device, 0);
    stream->rank = stream->device = device;
    stream->is_default = true;
    default_streams_.push_back(stream.get());
    streams_.push_back(std::move(stream));
  }
  for (int rank = 0; rank < config.devices; ++rank) {
    auto host = std::make_unique<HostRank>();
    host->kind = EntityKind::host;
    host->id = host_entity(rank);
    host->rank = host->device = rank;
    host->stack = host_stacks_.take();
    host->context = boost::context::detail::make_fcontext(host_stacks_.top_of(host->stack),
                                                          kHostStackBytes, &Engine::host_main);
    if (config.detect_races) host->actor = g_races->host_started(rank);
    runnable_.add(host.get());
    hosts_.push_back(std::move(host));
  }
  loop();
  result_.trace_hash = g_hot.trace;
  result_.stats.steps = g_hot.step;
  result_.stats.entities += hosts_.size();
  for (const auto& stream : streams_) result_.stats.entities += stream->last == nullptr ? 0 : 1;
  result_.stats.accesses += slice() - g_hot.slice;
  result_.stopped = stopped_;
  if (config_.check_leaks && !stopped_) report_leaks();
  graphs().reset();  // ends their kernels' arguments, which a plugin has to do: it may go soon
  return std::move(result_);
}

void Engine::loop() {
  while (!stopped_) {
    if (virtual_time() >= next_timer_) wake_sleepers();
    if (runnable_.empty()) {
      if (std::all_of(hosts_.begin(), hosts_.end(), [](const auto& h) { return h->finished; }))
        break;
      if (!resolve_stall()) break;
      continue;
    }
    if (!turn_goes_on()) take_decision();
    run_entity(current_);
  }
  if (stopped_) finish_hosts();
}

void Engine::run_entity(Entity* entity) {
  switch (entity->kind) {
    case EntityKind::host:
      return run_host(static_cast<HostRank&>(*entity));
    case EntityKind::stream:
      return run_stream(static_cast<Stream&>(*entity));
    case EntityKind::wave:
      return run_wave(static_cast<Wave&>(*entity));
  }
}

// Runs a fiber until one comes back to the scheduler, with calls on this stack served in between.
void Engine::resume(Context context) {
  jump(context, &main_context_);
  while (request_ != nullptr) {
    const std::function<void()>* const request = std::exchange(request_, nullptr);
    (*request)();
    jump(*running_slot(), &main_context_);
  }
}

Context* Engine::running_slot() {
  return g_hot.thread != nullptr ? &g_hot.thread->context : &host_->context;
}

void Engine::run_host(HostRank& host) {
  host_ = &host;
  g_hot.actor = host.actor;
  resume(host.context);
  g_hot.actor = nullptr;
  host_ = nullptr;
}

// The lanes that have their turn soon are on stacks that are likely cold by now. A line from the
// third cache takes longer than a lane's turn: hence two turns ahead, and their records four.
static void prefetch_lanes_after(const Wave& wave, int lane) {
  const Thread* const threads = wave.threads;
  if (lane + 4 < wave.lanes) __builtin_prefetch(threads + lane + 4);
  const int soon = lane + 2;
  if (soon >= wave.lanes || (wave.ready >> soon & 1) == 0) return;
  const char* const context = static_cast<const char*>(threads[soon].context);
  for (int line = 0; line < 5; ++line) __builtin_prefetch(context + line * 64);
}

// Chooses the next lane of a wave that has one ready, and makes it the running thread.
Thread& Engine::take_lane(Wave& wave) {
  assert(wave.ready != 0);
  const int lane = lane_after(wave.last_lane, wave.ready);
  wave.last_lane = static_cast<std::uint8_t>(lane);
  Thread& thread = wave.threads[lane];
  if (thread.state == ThreadState::fresh) {
    thread.stack = thread_stacks_.take();
    thread.context = boost::context::detail::make_fcontext(thread_stacks_.top_of(thread.stack),
                                                           kThreadStackBytes, &Engine::thread_main);
    thread.state = ThreadState::ready;
  }
  prefetch_lanes_after(wave, lane);
  g_hot.thread = &thread;
  g_hot.actor = wave.actors == nullptr ? nullptr : wave.actors + lane;
  return thread;
}

// What the threads of a block may access without a closer look.
void Engine::enter_block(const Block& block) {
  g_hot.reachable = reachable_[block.launch->device];
  g_hot.first_window = window_region(block.launch->rank, 0);
}

void Engine::leave_block() {
  g_hot.reachable = host_reachable_;
  g_hot.first_window = kNoWindow;
  g_hot.shared_begin = g_hot.shared_bytes = 0;
}

void Engine::run_wave(Wave& wave) {
  do {
    enter_block(*wave.block);
    resume(take_lane(wave).context);
    Thread& last =
        *g_hot.thread;  // lanes hand over to each other: not always the one resumed above
    g_hot.thread = nullptr;
    g_hot.actor = nullptr;
    leave_block();
    if (last.state == ThreadState::done) {
      count_stop();
      end_stack(last);
      end_thread(last);  // may end the block, and `wave` with it: current_ is nullptr then
    } else if (wave.ready == 0) {
      runnable_.remove(&wave);
    }
  } while (current_ == &wave && wave.ready != 0 && next_lane_may_run());
}

Context Engine::after_waiting(Wave& wave) {
  return wave.ready == 0 || !next_lane_may_run() ? main_context_ : take_lane(wave).context;
}

void Engine::wait_in_wave(Thread& thread) { jump(after_waiting(*thread.wave), &thread.context); }

// All threads of a launch run the same code: the canaries of its first wave speak for the others,
// and spare those a cache miss each.
void Engine::end_stack(Thread& thread) {
  const bool is_first_wave = thread.wave->block->index == 0 && thread.index < 64;
  const bool intact = !is_first_wave || StackPool::canary_intact(thread.stack);
  thread_stacks_.give_back(thread.stack);
  if (intact) return;
  report(ReportKind::crash,
         text_of(id_of(thread)) + " overran its stack of " + std::to_string(kThreadStackBytes) +
             " bytes",
         {{0, id_of(thread)}});
}

void Engine::thread_main(Transfer from) {
  *static_cast<Context*>(from.data) = from.fctx;
  const Launch* const launch = g_hot.thread->wave->block->launch;
  launch->invoke(launch->storage);
  g_hot.thread->state = ThreadState::done;
  instance().yield();
}

void Engine::host_main(Transfer from) {
  *static_cast<Context*>(from.data) = from.fctx;
  Engine& engine = instance();
  HostRank* const host = engine.host_;
  engine.rank_main_(host->rank);
  host->finished = true;
  engine.runnable_.remove(host);
  engine.yield();
}

void Engine::yield() {
  restore_latest_value();
  jump(main_context_, running_slot());
}

void Engine::on_main_stack(const std::function<void()>& f) {
  if (g_hot.thread == nullptr && host_ == nullptr) return f();
  request_ = &f;
  yield();
}

void Engine::interrupt() {
  Thread* const thread = g_hot.thread;
  if (thread == nullptr || stopped_) return;
  if (const Context to = after_interrupt(*thread); to != nullptr) jump(to, &thread->context);
}

Context Engine::after_interrupt(const Thread& thread) {
  if (!next_lane_may_run()) return main_context_;
  const Thread& next = take_lane(*thread.wave);
  return &next == &thread ? nullptr : next.context;
}

bool Engine::wait_host(const char* what, const std::function<bool()>& ready) {
  HostRank& host = *host_;
  while (!stopped_ && !ready()) {
    host.awaits = ready;
    host.waits_in = what;
    ++progress_;  // whatever it wrote to pinned memory before is there now
    runnable_.remove(&host);
    yield();
  }
  host.awaits = nullptr;
  host.waits_in = "";
  return !stopped_;
}

void Engine::wake_hosts() {
  for (const std::unique_ptr<HostRank>& host : hosts_) {
    if (host->awaits && host->awaits()) {
      host->awaits = nullptr;
      runnable_.add(host.get());
    }
  }
}

// The run is over, but host code still holds memory and expects its calls to return: let it end.
void Engine::finish_hosts() {
  for (const std::unique_ptr<HostRank>& host : hosts_) {
    while (!host->finished) run_host(*host);
  }
}

bool Engine::host_barrier() {
  const std::uint32_t generation = host_barrier_generation_;
  if (++host_barrier_arrived_ == config_.devices) {
    host_barrier_arrived_ = 0;
    ++host_barrier_generation_;
    race_hosts_meet();
    wake_hosts();
    return !stopped_;
  }
  return wait_host("a barrier between ranks",
                   [this, generation] { return host_barrier_generation_ != generation; });
}

void Engine::note_progress(Thread* thread) {
  ++progress_;
  if (thread->spin == nullptr) return;
  thread->spin->reads_without_progress = 0;
  thread->spin->clock_reads = 0;
  thread->spin->backoff = 0;
}

void Engine::set_peer(int device, int peer, bool enabled) {
  const std::uint32_t bit = std::uint32_t{1} << peer;
  peers_[device] = enabled ? peers_[device] | bit : peers_[device] & ~bit;
  const std::uint32_t own = std::uint32_t{1} << device | std::uint32_t{1} << kSharedRegion;
  reachable_[device] = config_.separate_address_spaces ? own : peers_[device];
}

ThreadId id_of(const Thread& thread) {
  const Block& block = *thread.wave->block;
  return {block.launch->rank, static_cast<int>(block.index), static_cast<int>(thread.index),
          block.launch->op->step};
}

ThreadId current_id() {
  if (g_hot.thread != nullptr) return id_of(*g_hot.thread);
  if (const Op* const op = running_host_function(); op != nullptr) {
    return {op->stream->rank, -1, -1, op->step};
  }
  const HostRank* const host = Engine::instance().host();
  return host == nullptr ? ThreadId{} : ThreadId{host->rank, -1, -1, host->step};
}

SiteRef here(std::uintptr_t pc) { return {pc, current_id()}; }

std::string text_of(const ThreadId& id) {
  if (id.rank < 0) return "the harness";
  if (id.block < 0) return "the host of rank " + std::to_string(id.rank);
  return "thread " + std::to_string(id.thread) + " of block " + std::to_string(id.block) +
         " on rank " + std::to_string(id.rank);
}

}  // namespace rankle::sim
