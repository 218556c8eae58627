// Joins of knowledge. Items are few (peers, flags), so sorted vectors beat hash maps; a join first
// looks whether anything is new, because most acquires of a spinning thread bring nothing.
#include "sim/race/knowledge.h"

#include <algorithm>

namespace rankle::sim::race {
namespace {

constexpr std::size_t kPooledMax = 4096;

template <typename T>
struct Pool {
  std::vector<T*> free;
  ~Pool() {
    for (T* object : free) delete object;
  }
};

template <typename T>
Pool<T>& pool() {
  static Pool<T>* const kept = new Pool<T>;  // references may outlive static destruction
  return *kept;
}

template <typename T>
T* take() {
  std::vector<T*>& free = pool<T>().free;
  if (free.empty()) return new T;
  T* const object = free.back();
  free.pop_back();
  return object;
}

template <typename T>
void give(T* object) {
  std::vector<T*>& free = pool<T>().free;
  if (free.size() < kPooledMax) {
    free.push_back(object);
  } else {
    delete object;
  }
}

std::uint32_t key(const FullItem& item) { return item.block; }
std::uint32_t key(const SparseItem& item) { return item.who; }
std::uint32_t& value(FullItem& item) { return item.phase; }
Clock& value(SparseItem& item) { return item.clock; }
std::uint32_t value(const FullItem& item) { return item.phase; }
Clock value(const SparseItem& item) { return item.clock; }

// First item at or behind a key. Linear while short.
template <typename Item>
auto find_from(const std::vector<Item>& items, std::uint32_t wanted) {
  if (items.size() <= 8) {
    auto it = items.begin();
    while (it != items.end() && key(*it) < wanted) ++it;
    return it;
  }
  return std::lower_bound(items.begin(), items.end(), wanted,
                          [](const Item& item, std::uint32_t k) { return key(item) < k; });
}

template <typename Item>
bool contains(const std::vector<Item>& mine, const std::vector<Item>& theirs) {
  auto m = mine.begin();
  for (const Item& t : theirs) {
    while (m != mine.end() && key(*m) < key(t)) ++m;
    if (m == mine.end() || key(*m) != key(t) || value(*m) < value(t)) return false;
  }
  return true;
}

template <typename Item>
void merge(std::vector<Item>& mine, const std::vector<Item>& theirs) {
  static std::vector<Item> scratch;
  scratch.clear();
  auto m = mine.begin();
  for (const Item& t : theirs) {
    while (m != mine.end() && key(*m) < key(t)) scratch.push_back(*m++);
    if (m != mine.end() && key(*m) == key(t)) {
      scratch.push_back(value(*m) < value(t) ? t : *m);
      ++m;
    } else {
      scratch.push_back(t);
    }
  }
  scratch.insert(scratch.end(), m, mine.end());
  mine.swap(scratch);
}

template <typename Item>
bool has(const std::vector<Item>& items, const Item& item) {
  const auto it = find_from(items, key(item));
  return it != items.end() && key(*it) == key(item) && value(*it) >= value(item);
}

template <typename Item>
void add(std::vector<Item>& items, const Item& item) {
  const auto at = items.begin() + (find_from(items, key(item)) - items.begin());
  if (at == items.end() || key(*at) != key(item)) {
    items.insert(at, item);
  } else if (value(*at) < value(item)) {
    value(*at) = value(item);
  }
}

bool contains(const Chains& mine, const Chains& theirs) {
  if (mine.done.size() < theirs.done.size()) return false;
  for (std::size_t i = 0; i < theirs.done.size(); ++i) {
    if (mine.done[i] < theirs.done[i]) return false;
  }
  return true;
}

void join_chains(ChainsRef& mine, const ChainsRef& theirs) {
  if (mine == theirs || contains(*mine, *theirs)) return;
  if (contains(*theirs, *mine)) {
    mine = theirs;
    return;
  }
  ChainsRef joined = ChainsRef::make();
  joined.own().done = mine->done;
  joined.own().done.resize(std::max(mine->done.size(), theirs->done.size()));
  for (std::size_t i = 0; i < theirs->done.size(); ++i) {
    joined.own().done[i] = std::max(joined.own().done[i], theirs->done[i]);
  }
  mine = std::move(joined);
}

// For a change that the caller makes at once, before anything is asked.
Knowledge& writable(KnowledgeRef& mine) {
  if (mine.is_shared()) mine = copy_of(*mine);
  mine.own().changed();
  return mine.own();
}

}  // namespace

Chains* Chains::fresh() { return take<Chains>(); }
void Chains::recycle(Chains* chains) {
  chains->done.clear();
  give(chains);
}

Knowledge::OfBlock Knowledge::answers_[kAnswers];
std::uint64_t Knowledge::versions_ = 0;

Knowledge* Knowledge::fresh() {
  Knowledge* const made = take<Knowledge>();
  made->changed();
  return made;
}
void Knowledge::recycle(Knowledge* knowledge) {
  knowledge->chains = {};
  knowledge->full.clear();
  knowledge->sparse.clear();
  give(knowledge);
}

std::uint32_t Knowledge::phase_known(std::uint32_t block) const {
  const auto it = find_from(full, block);
  return it != full.end() && it->block == block ? it->phase : 0;
}

Clock Knowledge::clock_known(Who who) const {
  const auto it = find_from(sparse, who);
  return it != sparse.end() && it->who == who ? it->clock : 0;
}

std::span<const SparseItem> Knowledge::known_of(std::uint32_t block) const {
  const auto first = find_from(sparse, who_of(block, 0));
  const auto last = find_from(sparse, who_of(block + 1, 0));
  return {first, last};
}

KnowledgeRef empty_knowledge() {
  KnowledgeRef made = KnowledgeRef::make();
  made.own().chains = ChainsRef::make();
  return made;
}

KnowledgeRef copy_of(const Knowledge& knowledge) {
  KnowledgeRef made = KnowledgeRef::make();
  Knowledge& copy = made.own();
  copy.chains = knowledge.chains;
  copy.full = knowledge.full;
  copy.sparse = knowledge.sparse;
  return made;
}

bool join(KnowledgeRef& mine, const Knowledge& theirs) {
  if (mine.get() == &theirs) return false;
  const bool chains = mine->chains == theirs.chains || contains(*mine->chains, *theirs.chains);
  const bool full = contains(mine->full, theirs.full);
  const bool sparse = contains(mine->sparse, theirs.sparse);
  if (chains && full && sparse) return false;
  Knowledge& joined = writable(mine);
  if (!chains) join_chains(joined.chains, theirs.chains);
  if (!full) merge(joined.full, theirs.full);
  if (!sparse) merge(joined.sparse, theirs.sparse);
  return true;
}

bool join(KnowledgeRef& mine, const Snapshot& theirs) {
  bool news = join(mine, *theirs.known);
  if (theirs.who == 0) return news;
  const FullItem block{block_of(theirs.who), phase_of(theirs.clock)};
  const SparseItem thread{theirs.who, theirs.clock | kWriteBit};
  if (block.phase > 0 && !has(mine->full, block)) {
    add(writable(mine).full, block);
    news = true;
  }
  if (!has(mine->sparse, thread)) {
    add(writable(mine).sparse, thread);
    news = true;
  }
  return news;
}

void add_completed(KnowledgeRef& mine, std::uint32_t chain, std::uint32_t sequence) {
  Knowledge& known = writable(mine);
  ChainsRef chains = ChainsRef::make();
  std::vector<std::uint32_t>& done = chains.own().done;
  done = known.chains->done;
  if (done.size() <= chain) done.resize(chain + 1);
  done[chain] = std::max(done[chain], sequence);
  known.chains = std::move(chains);
}

void drop_subsumed(KnowledgeRef& mine, const BlockTable& blocks, std::uint32_t own_block) {
  const auto needless = [&](std::uint32_t block) {
    return block == own_block || mine->completed(blocks[block]);
  };
  const auto needless_thread = [&](const SparseItem& item) {
    return needless(block_of(item.who)) ||
           phase_of(item.clock) < mine->phase_known(block_of(item.who));
  };
  const auto needless_block = [&](const FullItem& item) { return needless(item.block); };
  const bool any = std::any_of(mine->sparse.begin(), mine->sparse.end(), needless_thread) ||
                   std::any_of(mine->full.begin(), mine->full.end(), needless_block);
  if (!any) return;
  Knowledge& known = writable(mine);
  std::erase_if(known.sparse, needless_thread);
  std::erase_if(known.full, needless_block);
}

}  // namespace rankle::sim::race
