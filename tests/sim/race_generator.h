// Random programs for the race detector. Plays hosts, streams, kernels and threads in a random
// order; threads prefer a few words, so that flags are seen and data is shared. Careful programs
// ask the reference before an access and mostly leave out what would race: without that nearly all
// pairs race, and order that is long and thin is hardly tested.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "sim/layout.h"
#include "tests/sim/race_players.h"
#include "tests/sim/race_program.h"

namespace rankle::sim::race::testing {

// Small, fast, and the same everywhere (splitmix64).
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
  int between(int low, int high) { return low + below(high - low + 1); }
  bool percent(int p) { return below(100) < p; }

 private:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  std::uint64_t state_;
};

// Sixteen bytes of data and of flags each: one cell, or halves of two on either side of a page.
inline constexpr std::uintptr_t kData = kBase + 0x2000;
inline constexpr std::uintptr_t kFlags = kBase + 0x4000;

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : dice_(seed) {}

  Program make() {
    devices_ = dice_.between(1, 3);
    discipline_ = dice_.below(3) * 45;
    wide_scopes_ = dice_.below(3) * 45;
    counters_ = dice_.below(3) * 45;
    careful_ = dice_.percent(30) ? 100 : dice_.below(3) * 48;
    data_ = dice_.percent(50) ? kData : kData - 8;
    flags_ = dice_.percent(50) ? kFlags : kFlags - 8;
    crowds_ = dice_.percent(25) ? 12 : 0;
    const int hosts = dice_.between(1, 2);
    for (int h = 0; h < hosts; ++h) hosts_.push_back(add_actor({EventKind::host}));
    for (int d = 0; d < devices_; ++d) {
      for (int n = dice_.between(1, 2); n > 0; --n) {
        emit({EventKind::chain});
        streams_.push_back({static_cast<int>(streams_.size()), d, {}, -1});
      }
    }
    const int steps = dice_.between(20, 160);
    for (int i = 0; i < steps; ++i) step();
    return std::move(program_);
  }

 private:
  struct Lane {
    int actor;
    int budget;
    bool waits;
  };
  struct RunningBlock {
    int block;
    int wave;
    std::vector<Lane> lanes;
  };
  struct Stream {
    int chain;
    int device;
    std::deque<std::vector<int>> queue;  // tokens of what an operation comes behind
    int op;                              // running; -1: none
    std::vector<RunningBlock> blocks = {};
  };

  void emit(Event event) {
    shadowing_.play(event);
    program_.push_back(std::move(event));
  }
  int add_actor(Event event) {
    emit(std::move(event));
    return actors_++;
  }
  int add_token(Event event) {
    emit(std::move(event));
    return tokens_++;
  }

  void step() {
    const int what = dice_.below(100);
    Stream& stream = streams_[dice_.below(static_cast<int>(streams_.size()))];
    if (what < 12) return host_step();
    if (stream.op < 0) return begin_op(stream);
    if (stream.blocks.empty()) return end_op(stream);
    const int index = dice_.below(static_cast<int>(stream.blocks.size()));
    for (int burst = dice_.between(1, 4); burst > 0; --burst) {
      block_step(stream, index);
      if (index >= static_cast<int>(stream.blocks.size())) return;
    }
  }

  void host_step() {
    const int host = hosts_[dice_.below(static_cast<int>(hosts_.size()))];
    Stream& stream = streams_[dice_.below(static_cast<int>(streams_.size()))];
    const int what = dice_.below(100);
    if (what < 50) {
      std::vector<int> after = {add_token({EventKind::release, host})};
      // Sometimes a launch forgets the host's edge: ordered by its stream alone.
      if (dice_.percent(20)) after.clear();
      if (!ended_.empty() && dice_.percent(30)) after.push_back(any_ended());
      stream.queue.push_back(std::move(after));
    } else if (what < 75) {
      if (!ended_.empty()) emit({EventKind::acquire, host, any_ended()});
    } else if (what < 82) {
      Event event{EventKind::rendezvous};
      event.list = hosts_;
      emit(std::move(event));
    } else if (what < 84) {
      Event event{EventKind::reset};
      event.address = dice_.percent(50) ? data_ : flags_;
      event.bytes = 8;
      emit(std::move(event));
    } else {
      thread_event(host);
    }
  }

  int any_ended() { return ended_[dice_.below(static_cast<int>(ended_.size()))]; }

  void begin_op(Stream& stream) {
    Event event{EventKind::op_begin, stream.chain, stream.device};
    if (!stream.queue.empty()) {
      event.list = stream.queue.front();
      stream.queue.pop_front();
    } else if (dice_.percent(50)) {
      return;
    }
    emit(std::move(event));
    stream.op = ops_++;
    if (dice_.percent(25)) {  // a copy
      const int actor = add_actor({EventKind::op_actor, stream.op});
      for (int n = dice_.between(1, 2); n > 0; --n) plain_access(actor, dice_.percent(60));
      return;
    }
    const int wave = 1 << dice_.below(3);
    for (int n = dice_.between(1, 2); n > 0; --n) {
      const int threads = crowds_ > 0 ? dice_.between(1, 9) : dice_.between(1, 5);
      emit({EventKind::block_start, stream.op, threads, wave});
      RunningBlock block{blocks_++, wave, {}};
      for (int t = 0; t < threads; ++t) {
        block.lanes.push_back({actors_++, dice_.between(1, 9), false});
      }
      stream.blocks.push_back(std::move(block));
    }
  }

  void end_op(Stream& stream) {
    ended_.push_back(add_token({EventKind::op_end, stream.op}));
    stream.op = -1;
  }

  void block_step(Stream& stream, int index) {
    RunningBlock& block = stream.blocks[index];
    bool all_done = true;
    bool all_wait = true;
    for (const Lane& lane : block.lanes) {
      all_done = all_done && lane.budget == 0;
      all_wait = all_wait && (lane.waits || lane.budget == 0);
    }
    if (all_done) {
      emit({EventKind::block_end, block.block});
      stream.blocks.erase(stream.blocks.begin() + index);
      return;
    }
    if (all_wait) {
      emit({EventKind::barrier, block.block});
      for (Lane& lane : block.lanes) lane.waits = false;
      return;
    }
    Lane& lane = block.lanes[dice_.below(static_cast<int>(block.lanes.size()))];
    if (lane.waits || lane.budget == 0) return;
    --lane.budget;
    if (dice_.percent(crowds_)) return crowd_step(block);
    if (dice_.percent(14)) {
      lane.waits = true;
    } else if (dice_.percent(3)) {
      lanes_meet(block);
    } else {
      thread_event(lane.actor);
    }
  }

  // Many threads read one word, as they do a counter or a table of pointers; some of them then tell
  // others, each for itself. Or one writes it, with order behind all of them or without.
  void crowd_step(const RunningBlock& block) {
    const bool careful = dice_.percent(careful_);
    Event event{dice_.percent(15) ? EventKind::write : EventKind::read};
    event.bytes = dice_.percent(80) ? 4 : dice_.percent(50) ? 2 : 8;
    event.address = data_ + static_cast<unsigned>(dice_.percent(80) ? 0 : 4);
    if (event.bytes == 8) event.address = data_;
    event.site = program_.size() + 1;
    if (event.kind == EventKind::write) {
      event.a = block.lanes[dice_.below(static_cast<int>(block.lanes.size()))].actor;
      if (!careful || shadowing_.is_ordered(event)) emit(std::move(event));
      return;
    }
    const bool tells = dice_.percent(40);
    for (const Lane& lane : block.lanes) {
      if (lane.budget == 0 || dice_.percent(10)) continue;
      event.a = lane.actor;
      if (careful && !shadowing_.is_ordered(event)) continue;
      emit(event);
      if (tells && dice_.percent(80)) tell(lane.actor);
    }
    if (tells && dice_.percent(70)) listen(block.lanes[0].actor);
  }

  // A release through a flag of many writers.
  void tell(int actor) {
    Event event{EventKind::rmw, actor};
    event.order = Order::acq_rel;
    event.bytes = 4;
    event.address = flags_;
    place(std::move(event));
  }

  void listen(int actor) {
    Event event{EventKind::load, actor};
    event.order = Order::acquire;
    event.bytes = 4;
    event.address = flags_;
    place(std::move(event));
  }

  void lanes_meet(const RunningBlock& block) {
    Event event{EventKind::rendezvous};
    const int first = dice_.below(static_cast<int>(block.lanes.size())) / block.wave * block.wave;
    for (int t = first; t < first + block.wave && t < static_cast<int>(block.lanes.size()); ++t) {
      event.list.push_back(block.lanes[t].actor);
    }
    emit(std::move(event));
  }

  void thread_event(int actor) {
    const int what = dice_.below(100);
    if (what < 40) return plain_access(actor, dice_.percent(50));
    Event event;
    event.a = actor;
    event.scope = dice_.percent(wide_scopes_) ? Scope::system : Scope(dice_.below(4));
    if (what < 52) {
      event.kind = EventKind::fence;
      event.order = dice_.percent(40) ? Order::seq_cst : Order(dice_.between(1, 4));
      return emit(std::move(event));
    }
    event.kind = what < 68 ? EventKind::store : what < 88 ? EventKind::load : EventKind::rmw;
    if (event.kind == EventKind::store && dice_.percent(counters_)) event.kind = EventKind::rmw;
    event.order = Order(dice_.below(5));
    if (dice_.percent(discipline_)) {
      event.order = event.kind == EventKind::store  ? Order::release
                    : event.kind == EventKind::load ? Order::acquire
                                                    : Order::acq_rel;
    }
    const bool is_wide = dice_.percent(10);
    event.bytes = is_wide ? 8 : 4;
    event.address = (dice_.percent(careful_ == 100 ? 1 : 6) ? data_ : flags_) +
                    static_cast<unsigned>(is_wide ? 8 * dice_.below(2) : 4 * dice_.below(4));
    place(std::move(event));
  }

  void plain_access(int actor, bool is_write) {
    Event event{is_write ? EventKind::write : EventKind::read, actor};
    const int log = dice_.below(5);
    event.bytes = 1 << log;
    event.address = (dice_.percent(careful_ == 100 ? 1 : 5) ? flags_ : data_) +
                    static_cast<unsigned>(dice_.below(16) >> log << log);
    if (dice_.percent(5)) event.bytes = dice_.between(1, 16);  // a range that is not aligned
    if (dice_.percent(careful_) && !shadowing_.is_ordered(event)) return;
    place(std::move(event));
  }

  void place(Event event) {
    event.site = program_.size() + 1;
    emit(std::move(event));
  }

  Dice dice_;
  int devices_ = 1;
  int discipline_ = 0;   // percent of flag accesses with the order they need
  int wide_scopes_ = 0;  // percent of them at system scope
  int counters_ = 0;     // percent of flag writes that are read-modify-writes
  int careful_ = 0;      // percent of plain accesses that are left out if they would race
  int crowds_ = 0;       // percent of a block's steps in which many of its threads read one word
  std::uintptr_t data_ = 0;
  std::uintptr_t flags_ = 0;
  Program program_;
  ReferencePlayer shadowing_;
  std::vector<Stream> streams_;
  std::vector<int> hosts_;
  std::vector<int> ended_;  // tokens of operations that have ended
  int actors_ = 0;
  int tokens_ = 0;
  int ops_ = 0;
  int blocks_ = 0;
};

}  // namespace rankle::sim::race::testing
