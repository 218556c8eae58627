// What a thread knows to have happened: launches completed per chain, whole phases of blocks, and
// single threads of blocks. Immutable while shared: a release hands out a reference, and whoever
// learns more afterwards copies first.
//
// The three-part form follows DESIGN ("Happens-before"); it is a vector clock that exploits that
// GPU threads mostly synchronise by launches and by whole blocks.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sim/race/epoch.h"

namespace rankle::sim::race {

// Where a block instance belongs; kept for the whole run, also after the block has ended.
struct BlockInfo {
  std::uint32_t chain = 0;
  std::uint32_t sequence = 0;  // of its launch in the chain, from 1; the host's is never completed
  std::uint32_t op = 0;        // index of the operation
  std::uint32_t index = 0;     // in the grid
  std::int16_t device = -1;    // -1: a host
  std::uint8_t wave_shift = 0;
};

// Records by block instance. Ids run on from run to run, so that a shadow entry of an earlier run
// can be told by its id alone.
class BlockTable {
 public:
  const BlockInfo& operator[](std::uint32_t id) const { return infos_[id - first_]; }
  void restart(std::uint32_t first) {
    first_ = first;
    infos_.clear();
  }
  std::uint32_t add(const BlockInfo& info) {
    infos_.push_back(info);
    return first_ + static_cast<std::uint32_t>(infos_.size()) - 1;
  }
  std::uint32_t next() const { return first_ + static_cast<std::uint32_t>(infos_.size()); }

 private:
  std::uint32_t first_ = 1;
  std::vector<BlockInfo> infos_;
};

// Intrusive counted reference to a pooled object. One OS thread: no atomics.
template <typename T>
class Ref {
 public:
  Ref() = default;
  Ref(const Ref& other) : object_(other.object_) {
    if (object_ != nullptr) ++object_->references;
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr && --object_->references == 0) T::recycle(object_);
  }

  static Ref make() {
    Ref made;
    made.object_ = T::fresh();
    made.object_->references = 1;
    return made;
  }

  explicit operator bool() const { return object_ != nullptr; }
  bool is_shared() const { return object_->references > 1; }
  const T* get() const { return object_; }
  const T& operator*() const { return *object_; }
  const T* operator->() const { return object_; }
  // Only the sole owner may change the object.
  T& own() { return *object_; }
  friend bool operator==(const Ref& a, const Ref& b) { return a.object_ == b.object_; }

 private:
  T* object_ = nullptr;
};

// Completed launches: done[chain] is the largest sequence number known to be complete.
struct Chains {
  std::uint32_t references = 0;
  std::vector<std::uint32_t> done;

  static Chains* fresh();
  static void recycle(Chains* chains);
};
using ChainsRef = Ref<Chains>;

struct FullItem {
  std::uint32_t block;
  std::uint32_t phase;  // all accesses of the block in phases below this one are known
};

struct SparseItem {
  Who who;
  Clock clock;
};

struct Knowledge {
  std::uint32_t references = 0;
  std::uint64_t version = 0;  // of the contents: unique over all objects and changes
  ChainsRef chains;
  std::vector<FullItem> full;      // by block
  std::vector<SparseItem> sparse;  // by who

  bool completed(const BlockInfo& info) const {
    const std::vector<std::uint32_t>& done = chains->done;
    return info.chain < done.size() && done[info.chain] >= info.sequence;
  }
  std::uint32_t phase_known(std::uint32_t block) const;             // 0: nothing
  Clock clock_known(Who who) const;                                 // 0: nothing
  std::span<const SparseItem> known_of(std::uint32_t block) const;  // single threads

  // What is known of a block as a whole. Threads of a block mostly share one record and ask about
  // the same few blocks: the latest answers are kept.
  struct OfBlock {
    std::uint64_t version = 0;
    std::uint32_t block = 0;
    std::uint32_t phase = 0;  // known below this one; all of them if the launch has completed
  };
  const OfBlock& of_block(const BlockInfo& info, std::uint32_t block) const {
    OfBlock& answer = answers_[(version * 31 + block) % kAnswers];
    if (answer.version != version || answer.block != block) {
      answer = {version, block, completed(info) ? ~std::uint32_t{0} : phase_known(block)};
    }
    return answer;
  }

  // Whether an access is known, its own thread and block apart.
  bool knows(const BlockInfo& info, Who who, Clock clock) const {
    if (phase_of(clock) < of_block(info, block_of(who)).phase) return true;
    return !sparse.empty() && (clock | kWriteBit) <= clock_known(who);
  }

  // To be called after each change.
  void changed() { version = ++versions_; }

  static Knowledge* fresh();
  static void recycle(Knowledge* knowledge);

 private:
  static constexpr std::size_t kAnswers = 512;
  static OfBlock answers_[kAnswers];
  static std::uint64_t versions_;
};
using KnowledgeRef = Ref<Knowledge>;

KnowledgeRef empty_knowledge();
KnowledgeRef copy_of(const Knowledge& knowledge);

// What a thread published at a release: its knowledge then, plus itself up to the clock and its
// block up to the clock's phase. who == 0: the knowledge alone.
struct Snapshot {
  KnowledgeRef known;
  Who who = 0;
  Clock clock = 0;

  explicit operator bool() const { return static_cast<bool>(known); }
  // Whether an access happens before whoever acquires this.
  bool covers(const BlockInfo& info, Who other, Clock at) const {
    if (block_of(other) == block_of(who) && phase_of(at) < phase_of(clock)) return true;
    return (other == who && at <= clock) || known->knows(info, other, at);
  }
};

// Adds to `mine` what it lacks; copies first if others share it. True if anything was new.
bool join(KnowledgeRef& mine, const Knowledge& theirs);
bool join(KnowledgeRef& mine, const Snapshot& theirs);
// Notes that a launch has completed, and with it all before it in its chain.
void add_completed(KnowledgeRef& mine, std::uint32_t chain, std::uint32_t sequence);
// Drops what completed launches or whole phases say already, and all on one block (0: none).
void drop_subsumed(KnowledgeRef& mine, const BlockTable& blocks, std::uint32_t own_block);

}  // namespace rankle::sim::race
