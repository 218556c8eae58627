// The happens-before detector: finds pairs of accesses to one byte, one of them a write, that
// nothing orders. It knows ids and events only, no kernels, so that random programs can drive it.
//
// Algorithm (DESIGN, "Happens-before"). An access is remembered as an epoch: block instance,
// thread, barrier phase g of the block, release count c of the thread. What a thread knows is in
// three parts: launches completed per chain; full[b] = G, all phases of block b below G; sparse
// (b, t) -> (g, c). An access happens before thread u if it is u's own, its launch is complete for
// u, g < full_u[b], or (g, c) <= sparse_u[b, t]. A release hands out a reference to the releaser's
// knowledge, with its own (g, c), and c grows. An acquire changes the acquiring thread alone; a
// barrier joins the block's threads, g grows, c starts over. A thread that has learned nothing of
// its own points at its block's record.
//
// Each thread has two such clocks. C holds what the language grants: release and acquire, fences,
// release sequences through read-modify-writes, each within its scope. In D every flag value that
// was seen synchronises. Unordered in D is a data-race; ordered in D only is the fault of an edge,
// looked up among the edges that failed: the latest one that leads from the one access to the
// other.
//
// Scopes follow PTX's "morally strong": an edge holds only if the scopes of both flag accesses and
// of the fences in use reach the other thread, and a release sequence goes on through a
// read-modify-write only if that access and the write it reads reach each other.
//
// Shared memory belongs to one block at a time; what an earlier block did there counts for nothing.
//
// Which earlier accesses are kept: an access is forgotten once a later one to the same bytes is
// ordered (in C) behind it and conflicts with at least as much: a write forgets reads and writes, a
// read forgets reads, and an atomic access forgets atomic accesses only. A race with a forgotten
// access is a race with its successor too. Reads of one cell by many threads are kept by groups
// (read_groups.h). Where one cell has many groups or atomic accesses (RaceOptions::stamps_exact),
// those that may be forgotten are so later, and which of several racing ones is named depends on
// that; that there is a race does not.
//
// Departures from C++20: no order comes from seq_cst beyond acquire and release (happens-before
// lacks nothing by that); two atomic accesses never race, whatever their scopes or widths; a read
// of several flags in one word synchronises with the writer of each byte. From DESIGN: knowledge
// in private copies is cleaned at barriers, operations and when it grows, not at each acquire; all
// atomic writes count c up, because D publishes at each; failed edges are kept for the run, not for
// a thread, since the thread that fails to acquire is often not the one that reads the data.
// Fences order accesses of two lanes of one wave, pair by pair (the earlier lane released, the
// later acquired, by fences of any scope): that is how code for lockstep waves is written. This
// order is not passed on to others.
//
// Cost: no allocation per access; each cell of 16 bytes is one cache line of shadow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <unordered_set>
#include <vector>

#include "sim/layout.h"
#include "sim/race/actor.h"
#include "sim/race/epoch.h"
#include "sim/race/knowledge.h"
#include "sim/race/race_report.h"
#include "sim/race/shadow.h"
#include "sim/race/site_table.h"
#include "sim/race/sync_record.h"

namespace rankle::sim::race {

struct RaceOptions {
  // A pair of sites is reported once as a race and once as a hand-off (of either kind).
  bool once = true;
  // Up to this many groups of reads, or atomic accesses, of one cell each access looks at all of
  // them; longer lists are cleaned as they double. Every thread of a grid may read one word.
  std::size_t stamps_exact = 16;
  // Plain reads of a cell that is full go into groups once so many of them overlap the next one.
  std::size_t reads_before_groups = 16;
};

// One at a time per process may be in a run: the shadow memory is shared. Not thread-safe.
class RaceDetector {
 public:
  RaceDetector();

  // Forgets everything. Pointers and tokens of earlier runs are invalid from here on.
  void begin_run(RaceSink sink, const RaceOptions& options = {});

  // --- who acts ---

  // The host code of a rank; lives until the run ends.
  Thread* host_started(int rank);
  // A new chain of operations: a stream, or a branch of a graph.
  std::uint32_t new_chain();
  // An operation (kernel, copy, fill) begins: behind its predecessor in the chain, which must have
  // ended, and behind the tokens in `after` (enqueueing, events, other streams).
  Op* op_begin(const OpStart& start, std::span<const Token* const> after);
  // The thread that performs a copy or fill.
  Thread* op_actor(Op* op);
  // A block of a kernel. `threads` is 1 to 1024, `wave` a power of two. Throws std::runtime_error
  // if the ids for blocks run out (about two million in one run).
  Block* block_started(Op* op, std::uint32_t index, std::uint32_t threads, std::uint32_t wave);
  Thread* thread(Block* block, std::uint32_t index) { return &block->threads[index]; }
  // All threads have ended. The pointers to the block and its threads are invalid from here on.
  void block_ended(Block* block);
  // All blocks have ended. The token is what the completion of the operation hands over.
  Token op_ended(Op* op);

  // --- edges at system scope, for hosts and streams ---

  Token release(Thread* thread);
  void acquire(Thread* thread, const Token& token);
  // All of these threads meet: hosts at a barrier, or the lanes of a wave.
  void rendezvous(std::span<Thread* const> threads);

  // --- inside a kernel ---

  // The block's barrier completes, for all of its threads.
  void barrier(Block* block);
  void fence(Thread* thread, Order order, Scope scope);

  // --- accesses; addresses that have no shadow are ignored (of a mapping that shows another
  // --- device's memory, give the owner's address) ---

  void read(Thread* thread, std::uintptr_t address, std::size_t bytes, std::uintptr_t pc) {
    access<false>(*thread, address, bytes, pc);
  }
  void write(Thread* thread, std::uintptr_t address, std::size_t bytes, std::uintptr_t pc) {
    access<true>(*thread, address, bytes, pc);
  }
  // Call after the value has been read, before the thread goes on: the latest write to the word in
  // the order of the calls is the one that is seen. A compare-exchange that fails is a load.
  void atomic_load(Thread* thread, std::uintptr_t address, std::size_t bytes, Order order,
                   Scope scope, std::uintptr_t pc);
  void atomic_store(Thread* thread, std::uintptr_t address, std::size_t bytes, Order order,
                    Scope scope, std::uintptr_t pc);
  void atomic_rmw(Thread* thread, std::uintptr_t address, std::size_t bytes, Order order,
                  Scope scope, std::uintptr_t pc);

  // Whether an access happens before what the thread does next, as the language has it (clock C).
  bool happens_before(const Stamp& access, const Thread& thread) const {
    return is_ordered(thread, access);
  }

  // Memory freed, or given out anew: its accesses and flags are forgotten.
  void reset(std::uintptr_t address, std::size_t bytes) { shadow_.reset(address, bytes); }

 private:
  // An access under way, as far as one cell is concerned.
  struct Probe {
    Thread& thread;
    Stamp stamp;
    std::uintptr_t address;  // of the cell
    std::uint32_t oldest;    // block from which on stamps of the cell count
    bool is_atomic;
  };
  enum class AtomicKind { load, store, rmw };
  struct Chain {
    std::uint32_t sequence = 0;  // of the latest operation
    Clocks tail;                 // after it
  };

  template <bool kWrite>
  void access(Thread& thread, std::uintptr_t address, std::size_t bytes, std::uintptr_t pc);
  template <bool kWrite>
  void access_cell(Thread& thread, std::uintptr_t cell_address, unsigned mask, SiteId site,
                   Clock clock);
  template <bool kWrite>
  void access_long(Thread& thread, std::uintptr_t address, std::size_t bytes, std::uintptr_t pc);
  void access_extra(const Probe& probe, Cell& cell);
  static bool is_empty(const Probe& probe, const Cell& cell);
  static std::size_t overlapping_reads(const Probe& probe, const Cell& cell,
                                       const CellExtra& extra);
  Stamp* check_stamps(const Probe& probe, std::span<Stamp> stamps);
  void check_lists(const Probe& probe, CellLists& lists);
  void check_list(const Probe& probe, StampList& list, bool are_atomic);
  void check_stamp(const Probe& probe, Stamp& old, bool is_old_atomic);
  template <typename MakeProbe>
  void check_stamp(const Thread& thread, unsigned mask, bool writes, bool is_atomic, Stamp& old,
                   bool is_old_atomic, const MakeProbe& probe);
  void add_to_list(const Probe& probe, StampList& list);
  bool is_large(const StampList& list) const { return list.items.size() > options_.stamps_exact; }
  void clean_list(const Thread& thread, StampList& list);
  std::uint32_t oldest_at(const Thread& thread, std::uintptr_t address) const {
    return address >= kSharedBase ? thread.block->id : first_block_;
  }
  static bool is_live(const Probe& probe, const Stamp& stamp) {
    return block_of(stamp.who) >= probe.oldest;
  }
  bool is_ordered(const Thread& thread, const Stamp& old) const;

  bool join_settled(const Probe& probe, ReadGroups& reads);
  void join_readers(const Probe& probe, const Cell& cell, CellExtra& extra);
  bool is_settled(const Probe& probe, const Cell& cell, const CellExtra& extra) const;
  void group_reads(const Probe& probe, Cell& cell, CellExtra& extra);
  void check_readers(const Probe& probe, ReadGroups& reads);
  bool check_group(const Probe& probe, ReadGroups& reads, std::size_t index, unsigned common);
  bool is_ordered(const Thread& thread, const ReadGroup& group) const;
  ThreadSet ordered_threads(const Thread& thread, const ReadGroup& group) const;

  void atomic_access(Thread& thread, std::uintptr_t address, std::size_t bytes, AtomicKind kind,
                     Order order, Scope scope, std::uintptr_t pc);
  void observe(Thread& thread, const SyncRecord& record, std::uintptr_t address, Order order,
               Scope scope, SiteId site);
  void take_exact(Thread& thread, const SyncRecord& record, Order order, Scope scope);
  void note_failed(Thread& thread, const SyncRecord& record, std::uintptr_t address, Order order,
                   Scope scope, SiteId site);
  void mend(Thread& thread, std::uint64_t version);
  void publish(Thread& thread, std::vector<SyncRecord>& records, unsigned mask, AtomicKind kind,
               Order order, Scope scope, SiteId site);
  bool take_over_sequence(const Thread& thread, const SyncRecord& old, Scope scope,
                          SyncRecord& next) const;
  Scope distance(Who a, Who b) const;
  void fence_acquires(Thread& thread, Scope scope);
  void wave_fence(Thread& thread, Order order);
  bool is_wave_fenced(const Thread& thread, const Stamp& old) const;

  void learn_exact(Thread& thread, const Snapshot& news);
  void learn_seen(Thread& thread, const Snapshot& news);
  void mark_dirty(Thread& thread);
  Clocks clocks_of(const Token& token) const;
  void merge_threads(Block& block);
  Block* take_block();

  __attribute__((noinline, cold)) void conflict(const Probe& probe, const Stamp& old,
                                                bool is_old_atomic);
  bool is_seen_ordered(const Thread& thread, Who who, Clock clock) const;
  const FailedEdge* edge_at_fault(const Thread& thread, const Stamp& old) const;
  bool is_first(SiteId earlier, SiteId later, RaceKind kind);
  Party party(Who who, SiteId site) const;
  void deliver();

  Shadow& shadow_;
  std::uint32_t first_block_ = 1;
  BlockTable blocks_;
  SiteTable sites_;
  FailedEdges failed_;
  std::uint64_t versions_ = 0;

  std::vector<Chain> chains_;  // 0 belongs to the hosts and never completes
  std::deque<Op> ops_;
  std::vector<std::unique_ptr<Block>> all_blocks_;
  std::vector<Block*> free_blocks_;

  RaceSink sink_;
  RaceOptions options_;
  std::unordered_set<std::uint64_t> reported_;
  std::vector<RaceReport> found_;  // by the access under way, to be delivered at its end
};

}  // namespace rankle::sim::race

#include "sim/race/access_path.h"
