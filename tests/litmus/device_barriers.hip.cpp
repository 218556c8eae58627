// The barrier between devices that all-reduce kernels carry: thread p of a block tells rank p that
// it has arrived and waits for rank p's flag, between two block barriers. The start barrier of such
// kernels publishes what the previous kernel wrote, the one in the middle what this kernel wrote,
// and the exit barrier keeps inputs alive until every peer has read them.
#include "tests/litmus/scene.h"

namespace rankle::sim::litmus {
namespace {

constexpr int kThreads = 8;

struct Pointers {
  Word* of[kRanksMax];
};

struct Barrier {
  Order store = Order::release;
  Order load = Order::acquire;
  Scope scope = Scope::system;
  bool leads = true;        // __syncthreads() before the flags
  bool trails = true;       // __syncthreads() behind them
  bool skips_peer = false;  // does not wait for the rank before the own one
};

// flags of a rank: one for each block and rank, 16 words a block. `first` is 0 or 8: a barrier that
// used the words of an earlier one could replace a flag before a slow rank has seen it.
template <Barrier kBarrier>
__device__ void meet(const Pointers& flags, unsigned rank, unsigned ranks, Word round,
                     unsigned first = 0) {
  if constexpr (kBarrier.leads) __syncthreads();
  const unsigned peer = threadIdx.x;
  if (peer < ranks) {
    store<kBarrier.store, kBarrier.scope>(flags.of[peer] + blockIdx.x * 16 + first + rank, round);
    const bool waits = !kBarrier.skips_peer || peer != (rank + ranks - 1) % ranks;
    while (waits && load<kBarrier.load, kBarrier.scope>(flags.of[rank] + blockIdx.x * 16 + first +
                                                        peer) < round) {
    }
  }
  if constexpr (kBarrier.trails) __syncthreads();
}

// Every thread writes a word of its own device; behind the barrier it reads the same word of all.
template <Barrier kBarrier, bool kOtherBlock>
__global__ void write_meet_read(Pointers data, Pointers flags, unsigned rank, unsigned ranks,
                                Word* out) {
  const unsigned self = blockIdx.x * blockDim.x + threadIdx.x;
  data.of[rank][self] = kSent;  // RACE A
  meet<kBarrier>(flags, rank, ranks, 1);
  const unsigned block = kOtherBlock ? (blockIdx.x + 1) % gridDim.x : blockIdx.x;
  Word sum = 0;
  for (unsigned peer = 0; peer < ranks; ++peer) {
    if (kOtherBlock && peer == rank) continue;
    sum += data.of[peer][block * blockDim.x + threadIdx.x];  // RACE B
  }
  out[self] = sum;
}

__global__ void fill_input(Word* data) {
  data[threadIdx.x] = kSent;  // RACE A
}

// Inputs come from an earlier kernel; whether there is an exit barrier is `kExits`.
template <Barrier kStart, Barrier kExit, bool kExits>
__global__ void read_all(Pointers data, Pointers flags, unsigned rank, unsigned ranks, Word* out) {
  meet<kStart>(flags, rank, ranks, 1);
  Word sum = 0;
  for (unsigned peer = 0; peer < ranks; ++peer) {
    sum += data.of[peer][threadIdx.x];  // RACE A
  }
  if constexpr (kExits) meet<kExit>(flags, rank, ranks, 1, 8);
  out[threadIdx.x] = sum;
}

__global__ void overwrite_input(Word* data) {
  data[threadIdx.x] = kBefore;  // RACE A
}

Pointers all(Word* const (&of)[kRanksMax]) {
  Pointers pointers{};
  for (int i = 0; i < kRanksMax; ++i) pointers.of[i] = of[i];
  return pointers;
}

template <Barrier kBarrier, bool kOtherBlock = false>
void play_middle(Scene& scene) {
  const auto ranks = static_cast<unsigned>(scene.ranks);
  hipLaunchKernelGGL((write_meet_read<kBarrier, kOtherBlock>), blocks(2), threads(kThreads), 0,
                     nullptr, all(scene.board.data), all(scene.board.flags),
                     static_cast<unsigned>(scene.rank), ranks, scene.out());
  expect(scene, scene.out() + 2 * kThreads - 1, ranks * kSent);
}

template <Barrier kStart, Barrier kExit, bool kExits, bool kOverwrites>
void play_call(Scene& scene) {
  const auto ranks = static_cast<unsigned>(scene.ranks);
  hipLaunchKernelGGL(fill_input, blocks(1), threads(kThreads), 0, nullptr, scene.data());
  hipLaunchKernelGGL((read_all<kStart, kExit, kExits>), blocks(1), threads(kThreads), 0, nullptr,
                     all(scene.board.data), all(scene.board.flags),
                     static_cast<unsigned>(scene.rank), ranks, scene.out());
  if constexpr (kOverwrites) {
    hipLaunchKernelGGL(overwrite_input, blocks(1), threads(kThreads), 0, nullptr, scene.data());
  }
  expect(scene, scene.out() + kThreads - 1, ranks * kSent);
}

constexpr Barrier kRight{};
constexpr Barrier kRelaxed{.store = Order::relaxed, .load = Order::relaxed};
constexpr Barrier kRelaxedStore{.store = Order::relaxed};
constexpr Barrier kOfDevice{.scope = Scope::device};
constexpr Barrier kNotLed{.leads = false};
constexpr Barrier kNotTrailed{.trails = false};
constexpr Barrier kSkips{.skips_peer = true};

constexpr Level kLevel = Level::system;
constexpr ReportKind kHandoff = ReportKind::relaxed_handoff;
constexpr ReportKind kScope = ReportKind::scope_race;
constexpr ReportKind kData = ReportKind::data_race;

std::vector<Litmus> middle_rows() {
  const auto raw = [](ReportKind kind) {
    return std::vector<Finding>{{kind, "write_meet_read A", "write_meet_read B"}};
  };
  return {
      {.name = "clean_interdevice_barrier_of_two_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "Block barrier, flags with release and acquire at system scope, block barrier.",
       .play = play_middle<kRight>},
      {.name = "clean_interdevice_barrier_of_four_raw",
       .level = kLevel,
       .devices = 4,
       .sentence = "The same with four devices.",
       .play = play_middle<kRight>},
      {.name = "race_interdevice_barrier_relaxed_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The flags are relaxed.",
       .play = play_middle<kRelaxed>,
       .findings = raw(kHandoff)},
      {.name = "race_interdevice_barrier_relaxed_store_of_four_raw",
       .level = kLevel,
       .devices = 4,
       .sentence = "Four devices store their flags relaxed.",
       .play = play_middle<kRelaxedStore>,
       .findings = raw(kHandoff)},
      {.name = "race_interdevice_barrier_agent_scope_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The flags have agent scope.",
       .play = play_middle<kOfDevice>,
       .findings = raw(kScope)},
      {.name = "race_interdevice_barrier_without_leading_syncthreads_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The threads that signal do not wait for the rest of their block.",
       .play = play_middle<kNotLed>,
       .findings = raw(kData)},
      {.name = "race_interdevice_barrier_without_trailing_syncthreads_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The rest of the block does not wait for the threads that wait.",
       .play = play_middle<kNotTrailed>,
       .findings = raw(kData)},
      {.name = "race_interdevice_barrier_skips_a_peer_raw",
       .level = kLevel,
       .devices = 3,
       .sentence = "Every rank waits for all others but one.",
       .play = play_middle<kSkips>,
       .findings = raw(kData)},
      {.name = "race_interdevice_barrier_of_another_block_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "Blocks of one index meet; data of another block are read.",
       .play = play_middle<kRight, true>,
       .findings = raw(kData)},
  };
}

std::vector<Litmus> call_rows() {
  const auto start = [](ReportKind kind) {
    return std::vector<Finding>{{kind, "fill_input A", "read_all A"}};
  };
  const auto exit = [](ReportKind kind) {
    return std::vector<Finding>{{kind, "read_all A", "overwrite_input A"}};
  };
  return {
      {.name = "clean_interdevice_start_barrier_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "Inputs of an earlier kernel behind a start barrier with release and acquire.",
       .play = play_call<kRight, kRight, true, false>},
      {.name = "race_interdevice_start_barrier_relaxed_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The same behind relaxed flags: the kernel boundary has published the data, and "
                   "nothing makes the peer look.",
       .play = play_call<kRelaxed, kRight, true, false>,
       .findings = start(kHandoff)},
      {.name = "clean_interdevice_exit_barrier_war",
       .level = kLevel,
       .devices = 2,
       .sentence = "The next kernel overwrites the input behind an exit barrier.",
       .play = play_call<kRight, kRight, true, true>},
      {.name = "clean_interdevice_exit_barrier_of_four_war",
       .level = kLevel,
       .devices = 4,
       .sentence = "The same with four devices.",
       .play = play_call<kRight, kRight, true, true>},
      {.name = "race_interdevice_exit_barrier_relaxed_war",
       .level = kLevel,
       .devices = 2,
       .sentence = "The exit barrier is relaxed, and the next kernel overwrites the input.",
       .play = play_call<kRight, kRelaxed, true, true>,
       .findings = exit(kHandoff)},
      {.name = "race_interdevice_no_exit_barrier_war",
       .level = kLevel,
       .devices = 2,
       .sentence = "No exit barrier, and the next kernel overwrites the input.",
       .play = play_call<kRight, kRight, false, true>,
       .findings = exit(kData)},
  };
}

}  // namespace

std::vector<Litmus> device_barrier_rows() {
  std::vector<Litmus> rows = middle_rows();
  for (Litmus& row : call_rows()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace rankle::sim::litmus
