// What a flag carries: the latest atomic store to a word with all that its release sequence hands
// over, and the edges that did not hold, kept to explain a race later.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sim/race/epoch.h"
#include "sim/race/knowledge.h"

namespace rankle::sim::race {

// One head of a release sequence: whoever reads the flag and is reached acquires the snapshot.
struct Contribution {
  Snapshot known;
  Scope scope = Scope::system;
};

struct SyncRecord {
  unsigned mask = 0;          // bytes of the cell
  std::uint64_t version = 0;  // unique per atomic write
  // The write whose value is seen.
  Who writer = 0;
  SiteId site = 0;
  Order order = Order::relaxed;
  Scope scope = Scope::system;
  int latest_fence = -1;  // scope of the writer's latest release fence; -1: none
  // Of a relaxed read-modify-write that would hand on a sequence, if it and the write before it
  // reached each other: how far apart those are, and what the writer knew itself in C.
  Scope cut = Scope::wave;
  Snapshot known_at_cut;            // none: nothing was cut
  Snapshot seen;                    // D
  std::vector<Contribution> exact;  // C
};

// An atomic read that saw a write, where less than everything was handed over.
struct FailedEdge {
  std::uint64_t version = 0;
  std::uintptr_t address = 0;
  Who writer = 0;
  Who reader = 0;
  SiteId writer_site = 0;
  SiteId reader_site = 0;
  Order writer_order = Order::relaxed;
  Order reader_order = Order::relaxed;
  Scope writer_scope = Scope::system;
  Scope reader_scope = Scope::system;
  Scope distance = Scope::system;    // between the two threads
  bool is_unreached = false;         // by the scope of a flag access
  bool short_release_fence = false;  // a fence stands in for the order, but does not reach
  bool short_acquire_fence = false;
  bool lacks_release = false;
  bool lacks_acquire = false;
  bool is_mended = false;   // a later acquire completed it
  Scope cut = Scope::wave;  // as in the record
  Snapshot known_at_cut;
  bool scope_falls_short() const {
    return is_unreached || short_release_fence || short_acquire_fence;
  }
  // The access came to the writer by the sequence that was cut: releasing would not have helped.
  bool is_cut_off(const BlockInfo& info, Who who, Clock clock) const {
    return known_at_cut && !known_at_cut.covers(info, who, clock);
  }
  Clock reader_clock = 0;
  Snapshot seen;  // D at the write: what would have been handed over
};

// The latest failed edges of the run, newest last. Bounded: older ones are forgotten, and a race
// that needs them is reported without naming its edge.
class FailedEdges {
 public:
  static constexpr std::size_t kMax = 16384;

  std::uint64_t push(FailedEdge edge) {
    if (edges_.size() == kMax) {
      edges_.pop_front();
      ++first_;
    }
    edges_.push_back(std::move(edge));
    return first_ + edges_.size() - 1;
  }
  // nullptr if it has been forgotten.
  FailedEdge* at(std::uint64_t number) {
    return number < first_ ? nullptr : &edges_[number - first_];
  }
  const std::deque<FailedEdge>& all() const { return edges_; }
  void clear() {
    edges_.clear();
    first_ = 0;
  }

 private:
  std::deque<FailedEdge> edges_;
  std::uint64_t first_ = 0;
};

}  // namespace rankle::sim::race
