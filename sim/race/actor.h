// Who acts: operations of a stream, their blocks and threads, and the hosts. A copy and a host are
// blocks of one thread. Storage of blocks is used again; their ids are not.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/race/epoch.h"
#include "sim/race/knowledge.h"

namespace rankle::sim::race {

// The two clocks. C holds the edges that the language grants; in D every flag value that was seen
// synchronises, whatever its order or scope.
struct Clocks {
  KnowledgeRef exact;  // C
  KnowledgeRef seen;   // D
};

// An edge in the making at system scope: what its source knew in both clocks. Hand it to acquire()
// or to op_begin(); keep it as long as the stream, event or host may still need it.
struct Token {
  Snapshot exact;
  Snapshot seen;
  explicit operator bool() const { return static_cast<bool>(exact); }
};

struct OpStart {
  std::uint32_t chain = 0;  // from new_chain(); operations of a chain run one after another
  int rank = 0;
  int device = 0;
  std::uint64_t tag = 0;  // the caller's own, comes back in reports
};

struct Op {
  OpStart start;
  std::uint32_t index = 0;
  std::uint32_t sequence = 0;
  Clocks begin;                   // what its threads start with
  Clocks end;                     // what its blocks that have ended knew
  struct Block* actor = nullptr;  // of a copy or a host
};

// What a thread has read of a flag; reading the same again brings nothing.
struct Seen {
  std::uint64_t version = 0;
  Order order = Order::relaxed;
  Scope scope = Scope::wave;
};

inline constexpr int kSeenMax = 8;

// State that only threads with fences or flags have.
struct ThreadSync {
  Snapshot fences[kScopes];               // latest release fences by scope, narrower ones newer
  int latest_fence = -1;                  // scope of the latest release fence
  KnowledgeRef pending[kScopes];          // read relaxed, by the scope that an acquire fence needs
  std::vector<std::uint64_t> open_edges;  // failed edges that a later acquire may mend
  Seen seen[kSeenMax];
  int seen_next = 0;
  std::vector<Clock> wave_seen;  // released by fences of the lanes, as of the latest acquire fence
};

struct Thread {
  struct Block* block = nullptr;
  Who who = 0;
  std::uint32_t count_phase = 0;  // phase that `count` belongs to
  std::uint32_t count = 0;        // releases in that phase
  bool is_dirty = false;          // in the block's list
  Clocks own;                     // private knowledge; empty: the block's
  std::unique_ptr<ThreadSync> sync;
};

struct Block {
  std::uint32_t id = 0;
  std::uint32_t phase = 0;
  bool is_running = false;
  Op* op = nullptr;
  int device = -1;
  std::uint8_t wave_shift = 0;
  Clocks known;                 // of every thread of the block
  std::vector<Thread> threads;  // never shrinks; the first `size` are in use
  std::uint32_t size = 0;
  std::vector<Thread*> dirty;         // with private knowledge
  std::vector<Clock> wave_published;  // by fences of each thread; empty before the first fence
};

inline Clock clock_now(const Thread& thread) {
  const std::uint32_t phase = thread.block->phase;
  return clock_of(phase, thread.count_phase == phase ? thread.count : 0);
}

// Accesses from here on are not covered by what has been published so far.
inline void advance(Thread& thread) {
  const std::uint32_t phase = thread.block->phase;
  thread.count = thread.count_phase == phase ? thread.count + 1 : 1;
  thread.count_phase = phase;
}

inline ThreadSync& sync_of(Thread& thread) {
  if (thread.sync == nullptr) thread.sync = std::make_unique<ThreadSync>();
  return *thread.sync;
}

inline const KnowledgeRef& exact_of(const Thread& thread) {
  return thread.own.exact ? thread.own.exact : thread.block->known.exact;
}
inline const KnowledgeRef& seen_of(const Thread& thread) {
  return thread.own.seen ? thread.own.seen : thread.block->known.seen;
}

inline Snapshot exact_snapshot(const Thread& thread) {
  return {exact_of(thread), thread.who, clock_now(thread) | kWriteBit};
}
inline Snapshot seen_snapshot(const Thread& thread) {
  return {seen_of(thread), thread.who, clock_now(thread) | kWriteBit};
}

}  // namespace rankle::sim::race
