// Buffers that are used again: a producer on one device fills the slots of a ring that a consumer
// on another one empties. Data and flags are the consumer's; how the producer learns that a slot is
// free is what differs. The last cases hand out slots inside one device, as a pool would.
#include "tests/litmus/scene.h"

namespace rankle::sim::litmus {
namespace {

constexpr unsigned kRounds = 4;

// flags[0] counts rounds that were filled, flags[16] rounds that were emptied.
constexpr unsigned kEmptied = 16;

struct Ring {
  unsigned slots = 2;
  bool waits = true;  // until the slot has been emptied
  Order emptied = Order::release;
  Scope scope = Scope::system;
};

template <Ring kRing>
__global__ void produce(Word* slots, Word* flags) {
  for (unsigned round = 0; round < kRounds; ++round) {
    if constexpr (kRing.waits) {
      while (load<Order::acquire, kRing.scope>(flags + kEmptied) + kRing.slots < round + 1) {
      }
    }
    slots[round % kRing.slots] = round;  // RACE A
    store<Order::release, Scope::system>(flags, round + 1);
  }
}

template <Ring kRing>
__global__ void consume(const Word* slots, Word* flags, Word* out) {
  Word sum = 0;
  for (unsigned round = 0; round < kRounds; ++round) {
    while (load<Order::acquire, Scope::system>(flags) < round + 1) {
    }
    sum += slots[round % kRing.slots];  // RACE A
    store<kRing.emptied, kRing.scope>(flags + kEmptied, round + 1);
  }
  *out = sum;
}

// The consumer says that the slot is empty before it reads.
__global__ void consume_late(const Word* slots, Word* flags, Word* out) {
  Word sum = 0;
  for (unsigned round = 0; round < kRounds; ++round) {
    while (load<Order::acquire, Scope::system>(flags) < round + 1) {
    }
    store<Order::release, Scope::system>(flags + kEmptied, round + 1);
    sum += slots[round % 2];  // RACE A
  }
  *out = sum;
}

// A free list of one slot: whoever finds it free takes it, uses it and gives it back.
template <Order kGiveBack>
__global__ void borrow(Word* slot, Word* is_taken, Word* out) {
  for (;;) {
    Word free = 0;
    if (__hip_atomic_compare_exchange_strong(is_taken, &free, 1U, __ATOMIC_ACQUIRE,
                                             __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) {
      break;
    }
  }
  *slot = blockIdx.x;  // RACE A
  out[blockIdx.x] = blockIdx.x;
  store<kGiveBack, Scope::device>(is_taken, 0U);
}

// Goes on using the slot after it has been given back.
__global__ void borrow_and_keep(Word* slot, Word* is_taken, Word* out) {
  if (blockIdx.x == 0) {
    *slot = kSent;
    store<Order::release, Scope::device>(is_taken, 1U);
    out[0] = *slot;  // RACE A
  } else {
    while (load<Order::acquire, Scope::device>(is_taken) == 0) {
    }
    *slot = kBefore;  // RACE B
  }
}

constexpr Word kSumOfRounds = 0 + 1 + 2 + 3;

template <Ring kRing, auto kConsume = consume<kRing>>
void play(Scene& scene) {
  Board& board = scene.board;
  if (scene.rank == 0) {
    hipLaunchKernelGGL(produce<kRing>, blocks(1), threads(1), 0, nullptr, board.data[1],
                       board.flags[1]);
    return finish(scene);
  }
  hipLaunchKernelGGL(kConsume, blocks(1), threads(1), 0, nullptr, board.data[1], board.flags[1],
                     board.out[1]);
  expect(scene, board.out[1], kSumOfRounds);
}

template <auto kKernel, int kBlocks>
void play_pool(Scene& scene) {
  hipLaunchKernelGGL(kKernel, blocks(kBlocks), threads(1), 0, nullptr, scene.data(), scene.flags(),
                     scene.out());
  expect(scene, scene.out() + kBlocks - 1, kBlocks - 1);
}

constexpr Ring kAnswered{};
constexpr Ring kOneSlot{.slots = 1};
constexpr Ring kRelaxed{.emptied = Order::relaxed};
constexpr Ring kOfDevice{.scope = Scope::device};
constexpr Ring kOneSlotEach{.slots = kRounds, .waits = false};
constexpr Ring kUnanswered{.waits = false};

}  // namespace

std::vector<Litmus> slot_rows() {
  constexpr Level kSystem = Level::system;
  constexpr Level kDevice = Level::device;
  const auto war = [](ReportKind kind) {
    return std::vector<Finding>{{kind, "consume A", "produce A"}};
  };
  return {
      {.name = "clean_interdevice_double_buffer_answered_war",
       .level = kSystem,
       .devices = 2,
       .sentence = "Two slots in turn; the producer waits (acquire) until the consumer has "
                   "released the slot.",
       .play = play<kAnswered>},
      {.name = "clean_interdevice_single_buffer_answered_war",
       .level = kSystem,
       .devices = 2,
       .sentence = "The same with one slot.",
       .play = play<kOneSlot>},
      {.name = "clean_interdevice_slot_for_each_round_raw",
       .level = kSystem,
       .devices = 2,
       .sentence = "No slot is used twice, so nobody has to answer.",
       .play = play<kOneSlotEach>},
      {.name = "race_interdevice_double_buffer_relaxed_answer_war",
       .level = kSystem,
       .devices = 2,
       .sentence = "The consumer's answer is relaxed.",
       .play = play<kRelaxed>,
       .findings = war(ReportKind::relaxed_handoff)},
      {.name = "race_interdevice_double_buffer_agent_answer_war",
       .level = kSystem,
       .devices = 2,
       .sentence = "The answer has agent scope.",
       .play = play<kOfDevice>,
       .findings = war(ReportKind::scope_race)},
      {.name = "race_interdevice_double_buffer_early_answer_war",
       .level = kSystem,
       .devices = 2,
       .sentence = "The consumer answers before it has read.",
       .play = play<kAnswered, consume_late>,
       .findings = {{ReportKind::data_race, "consume_late A", "produce A"}}},
      {.name = "race_interdevice_double_buffer_unanswered_war",
       .level = kSystem,
       .devices = 2,
       .sentence = "Two slots in turn, and the producer never waits.",
       .play = play<kUnanswered>,
       .findings = war(ReportKind::data_race),
       .needs_order = "the consumer has to read between two fillings; behind the last one it has "
                      "acquired all"},
      {.name = "clean_interblock_slot_of_a_pool_waw",
       .level = kDevice,
       .sentence = "Blocks take the one slot of a free list, use it and release it.",
       .play = play_pool<borrow<Order::release>, 3>},
      {.name = "race_interblock_slot_of_a_pool_given_back_relaxed_waw",
       .level = kDevice,
       .sentence = "The slot is given back relaxed.",
       .play = play_pool<borrow<Order::relaxed>, 2>,
       .findings = {{ReportKind::relaxed_handoff, "borrow A", "borrow A"}}},
      {.name = "race_interblock_slot_of_a_pool_used_after_return_war",
       .level = kDevice,
       .sentence = "A block reads the slot once more after it has released it.",
       .play = play_pool<borrow_and_keep, 2>,
       .findings = {{ReportKind::data_race, "borrow_and_keep A", "borrow_and_keep B"}}},
  };
}

}  // namespace rankle::sim::litmus
