// The execution hierarchy: a Launch has Blocks, a Block has Waves, a Wave has up to 64 Threads. A
// wave is what the scheduler picks; its lanes take turns inside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "hip/hip_vector_types.h"
#include "sim/entity.h"
#include "sim/fiber.h"

namespace rankle::sim {

struct Wave;
struct WaveOp;
struct Block;
struct Launch;
struct Op;

namespace race {
struct Block;
struct Thread;
}  // namespace race

inline constexpr int kSpinWords = 16;

// The last words that a thread has read while it waited, with the values it saw. Addresses are
// those of the words themselves; values are zero-extended.
struct SpinRecord {
  std::uintptr_t word[kSpinWords] = {};
  std::uint64_t value[kSpinWords] = {};
  std::uintptr_t site[kSpinWords] = {};
  std::uint8_t bytes[kSpinWords] = {};
  int used = 0;
  int oldest = 0;
  int reads_without_progress = 0;
  int park_after = 0;             // reads without progress after which the thread parks
  std::uint32_t clock_reads = 0;  // since the last progress: it may be waiting for a time
  std::uint8_t backoff = 0;       // how often it has been woken by the clock since then
  bool has_timer = false;         // parked, and woken by the clock at the latest
};

enum class ThreadState : std::uint8_t {
  fresh,
  ready,
  at_barrier,
  at_wave_op,
  at_grid_barrier,
  parked,
  asleep,
  done
};

// One cache line. A barrier that completes does not touch it: a lane that its wave calls ready is
// ready, whatever its state says until it runs.
struct alignas(64) Thread {
  Context context = nullptr;
  char* stack = nullptr;
  Wave* wave = nullptr;
  SpinRecord* spin = nullptr;       // nullptr until the first synchronising read
  WaveOp* wave_op = nullptr;        // what it waits in, while at_wave_op
  std::uintptr_t barrier_site = 0;  // where it waits, while at_barrier
  std::uint32_t index = 0;          // linear in the block
  std::uint32_t barriers = 0;       // block barriers reached so far
  ThreadState state = ThreadState::fresh;
  std::uint8_t lane = 0;
};

struct Wave : Entity {
  Block* block = nullptr;
  Thread* threads = nullptr;        // lanes
  race::Thread* actors = nullptr;   // of its lanes; nullptr: no race detection
  std::uint64_t ready = 0;          // lanes that can run
  std::uint64_t waiting = 0;        // lanes at a block barrier
  std::uint64_t exited = 0;         // lanes that have ended
  std::uint64_t in_op = 0;          // lanes that wait for others in a wave operation
  std::uintptr_t barrier_site = 0;  // of the lanes in `waiting` ...
  std::uint64_t barrier_hash = 0;   // of that site
  bool sites_differ = false;        // ... unless they wait at more than one
  std::uint8_t lanes = 0;
  std::uint8_t last_lane = 0;  // ran last; the next one up has its turn
  bool arrived = false;        // counted by the block's barrier
};

// State of the block's barrier. Phases are counted per block; the language rule compares per
// thread.
struct BlockBarrier {
  std::uint32_t waves_arrived = 0;
  std::uintptr_t first_site = 0;  // of the phase under way
  std::uint32_t first_thread = 0;
  std::uint32_t first_barriers = 0;  // of that thread
  std::uint32_t reached_max = 0;     // largest `barriers` of any thread
  bool phase_open = false;
  bool mismatch_reported = false;
  std::uint32_t voters = 0;       // of the phase under way: threads that bring a predicate ...
  std::uint32_t votes = 0;        // ... and those for which it holds
  std::uint32_t last_voters = 0;  // of the phase that completed last
  std::uint32_t last_votes = 0;
};

struct Block {
  Launch* launch = nullptr;
  std::vector<Wave> waves;
  std::vector<Thread> threads;
  BlockBarrier barrier;
  race::Block* race = nullptr;
  std::uintptr_t shared = 0;  // base of its shared memory
  std::uint32_t index = 0;    // linear in the grid
  std::uint32_t x = 0, y = 0, z = 0;
  std::uint32_t waves_exited = 0;
  std::uint32_t threads_exited = 0;
  std::uint32_t exited_barriers_min = 0;  // fewest barriers of any thread that has ended
  std::uint32_t exited_thread = 0;        // that thread
};

struct SharedVariable {
  const void* control = nullptr;  // the compiler's emulated-TLS control object
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
};

struct Launch {
  Op* op = nullptr;
  int rank = 0;
  int device = 0;
  std::uint32_t sequence = 0;  // of this rank's launches
  bool cooperative = false;    // all blocks are resident at once, or none
  dim3 grid;
  dim3 block;
  std::size_t dynamic_shared_bytes = 0;
  const void* kernel = nullptr;
  void (*invoke)(void*) = nullptr;
  void* storage = nullptr;
  void (*destroy)(void*) = nullptr;
  std::vector<SharedVariable> shared;
  std::uint32_t shared_bytes = 0;
  std::uint32_t blocks_total = 0;
  std::uint32_t blocks_started = 0;
  std::uint32_t blocks_ended = 0;
  std::vector<Block*> running;
  std::vector<Thread*> at_grid_barrier;  // one of each block that has arrived
};

// The GPU thread that runs now; nullptr while host code or the scheduler runs.
extern Thread* g_thread;

}  // namespace rankle::sim
