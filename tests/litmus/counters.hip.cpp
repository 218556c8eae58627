// Counters and release sequences: many writers arrive at one word, the reader waits for the count.
// A read-modify-write hands on what the word carried before; a store does not.
#include "tests/litmus/scene.h"

namespace rankle::sim::litmus {
namespace {

constexpr int kWriters = 3;

// Each block writes a word of its own and arrives.
template <Access kArrive>
__global__ void arrive(Word* data, Word* counter) {
  data[blockIdx.x] = kSent;  // RACE A
  fetch_add<kArrive.order, kArrive.scope>(counter, 1U);
}

// ... and arrives before it has written.
__global__ void arrive_early(Word* data, Word* counter) {
  fetch_add<Order::acq_rel, Scope::system>(counter, 1U);
  data[blockIdx.x] = kSent;  // RACE A
}

template <Access kWait>
__global__ void gather(const Word* data, const Word* counter, Word count, Word* out) {
  while (load<kWait.order, kWait.scope>(counter) < count) {
  }
  Word sum = 0;
  for (int i = 0; i < kWriters; ++i) sum += data[i];  // RACE A
  *out = sum;
}

template <Access kStore>
__device__ void begin_sequence(Word* data, Word* flag) {
  *data = kSent;  // RACE A
  store<kStore.order, kStore.scope>(flag, 1U);
}

__device__ void end_sequence(const Word* data, const Word* flag, Word value, Word* out) {
  while (load<Order::acquire, Scope::system>(flag) < value) {
  }
  *out = *data;  // RACE A
}

enum class Middle { add, store_after_reading, store_blindly };

// What the one in the middle does with the flag; the reader waits until it has.
template <Middle kMiddle, Scope kScope>
__device__ void middle(Word* flag) {
  if constexpr (kMiddle != Middle::store_blindly) {
    while (load<Order::relaxed, kScope>(flag) == 0) {
    }
  }
  if constexpr (kMiddle == Middle::add) {
    fetch_add<Order::relaxed, kScope>(flag, 1U);
  } else {
    store<Order::relaxed, kScope>(flag, 2U);
  }
}

template <Middle kMiddle>
__global__ void sequence_in_grid(Word* data, Word* flag, Word* out) {
  if (blockIdx.x == 0) begin_sequence<Access{Order::release, Scope::device}>(data, flag);
  if (blockIdx.x == 1) middle<kMiddle, Scope::device>(flag);
  // A store without looking may come before the first one: then the reader waits for either.
  if (blockIdx.x == 2) end_sequence(data, flag, kMiddle == Middle::store_blindly ? 1 : 2, out);
}

__global__ void first_of_sequence(Word* data, Word* flag) {
  begin_sequence<Access{Order::release, Scope::system}>(data, flag);
}

// The same thread stores to its flag again.
__global__ void release_then_store(Word* data, Word* flag) {
  begin_sequence<Access{Order::release, Scope::system}>(data, flag);
  store<Order::relaxed, Scope::system>(flag, 2U);
}

// A neighbour on the same device adds to the flag at agent scope, which reaches the first writer
// but not the reader on another device.
__global__ void release_and_neighbour(Word* data, Word* flag) {
  if (blockIdx.x == 0) {
    begin_sequence<Access{Order::release, Scope::system}>(data, flag);
  } else {
    middle<Middle::add, Scope::device>(flag);
  }
}

// The same beside the reader: the addition reaches the reader, but not the first writer.
__global__ void neighbour_and_end(const Word* data, Word* flag, Word* out) {
  if (blockIdx.x == 0) {
    middle<Middle::add, Scope::device>(flag);
  } else {
    end_sequence(data, flag, 2, out);
  }
}

template <Scope kScope>
__global__ void middle_of_sequence(Word* flag) {
  middle<Middle::add, kScope>(flag);
}

__global__ void end_of_sequence(const Word* data, const Word* flag, Word* out) {
  end_sequence(data, flag, 2, out);
}

// One atomic word that all devices add to; nothing else is handed over.
__global__ void add_one(Word* counter) { fetch_add<Order::relaxed, Scope::system>(counter, 1U); }

// The last of several blocks of one device and of another arrives.
template <auto kArrive, auto kGather, Word kCount>
void play(Scene& scene) {
  Board& board = scene.board;
  if (scene.rank == 0) {
    hipLaunchKernelGGL(kArrive, blocks(kWriters), threads(1), 0, nullptr, board.data[0],
                       board.flags[1]);
    return finish(scene);
  }
  hipLaunchKernelGGL(kGather, blocks(1), threads(1), 0, nullptr, board.data[0], board.flags[1],
                     kCount, board.out[1]);
  expect(scene, board.out[1], kWriters * kSent);
}

template <Middle kMiddle>
void play_sequence(Scene& scene) {
  hipLaunchKernelGGL(sequence_in_grid<kMiddle>, blocks(3), threads(1), 0, nullptr, scene.data(),
                     scene.flags(), scene.out());
  expect(scene, scene.out(), kSent);
}

template <Scope kScope>
void play_sequence_over_devices(Scene& scene) {
  Board& board = scene.board;
  Word* const flag = board.flags[1];
  if (scene.rank == 0) {
    hipLaunchKernelGGL(first_of_sequence, blocks(1), threads(1), 0, nullptr, board.data[0], flag);
  } else if (scene.rank == 1) {
    hipLaunchKernelGGL(middle_of_sequence<kScope>, blocks(1), threads(1), 0, nullptr, flag);
  } else {
    hipLaunchKernelGGL(end_of_sequence, blocks(1), threads(1), 0, nullptr, board.data[0], flag,
                       board.out[2]);
    return expect(scene, board.out[2], kSent);
  }
  finish(scene);
}

template <auto kFirst, int kBlocks>
void play_second_write(Scene& scene) {
  Board& board = scene.board;
  if (scene.rank == 0) {
    hipLaunchKernelGGL(kFirst, blocks(kBlocks), threads(1), 0, nullptr, board.data[0],
                       board.flags[1]);
  } else {
    hipLaunchKernelGGL(end_of_sequence, blocks(1), threads(1), 0, nullptr, board.data[0],
                       board.flags[1], board.out[1]);
  }
  finish(scene);
}

void play_addition_beside_reader(Scene& scene) {
  Board& board = scene.board;
  if (scene.rank == 0) {
    hipLaunchKernelGGL(first_of_sequence, blocks(1), threads(1), 0, nullptr, board.data[0],
                       board.flags[1]);
  } else {
    hipLaunchKernelGGL(neighbour_and_end, blocks(2), threads(1), 0, nullptr, board.data[0],
                       board.flags[1], board.out[1]);
  }
  finish(scene);
}

void play_atomic_sum(Scene& scene) {
  hipLaunchKernelGGL(add_one, blocks(2), threads(2), 0, nullptr, scene.board.flags[0]);
  finish(scene);
  host_barrier();
  if (scene.rank == 0) expect(scene, scene.flags(), static_cast<Word>(4 * scene.ranks));
}

constexpr Access kRelaxed{Order::relaxed, Scope::system};
constexpr Access kAcquire{Order::acquire, Scope::system};
constexpr Access kAcqRel{Order::acq_rel, Scope::system};
constexpr Access kRelease{Order::release, Scope::system};
constexpr Access kReleaseOfDevice{Order::release, Scope::device};

constexpr ReportKind kHandoff = ReportKind::relaxed_handoff;
constexpr ReportKind kScope = ReportKind::scope_race;
constexpr ReportKind kData = ReportKind::data_race;

std::vector<Litmus> arrival_rows() {
  constexpr Level kLevel = Level::system;
  return {
      {.name = "clean_interdevice_counter_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "Blocks release into a counter of the peer, which waits for all of them: each "
                   "addition hands on the earlier ones.",
       .play = play<arrive<kRelease>, gather<kAcquire>, kWriters>},
      {.name = "clean_interdevice_acq_rel_counter_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The same with additions that acquire as well.",
       .play = play<arrive<kAcqRel>, gather<kAcquire>, kWriters>},
      {.name = "race_interdevice_relaxed_counter_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The additions are relaxed.",
       .play = play<arrive<kRelaxed>, gather<kAcquire>, kWriters>,
       .findings = {{kHandoff, "arrive A", "gather A"}}},
      {.name = "race_interdevice_relaxed_wait_for_counter_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The additions release, the wait is relaxed.",
       .play = play<arrive<kRelease>, gather<kRelaxed>, kWriters>,
       .findings = {{kHandoff, "arrive A", "gather A"}}},
      {.name = "race_interdevice_agent_counter_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The additions have agent scope, and the reader is on another device.",
       .play = play<arrive<kReleaseOfDevice>, gather<kAcquire>, kWriters>,
       .findings = {{kScope, "arrive A", "gather A"}}},
      {.name = "race_interdevice_arrival_before_the_write_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "A block arrives first and writes then.",
       .play = play<arrive_early, gather<kAcquire>, kWriters>,
       .findings = {{kData, "arrive_early A", "gather A"}}},
      {.name = "race_interdevice_counter_one_too_few_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The reader waits for all blocks but one.",
       .play = play<arrive<kRelease>, gather<kAcquire>, kWriters - 1>,
       .findings = {{kData, "arrive A", "gather A"}},
       .needs_order = "the reader has to look between the last two arrivals; if all have arrived, "
                      "it acquires from all"},
      {.name = "clean_interdevice_atomic_sum",
       .level = kLevel,
       .devices = 3,
       .sentence = "Relaxed additions of all devices to one word, read behind a host barrier.",
       .play = play_atomic_sum},
  };
}

std::vector<Litmus> sequence_rows() {
  const std::vector<Finding> pair = {{kHandoff, "begin_sequence A", "end_sequence A"}};
  return {
      {.name = "clean_interblock_release_sequence_raw",
       .level = Level::device,
       .sentence = "A relaxed addition by a third block continues the release sequence.",
       .play = play_sequence<Middle::add>},
      {.name = "race_interblock_store_ends_the_sequence_raw",
       .level = Level::device,
       .sentence =
           "A third block reads the flag and stores it anew, both relaxed: a reader that has "
           "not seen the first store sees one that releases nothing.",
       .play = play_sequence<Middle::store_after_reading>,
       .findings = pair},
      {.name = "race_interblock_blind_store_hides_the_flag_raw",
       .level = Level::device,
       .sentence = "A third block stores to the flag without having read it, and the reader sees "
                   "that store.",
       .play = play_sequence<Middle::store_blindly>,
       .findings = {{kData, "begin_sequence A", "end_sequence A"}}},
      {.name = "race_interdevice_relaxed_store_behind_a_release_raw",
       .level = Level::system,
       .devices = 2,
       .sentence = "A thread releases its flag and stores to it again, relaxed: in C++20 a reader "
                   "that sees only the second store is out of order (PTX lets it synchronise).",
       .play = play_second_write<release_then_store, 1>,
       .findings = pair},
      {.name = "race_interdevice_agent_addition_by_a_neighbour_raw",
       .level = Level::system,
       .devices = 2,
       .sentence =
           "A neighbour of the writer adds to its flag at agent scope; the reader on another "
           "device sees that addition.",
       .play = play_second_write<release_and_neighbour, 2>,
       .findings = {{kScope, "begin_sequence A", "end_sequence A"}}},
      {.name = "race_interdevice_agent_addition_beside_the_reader_raw",
       .level = Level::system,
       .devices = 2,
       .sentence =
           "A neighbour of the reader adds to the flag at agent scope: it reaches the reader, "
           "and not the writer whose sequence it would continue.",
       .play = play_addition_beside_reader,
       .findings = {{kScope, "begin_sequence A", "end_sequence A"}}},
      {.name = "clean_interdevice_release_sequence_raw",
       .level = Level::system,
       .devices = 3,
       .sentence = "A relaxed addition of system scope by a third device continues the sequence.",
       .play = play_sequence_over_devices<Scope::system>},
      {.name = "race_interdevice_agent_scope_ends_the_sequence_raw",
       .level = Level::system,
       .devices = 3,
       .sentence = "The addition in the middle has agent scope: it reaches neither neighbour.",
       .play = play_sequence_over_devices<Scope::device>,
       .findings = {{kScope, "begin_sequence A", "end_sequence A"}}},
  };
}

}  // namespace

std::vector<Litmus> counter_rows() {
  std::vector<Litmus> rows = arrival_rows();
  for (Litmus& row : sequence_rows()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace rankle::sim::litmus
