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
#include "sim/race/race_report.h"
#include "sim/schedule.h"
#include "sim/stream.h"
#include "sim/thread.h"
#include "sim/watch.h"

namespace rankle::sim {

struct HostRank : Entity {
  int rank = 0;
  race::Thread* actor = nullptr;
  int device = 0;  // current device
  int step = -1;   // noted last; what it queues is of this step
  hipError_t last_error = hipSuccess;
  Context context = nullptr;
  char* stack = nullptr;
  std::function<bool()> awaits;  // set while blocked: true once it may go on
  const char* waits_in = "";     // for reports
  std::uint32_t streams = 0;     // created so far
  std::uint32_t launches = 0;
  bool polls = false;  // asks for a state again and again instead of waiting for it
  bool finished = false;
};

// A program counter and who was there, kept until the report is written.
struct SiteRef {
  std::uintptr_t pc = 0;
  ThreadId who;
};

// A report in the making: what it says, without its places.
struct Telling {
  ReportKind kind = ReportKind::api_error;
  Severity severity = Severity::error;
  std::string message;
  std::vector<std::string> details;
  std::vector<std::string> roles;
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
  void report(Telling telling, const std::vector<SiteRef>& sites);
  // The slice of plain accesses is used up: give way, and count towards the run's limit.
  void end_slice(std::uintptr_t pc);

  // Blocks the host rank until `ready` holds. False if the run was stopped.
  bool wait_host(const char* what, const std::function<bool()>& ready);
  // Lets others run after a host rank has asked for something that is not there yet: until an
  // operation has ended or nothing else can run.
  void poll_host(const char* what);
  HostRank* host() { return host_; }

  // Arrives, and says where to jump: nullptr if the thread may go on at once. Afterwards it calls
  // leave_barrier.
  Context arrive_at_barrier(Thread& thread, std::uintptr_t pc);
  static void leave_barrier(Thread& thread);
  // Waits until one thread of every block of the grid is here.
  void arrive_at_grid_barrier(Thread* thread, std::uintptr_t pc);
  // Waits for the other lanes that take part, and returns this lane's result (wave_ops.h).
  std::uint64_t join_wave_op(Thread* thread, WaveOp& op);
  // Virtual time in nanoseconds (clock.cpp). Reading it takes some; so a wait for it ends. Deciding
  // who runs takes none.
  std::uint64_t virtual_time() const { return g_hot.step - decisions_ + time_skipped_; }
  std::uint64_t read_clock(Thread* thread, std::uintptr_t pc);
  void sleep(Thread* thread, std::uint64_t nanoseconds, std::uintptr_t pc);
  // Ends the run with a `crash`: the device is lost. Does not return to a GPU thread.
  void crash(const std::string& what, std::uintptr_t pc);
  std::size_t thread_stack_bytes() const { return thread_stacks_.stack_bytes(); }
  bool spins(Thread* thread, std::uintptr_t word, int bytes, std::uint64_t value,
             std::uintptr_t pc);
  void park(Thread* thread);
  void note_progress(Thread* thread);
  // A write changed memory in this range: whoever waits for a word of it may go on.
  void wake_watchers(std::uintptr_t address, std::size_t bytes);
  void note_write(std::uintptr_t word, std::uint64_t value, std::uintptr_t pc);

  Stream* create_stream(HostRank& rank, unsigned flags);
  // A stream for one branch of an executable graph: a new one, or one that another graph had.
  Stream* make_branch(Stream* reused, int rank, int device, std::uint32_t index);
  // The live stream or event of a handle; nullptr if there is none. nullptr is the default stream
  // of the rank's device.
  Stream* find_stream(const HostRank& rank, hipStream_t handle);
  Event* create_event(const HostRank& rank, unsigned flags);
  Event* find_event(hipEvent_t handle);
  const std::vector<std::unique_ptr<Stream>>& streams() const { return streams_; }
  // A copy or fill that is queued or under way and touches the range; nullptr if none.
  const Op* pending_transfer(std::uintptr_t begin, std::size_t bytes) const;
  Stream* default_stream(int device);
  Op* enqueue(Stream* stream, Op op);
  Launch* keep(std::unique_ptr<Launch> launch);
  bool device_idle(int device) const;
  // The calling host has waited for the end of an operation (nullptr: of none), or of all on a
  // device: what they did happens before what it does next.
  void host_saw(const Op* op);
  void host_saw_device(int device);
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
  bool turn_goes_on();
  void take_decision();
  void start_lane_turn();
  bool next_lane_may_run();
  void count_decision(bool is_default);
  void count_stop();
  void interrupt_after(std::uint64_t steps);
  void run_entity(Entity* entity);
  void run_host(HostRank& host);
  void run_wave(Wave& wave);
  Thread& take_lane(Wave& wave);
  void enter_block(const Block& block);
  void leave_block();
  // The running thread waits: hands over to another lane of its wave, or gives way.
  void wait_in_wave(Thread& thread);
  // Whom a waiting thread of this wave hands over to.
  Context after_waiting(Wave& wave);
  // The same for one that could go on; nullptr: it does.
  Context after_interrupt(const Thread& thread);
  void resume(Context context);
  Context* running_slot();
  void run_stream(Stream& stream);
  void finish_hosts();
  void wake_hosts();
  bool resolve_stall();
  bool wake_polling_hosts(bool last_resort);
  void report_leaks();
  void report_deadlock();
  void report_leaving_hosts(std::vector<std::string>& details) const;

  void begin_weak_memory();
  std::uint64_t slice() const;
  void begin_races();
  void report_race(const race::RaceReport& found);
  void race_enqueue(Op& op);
  void race_op_begin(Op& op);
  void race_op_end(Op& op);
  void race_block_begin(Block& block);
  void race_block_end(Block& block);
  void race_rendezvous(const std::vector<Thread*>& threads);
  void race_hosts_meet();

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

  bool keeps_barrier_rule(const Thread& thread) const;
  void check_barrier_rule(Thread& thread);
  bool same_site(std::uintptr_t a, std::uintptr_t b);
  void report_divergence(const Thread& a, std::uintptr_t site_a, const Thread& b,
                         std::uintptr_t site_b);
  void report_exit_divergence(const Block& block, std::uint32_t waiting, std::uint32_t exited);
  void wave_arrives(Wave& wave);
  void complete_barrier(Block& block);
  void make_ready(Thread& thread);
  void unpark(Thread& thread);
  SpinRecord& spin_record(Thread& thread);
  void set_timer(Thread& thread, std::uint64_t nanoseconds);
  void drop_timer(const Thread& thread);
  void wake_sleepers();
  bool advance_time();
  bool complete_masked_op(Wave& wave, int lane);
  bool settle_wave(Wave& wave, bool final);
  bool settle_waves();
  void lane_left(Wave& wave);
  void complete_wave_op(Wave& wave, std::uint64_t lanes);
  void report_absent_source(const Wave& wave, int lane);
  void report_wave_divergence(const Wave& wave, int lane);
  bool same_op(const WaveOp& a, const WaveOp& b);

  static void thread_main(Transfer from);
  static void host_main(Transfer from);

  Config config_;
  std::function<void(int)> rank_main_;
  std::unique_ptr<Scheduler> scheduler_;
  Runnable runnable_;
  Entity* current_ = nullptr;
  std::uint64_t decisions_ = 0;   // steps that were decisions or stops, not switch points
  std::uint64_t turn_steps_ = 0;  // of each lane in the turn that goes on
  // Lanes of the current wave whose turn is still to come; kAnyLanes: they follow each other freely
  // until the steps are used up.
  static constexpr int kAnyLanes = -1;
  int lanes_left_ = kAnyLanes;
  bool give_way_ = false;  // the current entity used its slice up: let another one run
  bool stopped_ = false;
  Context main_context_ = nullptr;
  const std::function<void()>* request_ = nullptr;  // of the running fiber, for the main stack
  HostRank* host_ = nullptr;                        // the host rank that runs now

  std::vector<std::unique_ptr<HostRank>> hosts_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<Stream*> default_streams_;
  std::vector<std::unique_ptr<Event>> events_;
  std::deque<Op> ops_;
  std::vector<std::unique_ptr<Launch>> launches_;
  std::vector<Launch*> pending_[kDevicesMax];  // launches with blocks still to start
  int resident_[kDevicesMax] = {};
  std::uint32_t peers_[kDevicesMax] = {};  // regions that a device may access
  std::uint32_t host_reachable_ = 0;
  std::uint32_t reachable_[kDevicesMax] = {};  // those among them that need no closer look

  std::vector<std::unique_ptr<Block>> blocks_;  // all ever made
  std::vector<Block*> free_blocks_;
  std::vector<std::uintptr_t> shared_slots_;
  StackPool thread_stacks_;
  StackPool host_stacks_;
  std::deque<SpinRecord> spin_records_;
  std::size_t spin_records_used_ = 0;
  Watch watch_;
  std::vector<Thread*> parked_;
  struct Timer {
    std::uint64_t at = 0;
    Thread* thread = nullptr;
  };
  std::vector<Timer> timers_;  // in the order in which they were set
  std::uint64_t next_timer_ = ~std::uint64_t{0};
  std::uint64_t time_skipped_ = 0;

  struct LastWrite {
    std::uint64_t value = 0;
    SiteRef site;
  };
  std::unordered_map<std::uintptr_t, LastWrite> last_writes_;

  std::uint64_t progress_ = 0;
  std::uint64_t progress_at_stall_ = 0;
  bool stalled_once_ = false;
  std::uint64_t moment_of_poll_ = 0;  // progress and time at the last one
  int fruitless_polls_ = 0;
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
