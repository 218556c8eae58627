// The race detector's yardstick: the same rules with a full vector clock for each thread, every
// access kept byte by byte, and nothing clever. Kept for ever as the other side of the differential
// test (tests/sim/race_differential_test.cpp); far too slow for kernels.
//
// What it must not share with the detector is the representation of order: no epochs, no phases, no
// launches, no shared knowledge. What it does share is the meaning of the words in detector.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <vector>

#include "sim/race/epoch.h"
#include "sim/race/race_report.h"

namespace rankle::sim::race {

// A race between two sites, in a form that can be compared. `edge` holds the sites of the writer
// and the reader of the flag, 0 if there is none.
struct FoundRace {
  std::uintptr_t earlier = 0;
  std::uintptr_t later = 0;
  RaceKind kind = RaceKind::data_race;
  Scope level = Scope::wave;
  std::uintptr_t edge_writer = 0;
  std::uintptr_t edge_reader = 0;

  friend auto operator<=>(const FoundRace&, const FoundRace&) = default;
};

class RaceReference {
 public:
  using Id = int;
  using Vector = std::vector<std::uint32_t>;  // by actor: its events that are known

  struct Edge {  // a token
    Vector exact, seen;
  };

  Id host_started();
  Id new_chain();
  Id op_begin(Id chain, int device, const std::vector<const Edge*>& after);
  Id op_actor(Id op);
  Id block_started(Id op, int threads, int wave);
  Id thread(Id block, int index) const { return blocks_[block].actors[index]; }
  void block_ended(Id) {}
  Edge op_ended(Id op);

  Edge release(Id actor);
  void acquire(Id actor, const Edge& edge);
  void rendezvous(const std::vector<Id>& actors);
  void barrier(Id block) { rendezvous(blocks_[block].actors); }
  void fence(Id actor, Order order, Scope scope);

  void access(Id actor, std::uintptr_t address, int bytes, bool is_write, std::uintptr_t pc);
  void atomic(Id actor, std::uintptr_t address, int bytes, bool reads, bool writes, Order order,
              Scope scope, std::uintptr_t pc);
  void reset(std::uintptr_t address, std::size_t bytes);

  // Whether a plain access now would race with none before it (C).
  bool is_ordered(Id actor, std::uintptr_t address, int bytes, bool is_write) const;

  const std::set<FoundRace>& found() const { return found_; }

 private:
  struct Head {
    Id who;
    Vector exact;
    Scope scope;
  };
  struct Write {  // an atomic one
    Id who;
    std::uintptr_t pc;
    Order order;
    Scope scope;
    int latest_fence;
    std::uint64_t number;
    Vector seen;
    std::vector<Head> heads;
    bool is_cut;          // relaxed, and hands on no sequence because the scopes do not reach
    Vector known_at_cut;  // what the writer knew itself
  };
  using WriteRef = std::shared_ptr<const Write>;
  struct Fence {
    Vector exact;
    Scope scope;
    std::uint32_t time;    // of the thread
    std::uint64_t moment;  // of the program
  };
  struct Actor {
    Vector exact, seen;
    Id block, op;
    int device, wave;
    std::vector<Fence> release_fences;
    std::uint64_t acquire_fence = 0;  // moment of the latest
    std::vector<Head> pending;
    std::set<std::tuple<std::uint64_t, Order, Scope>> read;
  };
  struct Access {
    Id who;
    std::uint32_t time;
    bool is_write, is_atomic;
    std::uintptr_t pc;
  };
  struct Failed {
    WriteRef write;
    Id reader;
    std::uint32_t time;  // of the reader
    std::uintptr_t pc;
    bool is_unreached, short_release, short_acquire, lacks_release, lacks_acquire, is_mended;
  };
  struct Block {
    std::vector<Id> actors;
  };
  struct Op {
    Id chain;
    int device;
    Edge begin;
    std::vector<Id> actors;
    Id actor = -1;
  };

  Id add_actor(Id op, Id block, int wave);
  std::uint32_t tick(Id actor);
  Scope distance(Id a, Id b) const;
  bool is_fenced(Id earlier, std::uint32_t time, Id later) const;
  void check(Id actor, std::uintptr_t address, int bytes, const Access& access);
  void judge(const Access& earlier, const Access& later);
  const Failed* edge_at_fault(const Access& earlier, Id later) const;
  void observe(Id actor, const WriteRef& write, Order order, Scope scope, std::uintptr_t pc);
  void mend(Id actor, std::uint64_t number);

  std::vector<Actor> actors_;
  std::vector<Block> blocks_;
  std::vector<Op> ops_;
  std::vector<Edge> chains_;
  std::map<std::uintptr_t, std::vector<Access>> history_;  // by byte
  std::map<std::uintptr_t, WriteRef> flags_;               // by byte
  std::vector<Failed> failed_;
  std::uint64_t moment_ = 0;
  std::set<FoundRace> found_;
};

}  // namespace rankle::sim::race
