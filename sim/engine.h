// The engine of a run: host ranks, streams and waves under one scheduler. One OS thread; every
// piece of simulated code is a fiber, and the scheduler lives on the OS thread's own stack.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "hip/hip_runtime_api.h"
#include "sim/fiber.h"
#include "sim/hot.h"
#include "sim/machine.h"
#include "sim/memory.h"
#include "sim/schedule.h"
#include "sim/stream.h"
#include "sim/thread.h"
#include "sim/watch.h"

namespace rankle::sim {

struct HostRank : Entity {
  int rank = 0;
  int device = 0;  // current device
  hipError_t last_error = hipSuccess;
  Context context = nullptr;
  char* stack = nullptr;
  std::function<bool()> awaits;  // set while blocked: true once it may go on
  const char* waits_in = "";     // for reports
  std::uint32_t streams = 0;     // created so far
  std::uint32_t launches = 0;
  bool finished = false;
};

// A program counter and who was there, kept until the report is written.
struct SiteRef {
  std::uintptr_t pc = 0;
  ThreadId who;
};

class Engine {
 public:
  // Made at the first use, and never destroyed: fibers refer to it until the process ends.
  static Engine& instance() { return instance_ != nullptr ? *instance_ : make_instance(); }

  Result run(const Config& config, const std::function<void(int)>& rank_main);

  // --- called from fibers ---

  // A place at which the schedule may change. Inlined part in hot.h.
  void interrupt();
  // Gives way; the caller has already left the ready state or stays ready.
  void yield();
  // Runs f on the scheduler's stack, where there is room for a symboliser.
  void on_main_stack(const std::function<void()>& f);
  // Adds a report (sites are symbolised here). Does not return to a GPU thread if the run stops.
  void report(ReportKind kind, std::string message, const std::vector<SiteRef>& sites,
              std::vector<std::string> details = {});
  // The slice of plain accesses is used up: give way, and count towards the run's limit.
  void end_slice(std::uintptr_t pc);

  // Blocks the host rank until `ready` holds. False if the run was stopped.
  bool wait_host(const char* what, std::function<bool()> ready);
  HostRank* host() { return host_; }

  void arrive_at_barrier(Thread* thread, std::uintptr_t pc);
  bool spins(Thread* thread, std::uintptr_t word, int bytes, std::uint64_t value,
             std::uintptr_t pc);
  void park(Thread* thread);
  void note_progress(Thread* thread);
  // A write changed memory in this range: whoever waits for a word of it may go on.
  void wake_watchers(std::uintptr_t address, std::size_t bytes);
  void note_write(std::uintptr_t word, std::uint64_t value, std::uintptr_t pc);

  Stream* create_stream(HostRank& rank, unsigned flags);
  Stream* default_stream(int device);
  Op* enqueue(Stream* stream, Op op);
  Launch* keep(std::unique_ptr<Launch> launch);
  bool stream_idle(const Stream* stream) const;
  bool device_idle(int device) const;
  void stream_may_run(Stream* stream);

  bool is_stopped() const { return stopped_; }
  const Config& config() const { return config_; }
  std::uint32_t peer_mask(int device) const { return peers_[device]; }
  void set_peer(int device, int peer, bool enabled);
  bool host_barrier();

 private:
  static Engine& make_instance();
  static Engine* instance_;

  Engine();
  void reset(const Config& config);
  void loop();
  void run_entity(Entity* entity);
  void run_host(HostRank& host);
  void run_wave(Wave& wave);
  void run_stream(Stream& stream);
  void finish_hosts();
  void wake_hosts();
  bool resolve_stall();
  void report_deadlock();
  void report_leaving_hosts(std::vector<std::string>& details) const;

  void start_launch(Launch& launch);
  void start_blocks(int device);
  void start_block(Launch& launch);
  void end_block(Block& block);
  void end_op(Op& op);
  void end_thread(Thread& thread);
  void end_stack(Thread& thread);
  void prepare_block(Block& block, Launch& launch, std::uint32_t index);
  Block* take_block();
  std::uintptr_t take_shared_slot();

  void check_barrier_rule(Thread& thread);
  bool same_site(std::uintptr_t a, std::uintptr_t b);
  void report_divergence(const Thread& a, std::uintptr_t site_a, const Thread& b,
                         std::uintptr_t site_b);
  void report_exit_divergence(const Block& block, std::uint32_t waiting, std::uint32_t exited);
  void wave_arrives(Wave& wave);
  void complete_barrier(Block& block);
  void make_ready(Thread& thread);
  void unpark(Thread& thread);

  static void thread_main(Transfer from);
  static void host_main(Transfer from);

  Config config_;
  std::function<void(int)> rank_main_;
  std::unique_ptr<Scheduler> scheduler_;
  Runnable runnable_;
  Entity* current_ = nullptr;
  bool give_way_ = false;  // the current entity used its slice up: let another one run
  bool stopped_ = false;
  Context main_context_ = nullptr;
  HostRank* host_ = nullptr;  // the host rank that runs now

  std::vector<std::unique_ptr<HostRank>> hosts_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<Stream*> default_streams_;
  std::deque<Op> ops_;
  std::vector<std::unique_ptr<Launch>> launches_;
  std::vector<Launch*> pending_[kDevicesMax];  // launches with blocks still to start
  int resident_[kDevicesMax] = {};
  std::uint32_t peers_[kDevicesMax] = {};

  std::vector<std::unique_ptr<Block>> blocks_;  // all ever made
  std::vector<Block*> free_blocks_;
  std::vector<std::uintptr_t> shared_slots_;
  StackPool thread_stacks_;
  StackPool host_stacks_;
  std::deque<SpinRecord> spin_records_;
  std::size_t spin_records_used_ = 0;
  Watch watch_;
  std::vector<Thread*> parked_;

  struct LastWrite {
    std::uint64_t value = 0;
    SiteRef site;
  };
  std::unordered_map<std::uintptr_t, LastWrite> last_writes_;

  std::uint64_t progress_ = 0;
  std::uint64_t progress_at_stall_ = 0;
  bool stalled_once_ = false;
  std::uint32_t host_barrier_generation_ = 0;
  int host_barrier_arrived_ = 0;
  Result result_;
};

ThreadId id_of(const Thread& thread);
ThreadId current_id();
SiteRef here(std::uintptr_t pc);
// "thread 3 of block 0 on rank 1", "the host of rank 2"
std::string text_of(const ThreadId& id);

}  // namespace rankle::sim
