// Full vector clocks, by the book. Every rule is written in its plainest form.
#include "sim/race/reference.h"

#include <algorithm>

namespace rankle::sim::race {
namespace {

using Vector = RaceReference::Vector;

void join(Vector& mine, const Vector& theirs) {
  if (mine.size() < theirs.size()) mine.resize(theirs.size());
  for (std::size_t i = 0; i < theirs.size(); ++i) mine[i] = std::max(mine[i], theirs[i]);
}

std::uint32_t known(const Vector& vector, int actor) {
  const auto at = static_cast<std::size_t>(actor);
  return at < vector.size() ? vector[at] : 0;
}

}  // namespace

RaceReference::Id RaceReference::add_actor(Id op, Id block, int wave) {
  const Id id = static_cast<Id>(actors_.size());
  Actor actor;
  actor.exact = ops_[op].begin.exact;
  actor.seen = ops_[op].begin.seen;
  actor.op = op;
  actor.block = block;
  actor.device = ops_[op].device;
  actor.wave = wave;
  actors_.push_back(actor);
  ops_[op].actors.push_back(id);
  blocks_[block].actors.push_back(id);
  tick(id);
  return id;
}

std::uint32_t RaceReference::tick(Id actor) {
  Actor& a = actors_[actor];
  Vector own(actor + 1);
  own[actor] = known(a.exact, actor) + 1;
  join(a.exact, own);
  join(a.seen, own);
  ++moment_;
  return own[actor];
}

RaceReference::Id RaceReference::host_started() {
  ops_.push_back({-1, -1, {}, {}, -1});
  return op_actor(static_cast<Id>(ops_.size()) - 1);
}

RaceReference::Id RaceReference::new_chain() {
  chains_.emplace_back();
  return static_cast<Id>(chains_.size()) - 1;
}

RaceReference::Id RaceReference::op_begin(Id chain, int device,
                                          const std::vector<const Edge*>& after) {
  Op op{chain, device, chains_[chain], {}, -1};
  for (const Edge* edge : after) {
    join(op.begin.exact, edge->exact);
    join(op.begin.seen, edge->seen);
  }
  ops_.push_back(op);
  return static_cast<Id>(ops_.size()) - 1;
}

RaceReference::Id RaceReference::op_actor(Id op) {
  if (ops_[op].actor < 0) ops_[op].actor = thread(block_started(op, 1, 1), 0);
  return ops_[op].actor;
}

RaceReference::Id RaceReference::block_started(Id op, int threads, int wave) {
  blocks_.emplace_back();
  const Id block = static_cast<Id>(blocks_.size()) - 1;
  for (int t = 0; t < threads; ++t) add_actor(op, block, t / wave);
  return block;
}

RaceReference::Edge RaceReference::op_ended(Id op) {
  Edge end = ops_[op].begin;
  for (const Id actor : ops_[op].actors) {
    join(end.exact, actors_[actor].exact);
    join(end.seen, actors_[actor].seen);
  }
  chains_[ops_[op].chain] = end;
  return end;
}

RaceReference::Edge RaceReference::release(Id actor) {
  const Edge edge{actors_[actor].exact, actors_[actor].seen};
  tick(actor);
  return edge;
}

void RaceReference::acquire(Id actor, const Edge& edge) {
  join(actors_[actor].exact, edge.exact);
  join(actors_[actor].seen, edge.seen);
}

void RaceReference::rendezvous(const std::vector<Id>& actors) {
  Edge all;
  for (const Id actor : actors) {
    join(all.exact, actors_[actor].exact);
    join(all.seen, actors_[actor].seen);
  }
  for (const Id actor : actors) acquire(actor, all);
  for (const Id actor : actors) tick(actor);
}

Scope RaceReference::distance(Id a, Id b) const {
  const Actor& x = actors_[a];
  const Actor& y = actors_[b];
  if (x.block == y.block) return x.wave == y.wave ? Scope::wave : Scope::block;
  return x.device >= 0 && x.device == y.device ? Scope::device : Scope::system;
}

void RaceReference::fence(Id actor, Order order, Scope scope) {
  const std::uint32_t time = tick(actor);
  Actor& a = actors_[actor];
  if (acquires(order)) {
    for (const Head& head : a.pending) {
      if (distance(head.who, actor) <= scope) join(a.exact, head.exact);
    }
    for (Failed& failed : failed_) {
      const bool is_open = failed.reader == actor && failed.lacks_acquire && !failed.is_unreached &&
                           !failed.is_mended;
      if (!is_open) continue;
      if (distance(failed.write->who, actor) > scope) {
        failed.short_acquire = true;
      } else {
        failed.lacks_acquire = failed.short_acquire = false;
        failed.is_mended = !failed.lacks_release;
      }
    }
    a.acquire_fence = moment_;
  }
  if (releases(order)) a.release_fences.push_back({a.exact, scope, time, moment_});
}

void RaceReference::access(Id actor, std::uintptr_t address, int bytes, bool is_write,
                           std::uintptr_t pc) {
  check(actor, address, bytes, {actor, tick(actor), is_write, false, pc});
  if (!is_write) return;
  for (int i = 0; i < bytes; ++i) flags_.erase(address + static_cast<unsigned>(i));
}

void RaceReference::atomic(Id actor, std::uintptr_t address, int bytes, bool reads, bool writes,
                           Order order, Scope scope, std::uintptr_t pc) {
  check(actor, address, bytes, {actor, tick(actor), writes, true, pc});
  std::map<std::uint64_t, WriteRef> before;
  for (int i = 0; i < bytes; ++i) {
    const auto flag = flags_.find(address + static_cast<unsigned>(i));
    if (reads && flag != flags_.end()) before[flag->second->number] = flag->second;
  }
  for (const auto& [number, write] : before) observe(actor, write, order, scope, pc);
  if (!writes) return;
  const Actor& a = actors_[actor];
  const int fence = a.release_fences.empty() ? -1 : static_cast<int>(a.release_fences.back().scope);
  Write write{actor, pc, order, scope, fence, moment_, a.seen, {}, false, {}};
  if (releases(order)) write.heads.push_back({actor, a.exact, scope});
  for (const Fence& f : a.release_fences) {
    write.heads.push_back({actor, f.exact, narrower(f.scope, scope)});
  }
  for (const auto& [number, old] : before) {
    const bool reaches = distance(old->who, actor) <= narrower(old->scope, scope);
    if (!releases(order) && (!reaches || old->is_cut)) {
      write.is_cut = true;
      join(write.known_at_cut, a.exact);
      join(write.known_at_cut, old->known_at_cut);
    }
    if (!reaches) continue;
    write.heads.insert(write.heads.end(), old->heads.begin(), old->heads.end());
  }
  const auto shared = std::make_shared<const Write>(std::move(write));
  for (int i = 0; i < bytes; ++i) flags_[address + static_cast<unsigned>(i)] = shared;
  tick(actor);
}

void RaceReference::observe(Id actor, const WriteRef& write, Order order, Scope scope,
                            std::uintptr_t pc) {
  Actor& a = actors_[actor];
  if (!a.read.insert({write->number, order, scope}).second) return;
  const Scope apart = distance(write->who, actor);
  const bool reaches = apart <= narrower(write->scope, scope);
  for (const Head& head : write->heads) {
    if (!reaches || distance(head.who, actor) > narrower(head.scope, scope)) continue;
    if (acquires(order)) {
      join(a.exact, head.exact);
    } else {
      a.pending.push_back(head);
    }
  }
  join(a.seen, write->seen);
  if (write->who == actor) return;
  if (reaches && releases(write->order) && acquires(order)) return mend(actor, write->number);
  const bool lacks_release = !releases(write->order);
  const bool short_release =
      lacks_release && write->latest_fence >= 0 && write->latest_fence < static_cast<int>(apart);
  failed_.push_back({write, actor, known(a.seen, actor), pc, !reaches, short_release, false,
                     lacks_release, !acquires(order), false});
}

void RaceReference::mend(Id actor, std::uint64_t number) {
  for (Failed& failed : failed_) {
    const bool is_same = failed.reader == actor && failed.write->number == number;
    if (is_same && failed.lacks_acquire && !failed.is_unreached) failed.is_mended = true;
  }
}

void RaceReference::check(Id actor, std::uintptr_t address, int bytes, const Access& access) {
  for (int i = 0; i < bytes; ++i) {
    std::vector<Access>& earlier = history_[address + static_cast<unsigned>(i)];
    std::erase_if(earlier, [&](const Access& old) {
      const bool is_ordered = known(actors_[actor].exact, old.who) >= old.time;
      if (!is_ordered) judge(old, access);
      const bool conflicts_with_as_much =
          (access.is_write || !old.is_write) && (old.is_atomic || !access.is_atomic);
      return is_ordered && conflicts_with_as_much;
    });
    earlier.push_back(access);
  }
}

bool RaceReference::is_ordered(Id actor, std::uintptr_t address, int bytes, bool is_write) const {
  for (int i = 0; i < bytes; ++i) {
    const auto earlier = history_.find(address + static_cast<unsigned>(i));
    if (earlier == history_.end()) continue;
    for (const Access& old : earlier->second) {
      const bool is_known = known(actors_[actor].exact, old.who) >= old.time;
      if (!is_known && (is_write || old.is_write)) return false;
    }
  }
  return true;
}

bool RaceReference::is_fenced(Id earlier, std::uint32_t time, Id later) const {
  if (distance(earlier, later) != Scope::wave) return false;
  const std::vector<Fence>& fences = actors_[earlier].release_fences;
  return std::any_of(fences.begin(), fences.end(), [&](const Fence& fence) {
    return fence.time >= time && fence.moment < actors_[later].acquire_fence;
  });
}

void RaceReference::judge(const Access& earlier, const Access& later) {
  if (!earlier.is_write && !later.is_write) return;
  if (earlier.is_atomic && later.is_atomic) return;
  if (is_fenced(earlier.who, earlier.time, later.who)) return;
  FoundRace race{earlier.pc, later.pc, RaceKind::data_race, distance(earlier.who, later.who), 0, 0};
  if (known(actors_[later.who].seen, earlier.who) < earlier.time) {
    if (race.level == Scope::wave) race.kind = RaceKind::wave_synchronous;
  } else {
    race.kind = RaceKind::relaxed_handoff;
    if (const Failed* failed = edge_at_fault(earlier, later.who)) {
      const Write& write = *failed->write;
      const bool is_cut_off = write.is_cut && known(write.known_at_cut, earlier.who) < earlier.time;
      const bool is_scope =
          is_cut_off || failed->is_unreached || failed->short_release || failed->short_acquire;
      if (is_scope) race.kind = RaceKind::scope_race;
      race.edge_writer = failed->write->pc;
      race.edge_reader = failed->pc;
    }
  }
  found_.insert(race);
}

const RaceReference::Failed* RaceReference::edge_at_fault(const Access& earlier, Id later) const {
  for (auto failed = failed_.rbegin(); failed != failed_.rend(); ++failed) {
    if (failed->is_mended) continue;
    const bool leads_away = known(failed->write->seen, earlier.who) >= earlier.time;
    const bool leads_here = known(actors_[later].seen, failed->reader) >= failed->time;
    if (leads_away && leads_here) return &*failed;
  }
  return nullptr;
}

void RaceReference::reset(std::uintptr_t address, std::size_t bytes) {
  const std::uintptr_t first = address & ~std::uintptr_t{15};
  const std::uintptr_t last = (address + bytes + 15) & ~std::uintptr_t{15};
  history_.erase(history_.lower_bound(first), history_.lower_bound(last));
  flags_.erase(flags_.lower_bound(first), flags_.lower_bound(last));
}

}  // namespace rankle::sim::race
