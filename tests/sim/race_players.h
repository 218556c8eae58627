// Plays a program on the race detector and on its reference, and collects what each of them finds.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "sim/race/detector.h"
#include "sim/race/reference.h"
#include "tests/sim/race_program.h"

namespace rankle::sim::race::testing {

class DetectorPlayer {
 public:
  // `before_groups`: RaceOptions::reads_before_groups.
  DetectorPlayer(RaceDetector& detector, std::size_t before_groups) : detector_(detector) {
    const auto sink = [this](const RaceReport& r) {
      found.insert({r.earlier.pc, r.later.pc, r.kind, r.level, r.edge ? r.edge->writer.who.pc : 0,
                    r.edge ? r.edge->reader.who.pc : 0});
    };
    detector_.begin_run(sink,
                        {.once = false, .stamps_exact = 256, .reads_before_groups = before_groups});
  }

  void play(const Event& e) {
    if (e.kind >= EventKind::fence) return act(e);
    switch (e.kind) {
      case EventKind::host:
        actors_.push_back(detector_.host_started(0));
        break;
      case EventKind::chain:
        chains_.push_back(detector_.new_chain());
        break;
      case EventKind::op_begin: {
        std::vector<const Token*> after;
        for (const int token : e.list) after.push_back(&tokens_[token]);
        ops_.push_back(detector_.op_begin({chains_[e.a], 0, e.b, 0}, after));
        break;
      }
      case EventKind::op_actor:
        actors_.push_back(detector_.op_actor(ops_[e.a]));
        break;
      case EventKind::block_start:
        blocks_.push_back(detector_.block_started(ops_[e.a], 0, static_cast<std::uint32_t>(e.b),
                                                  static_cast<std::uint32_t>(e.c)));
        for (int t = 0; t < e.b; ++t) {
          actors_.push_back(detector_.thread(blocks_.back(), static_cast<std::uint32_t>(t)));
        }
        break;
      case EventKind::block_end:
        detector_.block_ended(blocks_[e.a]);
        break;
      case EventKind::op_end:
        tokens_.push_back(detector_.op_ended(ops_[e.a]));
        break;
      case EventKind::release:
        tokens_.push_back(detector_.release(actors_[e.a]));
        break;
      case EventKind::acquire:
        detector_.acquire(actors_[e.a], tokens_[e.b]);
        break;
      case EventKind::rendezvous: {
        std::vector<Thread*> meeting;
        for (const int actor : e.list) meeting.push_back(actors_[actor]);
        detector_.rendezvous(meeting);
        break;
      }
      default:
        detector_.barrier(blocks_[e.a]);
    }
  }

  std::set<FoundRace> found;

 private:
  void act(const Event& e) {
    const auto bytes = static_cast<std::size_t>(e.bytes);
    if (e.kind == EventKind::reset) return detector_.reset(e.address, bytes);
    Thread* const thread = actors_[e.a];
    if (e.kind == EventKind::fence) return detector_.fence(thread, e.order, e.scope);
    if (e.kind == EventKind::read) return detector_.read(thread, e.address, bytes, e.site);
    if (e.kind == EventKind::write) return detector_.write(thread, e.address, bytes, e.site);
    if (e.kind == EventKind::load) {
      detector_.atomic_load(thread, e.address, bytes, e.order, e.scope, e.site);
    } else if (e.kind == EventKind::store) {
      detector_.atomic_store(thread, e.address, bytes, e.order, e.scope, e.site);
    } else {
      detector_.atomic_rmw(thread, e.address, bytes, e.order, e.scope, e.site);
    }
  }

  RaceDetector& detector_;
  std::vector<Thread*> actors_;
  std::vector<Op*> ops_;
  std::vector<Block*> blocks_;
  std::vector<Token> tokens_;
  std::vector<std::uint32_t> chains_;
};

class ReferencePlayer {
 public:
  void play(const Event& e) {
    if (e.kind >= EventKind::fence) return act(e);
    switch (e.kind) {
      case EventKind::host:
        actors_.push_back(reference_.host_started());
        break;
      case EventKind::chain:
        chains_.push_back(reference_.new_chain());
        break;
      case EventKind::op_begin: {
        std::vector<const RaceReference::Edge*> after;
        for (const int token : e.list) after.push_back(&tokens_[token]);
        ops_.push_back(reference_.op_begin(chains_[e.a], e.b, after));
        break;
      }
      case EventKind::op_actor:
        actors_.push_back(reference_.op_actor(ops_[e.a]));
        break;
      case EventKind::block_start:
        blocks_.push_back(reference_.block_started(ops_[e.a], e.b, e.c));
        for (int t = 0; t < e.b; ++t) actors_.push_back(reference_.thread(blocks_.back(), t));
        break;
      case EventKind::block_end:
        break;
      case EventKind::op_end:
        tokens_.push_back(reference_.op_ended(ops_[e.a]));
        break;
      case EventKind::release:
        tokens_.push_back(reference_.release(actors_[e.a]));
        break;
      case EventKind::acquire:
        reference_.acquire(actors_[e.a], tokens_[e.b]);
        break;
      case EventKind::rendezvous: {
        std::vector<int> meeting;
        for (const int actor : e.list) meeting.push_back(actors_[actor]);
        reference_.rendezvous(meeting);
        break;
      }
      default:
        reference_.barrier(blocks_[e.a]);
    }
  }

  const std::set<FoundRace>& found() const { return reference_.found(); }
  bool is_ordered(const Event& e) const {
    return reference_.is_ordered(actors_[e.a], e.address, e.bytes, e.kind == EventKind::write);
  }

 private:
  void act(const Event& e) {
    if (e.kind == EventKind::reset) {
      return reference_.reset(e.address, static_cast<std::size_t>(e.bytes));
    }
    const int actor = actors_[e.a];
    if (e.kind == EventKind::fence) return reference_.fence(actor, e.order, e.scope);
    if (e.kind == EventKind::read || e.kind == EventKind::write) {
      return reference_.access(actor, e.address, e.bytes, e.kind == EventKind::write, e.site);
    }
    reference_.atomic(actor, e.address, e.bytes, e.kind != EventKind::store,
                      e.kind != EventKind::load, e.order, e.scope, e.site);
  }

  RaceReference reference_;
  std::vector<int> actors_, ops_, blocks_, chains_;
  std::vector<RaceReference::Edge> tokens_;
};

inline std::set<FoundRace> found_by_detector(
    RaceDetector& detector, const Program& program,
    std::size_t before_groups = RaceOptions{}.reads_before_groups) {
  DetectorPlayer player(detector, before_groups);
  for (const Event& event : program) player.play(event);
  return player.found;
}

inline std::set<FoundRace> found_by_reference(const Program& program) {
  ReferencePlayer player;
  for (const Event& event : program) player.play(event);
  return player.found();
}

}  // namespace rankle::sim::race::testing
