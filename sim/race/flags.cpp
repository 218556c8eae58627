// Atomic accesses: what a read of a flag hands over, and what a write publishes.
#include <algorithm>

#include "sim/race/detector.h"

namespace rankle::sim::race {

Scope RaceDetector::distance(Who a, Who b) const {
  const std::uint32_t block_a = block_of(a);
  const std::uint32_t block_b = block_of(b);
  const BlockInfo& info_a = blocks_[block_a];
  if (block_a == block_b) {
    const bool one_wave = thread_of(a) >> info_a.wave_shift == thread_of(b) >> info_a.wave_shift;
    return one_wave ? Scope::wave : Scope::block;
  }
  const bool one_device = info_a.device >= 0 && info_a.device == blocks_[block_b].device;
  return one_device ? Scope::device : Scope::system;
}

void RaceDetector::atomic_load(Thread* thread, std::uintptr_t address, std::size_t bytes,
                               Order order, Scope scope, std::uintptr_t pc) {
  atomic_access(*thread, address, bytes, AtomicKind::load, order, scope, pc);
}

void RaceDetector::atomic_store(Thread* thread, std::uintptr_t address, std::size_t bytes,
                                Order order, Scope scope, std::uintptr_t pc) {
  atomic_access(*thread, address, bytes, AtomicKind::store, order, scope, pc);
}

void RaceDetector::atomic_rmw(Thread* thread, std::uintptr_t address, std::size_t bytes,
                              Order order, Scope scope, std::uintptr_t pc) {
  atomic_access(*thread, address, bytes, AtomicKind::rmw, order, scope, pc);
}

void RaceDetector::atomic_access(Thread& thread, std::uintptr_t address, std::size_t bytes,
                                 AtomicKind kind, Order order, Scope scope, std::uintptr_t pc) {
  if (address - kBase >= kShadowedSpan) return;
  const SiteId site = sites_.intern(pc);
  const Clock clock = clock_now(thread) | (kind == AtomicKind::load ? 0 : kWriteBit);
  const std::uintptr_t end = address + bytes;
  for (std::uintptr_t at = address; at < end;) {
    const unsigned first = at & (kCellBytes - 1);
    const auto length = static_cast<unsigned>(std::min<std::size_t>(kCellBytes - first, end - at));
    const unsigned mask = byte_mask(first, length);
    Cell& cell = Shadow::cell_of(at);
    shadow_.touch(at);
    access_extra({thread,
                  {thread.who, site_mask_of(site, mask), clock},
                  at - first,
                  oldest_at(thread, at),
                  true},
                 cell);
    std::vector<SyncRecord>& records = shadow_.extra_of(cell).lists->records;
    if (kind != AtomicKind::store) {
      for (const SyncRecord& record : records) {
        if ((record.mask & mask) != 0) observe(thread, record, at, order, scope, site);
      }
    }
    if (kind != AtomicKind::load) publish(thread, records, mask, kind, order, scope, site);
    at += length;
  }
  if (!found_.empty()) deliver();
}

void RaceDetector::observe(Thread& thread, const SyncRecord& record, std::uintptr_t address,
                           Order order, Scope scope, SiteId site) {
  ThreadSync& sync = sync_of(thread);
  for (const Seen& seen : sync.seen) {
    if (seen.version == record.version && seen.order == order && seen.scope == scope) return;
  }
  sync.seen[sync.seen_next] = {record.version, order, scope};
  sync.seen_next = (sync.seen_next + 1) % kSeenMax;

  take_exact(thread, record, order, scope);
  learn_seen(thread, record.seen);
  if (record.writer == thread.who) return;
  const Scope apart = distance(record.writer, thread.who);
  const bool reaches = apart <= narrower(record.scope, scope);
  if (reaches && releases(record.order) && acquires(order)) {
    mend(thread, record.version);
  } else {
    note_failed(thread, record, address, order, scope, site);
  }
}

void RaceDetector::take_exact(Thread& thread, const SyncRecord& record, Order order, Scope scope) {
  if (distance(record.writer, thread.who) > narrower(record.scope, scope)) return;
  for (const Contribution& head : record.exact) {
    const Scope apart = distance(head.known.who, thread.who);
    if (apart > narrower(head.scope, scope)) continue;
    if (acquires(order)) {
      learn_exact(thread, head.known);
      continue;
    }
    // An acquire fence that reaches the head's thread completes it.
    KnowledgeRef& pending = sync_of(thread).pending[static_cast<int>(apart)];
    if (!pending) pending = empty_knowledge();
    join(pending, head.known);
  }
}

void RaceDetector::note_failed(Thread& thread, const SyncRecord& record, std::uintptr_t address,
                               Order order, Scope scope, SiteId site) {
  FailedEdge edge;
  edge.version = record.version;
  edge.address = address;
  edge.writer = record.writer;
  edge.reader = thread.who;
  edge.writer_site = record.site;
  edge.reader_site = site;
  edge.writer_order = record.order;
  edge.reader_order = order;
  edge.writer_scope = record.scope;
  edge.reader_scope = scope;
  edge.distance = distance(record.writer, thread.who);
  const bool reaches = edge.distance <= narrower(record.scope, scope);
  edge.is_unreached = !reaches;
  edge.short_release_fence = !releases(record.order) && record.latest_fence >= 0 &&
                             record.latest_fence < static_cast<int>(edge.distance);
  edge.cut = record.cut;
  edge.known_at_cut = record.known_at_cut;
  edge.lacks_release = !releases(record.order);
  edge.lacks_acquire = !acquires(order);
  edge.reader_clock = clock_now(thread) | kWriteBit;
  edge.seen = record.seen;
  const bool may_be_mended = reaches && edge.lacks_acquire;
  const std::uint64_t number = failed_.push(std::move(edge));
  if (may_be_mended) sync_of(thread).open_edges.push_back(number);
}

// The thread has acquired, after all, what this write published.
void RaceDetector::mend(Thread& thread, std::uint64_t version) {
  std::erase_if(thread.sync->open_edges, [&](std::uint64_t number) {
    FailedEdge* const edge = failed_.at(number);
    if (edge == nullptr) return true;
    if (edge->version != version) return false;
    edge->is_mended = true;
    return true;
  });
}

// Adds what `old` hands on through a read-modify-write by the thread. False if the sequence breaks,
// because the two accesses do not reach each other.
bool RaceDetector::take_over_sequence(const Thread& thread, const SyncRecord& old, Scope scope,
                                      SyncRecord& next) const {
  if (distance(old.writer, thread.who) > narrower(old.scope, scope)) return false;
  for (const Contribution& head : old.exact) {
    const bool is_own_older = head.known.who == thread.who &&
                              std::any_of(next.exact.begin(), next.exact.end(), [&](const auto& c) {
                                return c.known.who == thread.who && c.scope >= head.scope &&
                                       c.known.clock >= head.known.clock;
                              });
    if (!is_own_older) next.exact.push_back(head);
  }
  return true;
}

void RaceDetector::publish(Thread& thread, std::vector<SyncRecord>& records, unsigned mask,
                           AtomicKind kind, Order order, Scope scope, SiteId site) {
  // Heads in one word's sequence; one more and those whose knowledge is no news to the writer go.
  constexpr std::size_t kHeadsMax = 64;
  SyncRecord next;
  next.mask = mask;
  next.version = ++versions_;
  next.writer = thread.who;
  next.site = site;
  next.order = order;
  next.scope = scope;
  next.seen = seen_snapshot(thread);
  if (thread.sync != nullptr) next.latest_fence = thread.sync->latest_fence;
  if (releases(order)) {
    next.exact.push_back({exact_snapshot(thread), scope});
  } else if (thread.sync != nullptr) {
    for (int s = 0; s < kScopes; ++s) {
      const Snapshot& fence = thread.sync->fences[s];
      if (fence) next.exact.push_back({fence, narrower(static_cast<Scope>(s), scope)});
    }
  }
  if (kind == AtomicKind::rmw) {
    for (const SyncRecord& old : records) {
      if ((old.mask & mask) == 0) continue;
      const bool is_taken = take_over_sequence(thread, old, scope, next);
      if (releases(order) || (is_taken && !old.known_at_cut)) continue;
      next.cut = std::max({next.cut, old.cut, distance(old.writer, thread.who)});
      if (!next.known_at_cut) next.known_at_cut = exact_snapshot(thread);
      if (old.known_at_cut) join(next.known_at_cut.known, old.known_at_cut);
    }
    if (next.exact.size() > kHeadsMax && releases(order)) {
      const Knowledge& known = *exact_of(thread);
      std::erase_if(next.exact, [&](const Contribution& head) {
        const Who who = head.known.who;
        return who != thread.who && head.scope <= scope &&
               known.knows(blocks_[block_of(who)], who, head.known.clock);
      });
    }
  }
  for (SyncRecord& old : records) old.mask &= ~mask;
  std::erase_if(records, [](const SyncRecord& record) { return record.mask == 0; });
  records.push_back(std::move(next));
  advance(thread);
}

}  // namespace rankle::sim::race
