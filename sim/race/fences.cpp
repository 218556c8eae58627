// Fences, barriers, and how knowledge reaches a thread.
#include <algorithm>

#include "sim/race/detector.h"

namespace rankle::sim::race {
namespace {

// Private knowledge larger than this is cleaned when something is added.
constexpr std::size_t kSparseUncleaned = 64;

}  // namespace

void RaceDetector::mark_dirty(Thread& thread) {
  if (thread.is_dirty) return;
  thread.is_dirty = true;
  thread.block->dirty.push_back(&thread);
}

void RaceDetector::learn_exact(Thread& thread, const Snapshot& news) {
  if (!thread.own.exact) {
    KnowledgeRef known = thread.block->known.exact;
    if (!join(known, news)) return;
    thread.own.exact = std::move(known);
    mark_dirty(thread);
    return;
  }
  if (join(thread.own.exact, news) && thread.own.exact->sparse.size() > kSparseUncleaned) {
    drop_subsumed(thread.own.exact, blocks_, 0);
  }
}

void RaceDetector::learn_seen(Thread& thread, const Snapshot& news) {
  if (!thread.own.seen) {
    KnowledgeRef known = thread.block->known.seen;
    if (!join(known, news)) return;
    thread.own.seen = std::move(known);
    mark_dirty(thread);
    return;
  }
  if (join(thread.own.seen, news) && thread.own.seen->sparse.size() > kSparseUncleaned) {
    drop_subsumed(thread.own.seen, blocks_, 0);
  }
}

void RaceDetector::fence(Thread* thread, Order order, Scope scope) {
  if (acquires(order)) fence_acquires(*thread, scope);
  wave_fence(*thread, order);
  if (!releases(order)) return;
  ThreadSync& sync = sync_of(*thread);
  const int index = static_cast<int>(scope);
  for (int narrow = 0; narrow < index; ++narrow) sync.fences[narrow] = {};
  sync.fences[index] = exact_snapshot(*thread);
  sync.latest_fence = index;
  advance(*thread);
}

void RaceDetector::fence_acquires(Thread& thread, Scope scope) {
  if (thread.sync == nullptr) return;
  ThreadSync& sync = *thread.sync;
  for (int s = 0; s <= static_cast<int>(scope); ++s) {
    if (!sync.pending[s]) continue;
    learn_exact(thread, {sync.pending[s], 0, 0});
    sync.pending[s] = {};
  }
  std::erase_if(sync.open_edges, [&](std::uint64_t number) {
    FailedEdge* const edge = failed_.at(number);
    if (edge == nullptr) return true;
    if (edge->distance > scope) {
      edge->short_acquire_fence = true;
      return false;
    }
    // What the writer's own access did not release stays at fault.
    edge->lacks_acquire = edge->short_acquire_fence = false;
    edge->is_mended = !edge->lacks_release;
    return true;
  });
}

void RaceDetector::wave_fence(Thread& thread, Order order) {
  Block& block = *thread.block;
  const std::uint32_t index = thread_of(thread.who);
  if (releases(order)) {
    if (block.wave_published.empty()) block.wave_published.assign(block.size, 0);
    block.wave_published[index] = clock_now(thread) | kWriteBit;
  }
  if (acquires(order) && !block.wave_published.empty()) {
    const std::uint32_t first = index >> block.wave_shift << block.wave_shift;
    const std::uint32_t last = std::min(block.size, first + (1U << block.wave_shift));
    sync_of(thread).wave_seen.assign(block.wave_published.begin() + first,
                                     block.wave_published.begin() + last);
  }
}

bool RaceDetector::is_wave_fenced(const Thread& thread, const Stamp& old) const {
  if (thread.sync == nullptr) return false;
  const std::vector<Clock>& seen = thread.sync->wave_seen;
  const std::uint32_t lane = thread_of(old.who) & ((1U << thread.block->wave_shift) - 1);
  return lane < seen.size() && (old.clock | kWriteBit) <= seen[lane];
}

void RaceDetector::merge_threads(Block& block) {
  for (Thread* thread : block.dirty) {
    if (thread->own.exact) join(block.known.exact, *thread->own.exact);
    if (thread->own.seen) join(block.known.seen, *thread->own.seen);
    thread->own = {};
    thread->is_dirty = false;
  }
  if (block.dirty.empty()) return;
  block.dirty.clear();
  drop_subsumed(block.known.exact, blocks_, block.id);
  drop_subsumed(block.known.seen, blocks_, block.id);
}

void RaceDetector::barrier(Block* block) {
  merge_threads(*block);
  ++block->phase;
}

void RaceDetector::rendezvous(std::span<Thread* const> threads) {
  Clocks all{empty_knowledge(), empty_knowledge()};
  for (Thread* thread : threads) {
    join(all.exact, exact_snapshot(*thread));
    join(all.seen, seen_snapshot(*thread));
    advance(*thread);
  }
  for (Thread* thread : threads) {
    thread->own = all;
    mark_dirty(*thread);
  }
}

}  // namespace rankle::sim::race
