// Locks: the data are protected only if everybody takes the same lock, takes it with acquire, and
// gives it back with release, at a scope that reaches the others.
#include "tests/litmus/scene.h"

namespace rankle::sim::litmus {
namespace {

template <Order kOrder, Scope kScope>
__device__ void take(Word* lock) {
  constexpr int kNative = kernels::detail::native(kOrder);
  constexpr int kReach = kernels::detail::native(kScope);
  for (;;) {
    Word free = 0;
    if (__hip_atomic_compare_exchange_strong(lock, &free, 1U, kNative, __ATOMIC_RELAXED, kReach)) {
      return;
    }
  }
}

template <Order kOrder, Scope kScope>
__device__ void give_back(Word* lock) {
  store<kOrder, kScope>(lock, 0U);
}

struct Lock {
  Order take = Order::acquire;
  Order give_back = Order::release;
  Scope scope = Scope::device;
};

template <Lock kLock>
__global__ void locked_write(Word* data, Word* lock) {
  take<kLock.take, kLock.scope>(lock);
  *data = kSent;  // RACE A
  give_back<kLock.give_back, kLock.scope>(lock);
}

// Every contender adds one to a plain word.
template <Lock kLock>
__global__ void locked_add(Word* data, Word* lock) {
  take<kLock.take, kLock.scope>(lock);
  const Word sum = *data;
  *data = sum + 1;
  give_back<kLock.give_back, kLock.scope>(lock);
}

// Each block has a lock of its own for the one word.
__global__ void two_locks(Word* data, Word* locks) {
  take<Order::acquire, Scope::device>(locks + blockIdx.x);
  *data = kSent;  // RACE A
  give_back<Order::release, Scope::device>(locks + blockIdx.x);
}

__global__ void one_goes_without(Word* data, Word* lock) {
  if (blockIdx.x == 0) {
    take<Order::acquire, Scope::device>(lock);
    *data = kSent;  // RACE A
    give_back<Order::release, Scope::device>(lock);
  } else {
    *data = kBefore;  // RACE B
  }
}

// The first block writes before its critical section, the second one behind its own: in order only
// if the first block has the lock first.
__global__ void ordered_by_luck(Word* data, Word* lock) {
  if (blockIdx.x == 0) *data = kSent;  // RACE A
  take<Order::acquire, Scope::device>(lock);
  give_back<Order::release, Scope::device>(lock);
  if (blockIdx.x == 1) *data = kBefore;  // RACE B
}

// words: the next ticket, and the ticket that is served.
template <Order kServe>
__global__ void ticket_lock(Word* data, Word* words) {
  const Word ticket = fetch_add<Order::relaxed, Scope::device>(words, 1U);
  while (load<Order::acquire, Scope::device>(words + 1) != ticket) {
  }
  *data = kSent;  // RACE A
  store<kServe, Scope::device>(words + 1, ticket + 1);
}

// As in many foreign kernels: atomicCAS and atomicExch, with or without fences.
template <bool kFences>
__global__ void foreign_lock(Word* data, Word* lock) {
  while (atomicCAS(lock, 0U, 1U) != 0) {
  }
  if constexpr (kFences) __threadfence();
  *data = kSent;  // RACE A
  if constexpr (kFences) __threadfence();
  atomicExch(lock, 0U);
}

template <auto kKernel, int kBlocks = 2>
void play(Scene& scene) {
  hipLaunchKernelGGL(kKernel, blocks(kBlocks), threads(1), 0, nullptr, scene.data(), scene.flags());
  finish(scene);
}

template <Lock kLock>
void play_sum(Scene& scene) {
  Board& board = scene.board;
  hipLaunchKernelGGL(locked_add<kLock>, blocks(3), threads(1), 0, nullptr, board.data[0],
                     board.flags[0]);
  finish(scene);
  host_barrier();
  if (scene.rank == 0) {
    expect(scene, board.data[0], kBefore + static_cast<Word>(3 * scene.ranks));
  }
}

template <Lock kLock>
void play_over_devices(Scene& scene) {
  hipLaunchKernelGGL(locked_write<kLock>, blocks(1), threads(1), 0, nullptr, scene.board.data[0],
                     scene.board.flags[0]);
  finish(scene);
}

constexpr Lock kRelaxedGiveBack{.give_back = Order::relaxed};
constexpr Lock kRelaxedTake{.take = Order::relaxed};
constexpr Lock kOfBlock{.scope = Scope::block};
constexpr Lock kOfSystem{.scope = Scope::system};

}  // namespace

namespace {

std::vector<Litmus> first_lock_rows() {
  constexpr Level kDevice = Level::device;
  constexpr ReportKind kHandoff = ReportKind::relaxed_handoff;
  constexpr ReportKind kScope = ReportKind::scope_race;
  constexpr ReportKind kData = ReportKind::data_race;
  const auto twice = [](ReportKind kind, const char* site) {
    return std::vector<Finding>{{kind, site, site}};
  };
  return {
      {.name = "clean_interblock_spin_lock",
       .level = kDevice,
       .sentence = "Three blocks add to a plain word under a lock (acquire, release, agent scope).",
       .play = play_sum<Lock{}>},
      {.name = "race_interblock_lock_relaxed_unlock_waw",
       .level = kDevice,
       .sentence = "The lock is given back relaxed.",
       .play = play<locked_write<kRelaxedGiveBack>>,
       .findings = twice(kHandoff, "locked_write A")},
      {.name = "race_interblock_lock_relaxed_lock_waw",
       .level = kDevice,
       .sentence = "The lock is taken relaxed.",
       .play = play<locked_write<kRelaxedTake>>,
       .findings = twice(kHandoff, "locked_write A")},
      {.name = "race_interblock_lock_workgroup_scope_waw",
       .level = kDevice,
       .sentence = "The lock has workgroup scope, and other blocks take it.",
       .play = play<locked_write<kOfBlock>>,
       .findings = twice(kScope, "locked_write A")},
      {.name = "race_interblock_two_locks_waw",
       .level = kDevice,
       .sentence = "Each block takes a lock of its own.",
       .play = play<two_locks>,
       .findings = twice(kData, "two_locks A")},
      {.name = "race_interblock_one_goes_without_lock_waw",
       .level = kDevice,
       .sentence = "One block writes without the lock.",
       .play = play<one_goes_without>,
       .findings = {{kData, "one_goes_without A", "one_goes_without B"}}},
  };
}

std::vector<Litmus> further_lock_rows() {
  constexpr Level kDevice = Level::device;
  constexpr ReportKind kHandoff = ReportKind::relaxed_handoff;
  constexpr ReportKind kScope = ReportKind::scope_race;
  constexpr ReportKind kData = ReportKind::data_race;
  const auto twice = [](ReportKind kind, const char* site) {
    return std::vector<Finding>{{kind, site, site}};
  };
  return {
      {.name = "race_interblock_ordered_by_luck_waw",
       .level = kDevice,
       .sentence = "One block writes before it takes the lock, the other after it has given it "
                   "back.",
       .play = play<ordered_by_luck>,
       .findings = {{kData, "ordered_by_luck A", "ordered_by_luck B"}},
       .needs_order = "the second block has to have the lock first; the other way round the lock "
                      "orders the two writes"},
      {.name = "clean_interblock_ticket_lock_waw",
       .level = kDevice,
       .sentence = "A ticket lock: relaxed tickets, acquire on the served number, release of it.",
       .play = play<ticket_lock<Order::release>, 3>},
      {.name = "race_interblock_ticket_lock_relaxed_waw",
       .level = kDevice,
       .sentence = "The next ticket is served relaxed.",
       .play = play<ticket_lock<Order::relaxed>, 3>,
       .findings = twice(kHandoff, "ticket_lock A")},
      {.name = "clean_interblock_foreign_lock_waw",
       .level = kDevice,
       .sentence = "`atomicCAS`, `__threadfence()`, data, `__threadfence()`, `atomicExch`.",
       .play = play<foreign_lock<true>>},
      {.name = "race_interblock_foreign_lock_without_fences_waw",
       .level = kDevice,
       .sentence = "`atomicCAS` and `atomicExch` are relaxed: without fences they protect nothing.",
       .play = play<foreign_lock<false>>,
       .findings = twice(kHandoff, "foreign_lock A")},
      {.name = "clean_interdevice_spin_lock",
       .level = Level::system,
       .devices = 3,
       .sentence = "Blocks of three devices add to a plain word under a lock of system scope.",
       .play = play_sum<kOfSystem>},
      {.name = "race_interdevice_lock_agent_scope_waw",
       .level = Level::system,
       .devices = 2,
       .sentence = "The lock has agent scope, and another device takes it.",
       .play = play_over_devices<Lock{}>,
       .findings = twice(kScope, "locked_write A")},
  };
}

}  // namespace

std::vector<Litmus> lock_rows() {
  std::vector<Litmus> rows = first_lock_rows();
  for (Litmus& row : further_lock_rows()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace rankle::sim::litmus
