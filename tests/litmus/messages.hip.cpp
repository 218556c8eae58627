// Message passing: data, then a flag with a given order and scope, in one wave, in one block,
// between blocks and between devices. Pairs of cases differ in one order or one scope only.
#include "tests/litmus/scene.h"

namespace rankle::sim::litmus {
namespace {

constexpr Access kRelaxed{Order::relaxed, Scope::system};
constexpr Access kRelease{Order::release, Scope::system};
constexpr Access kAcquire{Order::acquire, Scope::system};
constexpr Access kRelaxedOfBlock{Order::relaxed, Scope::block};
constexpr Access kReleaseOfWave{Order::release, Scope::wave};
constexpr Access kAcquireOfWave{Order::acquire, Scope::wave};
constexpr Access kReleaseOfBlock{Order::release, Scope::block};
constexpr Access kAcquireOfBlock{Order::acquire, Scope::block};
constexpr Access kReleaseOfDevice{Order::release, Scope::device};
constexpr Access kAcquireOfDevice{Order::acquire, Scope::device};
constexpr Access kRelaxedOfDevice{Order::relaxed, Scope::device};

template <Access kStore>
__device__ void push(Word* data, Word* flag) {
  *data = kSent;  // RACE A
  store<kStore.order, kStore.scope>(flag, 1U);
}

template <Access kLoad>
__device__ void pull(const Word* data, const Word* flag, Word* out) {
  while (load<kLoad.order, kLoad.scope>(flag) == 0) {
  }
  *out = *data;  // RACE A
}

template <Access kStore, Access kLoad>
__global__ void in_block(Word* data, Word* flag, Word* out, unsigned reader) {
  if (threadIdx.x == 0) push<kStore>(data, flag);
  if (threadIdx.x == reader) pull<kLoad>(data, flag, out);
}

template <Access kStore, Access kLoad>
__global__ void in_grid(Word* data, Word* flag, Word* out) {
  if (blockIdx.x == 0) {
    push<kStore>(data, flag);
  } else {
    pull<kLoad>(data, flag, out);
  }
}

template <Access kStore>
__global__ void pushing(Word* data, Word* flag) {
  push<kStore>(data, flag);
}

template <Access kLoad>
__global__ void pulling(const Word* data, const Word* flag, Word* out) {
  pull<kLoad>(data, flag, out);
}

template <Access kStore>
__global__ void read_and_answer(const Word* data, Word* flag, Word* out) {
  *out = *data;  // RACE A
  store<kStore.order, kStore.scope>(flag, 1U);
}

template <Access kLoad>
__global__ void wait_and_write(Word* data, const Word* flag) {
  while (load<kLoad.order, kLoad.scope>(flag) == 0) {
  }
  *data = kSent;  // RACE A
}

__global__ void write_at_once(Word* data) {
  *data = kSent;  // RACE A
}

// Three devices in a row: what the first wrote reaches the last through the one between.
template <Access kLoad, Access kStore>
__global__ void pass_on(const Word* from, Word* to) {
  while (load<kLoad.order, kLoad.scope>(from) == 0) {
  }
  store<kStore.order, kStore.scope>(to, 1U);
}

template <Access kStore, Access kLoad, bool kOneWave>
void play_in_block(Scene& scene) {
  const int reader = kOneWave ? 1 : scene.wave;
  hipLaunchKernelGGL((in_block<kStore, kLoad>), blocks(1), threads(reader + 1), 0, nullptr,
                     scene.data(), scene.flags(), scene.out(), static_cast<unsigned>(reader));
  expect(scene, scene.out(), kSent);
}

template <Access kStore, Access kLoad>
void play_in_grid(Scene& scene) {
  hipLaunchKernelGGL((in_grid<kStore, kLoad>), blocks(2), threads(1), 0, nullptr, scene.data(),
                     scene.flags(), scene.out());
  expect(scene, scene.out(), kSent);
}

// The data are the writer's, the flag is the reader's.
template <Access kStore, Access kLoad>
void play_raw(Scene& scene) {
  Board& board = scene.board;
  if (scene.rank == 0) {
    hipLaunchKernelGGL(pushing<kStore>, blocks(1), threads(1), 0, nullptr, board.data[0],
                       board.flags[1]);
    return finish(scene);
  }
  hipLaunchKernelGGL(pulling<kLoad>, blocks(1), threads(1), 0, nullptr, board.data[0],
                     board.flags[1], board.out[1]);
  expect(scene, board.out[1], kSent);
}

template <Access kStore, Access kLoad>
void play_war(Scene& scene) {
  Board& board = scene.board;
  if (scene.rank == 0) {
    hipLaunchKernelGGL(wait_and_write<kLoad>, blocks(1), threads(1), 0, nullptr, board.data[0],
                       board.flags[0]);
    return expect(scene, board.data[0], kSent);
  }
  hipLaunchKernelGGL(read_and_answer<kStore>, blocks(1), threads(1), 0, nullptr, board.data[0],
                     board.flags[0], board.out[1]);
  expect(scene, board.out[1], kBefore);
}

void play_war_at_once(Scene& scene) {
  Board& board = scene.board;
  if (scene.rank == 0) {
    hipLaunchKernelGGL(write_at_once, blocks(1), threads(1), 0, nullptr, board.data[0]);
  } else {
    hipLaunchKernelGGL(read_and_answer<kRelease>, blocks(1), threads(1), 0, nullptr, board.data[0],
                       board.flags[0], board.out[1]);
  }
  finish(scene);
}

template <Access kStore, Access kLoad>
void play_waw(Scene& scene) {
  Board& board = scene.board;
  if (scene.rank == 0) {
    hipLaunchKernelGGL(pushing<kStore>, blocks(1), threads(1), 0, nullptr, board.data[0],
                       board.flags[1]);
    return finish(scene);
  }
  hipLaunchKernelGGL(wait_and_write<kLoad>, blocks(1), threads(1), 0, nullptr, board.data[0],
                     board.flags[1]);
  expect(scene, board.data[0], kSent);
}

void play_waw_at_once(Scene& scene) {
  Board& board = scene.board;
  if (scene.rank == 0) {
    hipLaunchKernelGGL(pushing<kRelease>, blocks(1), threads(1), 0, nullptr, board.data[0],
                       board.flags[1]);
  } else {
    hipLaunchKernelGGL(write_at_once, blocks(1), threads(1), 0, nullptr, board.data[0]);
  }
  finish(scene);
}

template <Access kLoad, Access kStore>
void play_chain(Scene& scene) {
  Board& board = scene.board;
  if (scene.rank == 0) {
    hipLaunchKernelGGL(pushing<kRelease>, blocks(1), threads(1), 0, nullptr, board.data[0],
                       board.flags[1]);
  } else if (scene.rank == 1) {
    hipLaunchKernelGGL((pass_on<kLoad, kStore>), blocks(1), threads(1), 0, nullptr, board.flags[1],
                       board.flags[2]);
  } else {
    hipLaunchKernelGGL(pulling<kAcquire>, blocks(1), threads(1), 0, nullptr, board.data[0],
                       board.flags[2], board.out[2]);
    return expect(scene, board.out[2], kSent);
  }
  finish(scene);
}

// The reader of a line before its flag: which kind of finding, on the lines of push and pull.
std::vector<Finding> raw(ReportKind kind) { return {{kind, "push A", "pull A"}}; }

constexpr ReportKind kHandoff = ReportKind::relaxed_handoff;
constexpr ReportKind kScope = ReportKind::scope_race;
constexpr ReportKind kData = ReportKind::data_race;

std::vector<Litmus> near_rows() {
  return {
      {.name = "clean_wave_wavefront_release_acquire_raw",
       .level = Level::wave,
       .sentence = "A flag of wavefront scope between two lanes of one wave.",
       .play = play_in_block<kReleaseOfWave, kAcquireOfWave, true>},
      {.name = "race_block_wavefront_release_acquire_raw",
       .sentence = "The same flag between two waves: wavefront scope does not reach the other one.",
       .play = play_in_block<kReleaseOfWave, kAcquireOfWave, false>,
       .findings = raw(kScope)},
      {.name = "clean_block_workgroup_release_acquire_raw",
       .sentence = "A flag of workgroup scope between two waves of one block.",
       .play = play_in_block<kReleaseOfBlock, kAcquireOfBlock, false>},
      {.name = "race_block_relaxed_flag_raw",
       .sentence = "A relaxed flag between two waves of one block.",
       .play = play_in_block<kRelaxedOfBlock, kRelaxedOfBlock, false>,
       .findings = raw(kHandoff)},
      {.name = "race_interblock_workgroup_release_acquire_raw",
       .level = Level::device,
       .sentence = "A flag of workgroup scope between two blocks.",
       .play = play_in_grid<kReleaseOfBlock, kAcquireOfBlock>,
       .findings = raw(kScope)},
      {.name = "clean_interblock_agent_release_acquire_raw",
       .level = Level::device,
       .sentence = "A flag of agent scope between two blocks.",
       .play = play_in_grid<kReleaseOfDevice, kAcquireOfDevice>},
      {.name = "race_interblock_workgroup_release_raw",
       .level = Level::device,
       .sentence = "The store has workgroup scope, the load agent scope: both must reach.",
       .play = play_in_grid<kReleaseOfBlock, kAcquireOfDevice>,
       .findings = raw(kScope)},
      {.name = "race_interblock_workgroup_acquire_raw",
       .level = Level::device,
       .sentence = "The store has agent scope, the load workgroup scope: both must reach.",
       .play = play_in_grid<kReleaseOfDevice, kAcquireOfBlock>,
       .findings = raw(kScope)},
      {.name = "race_interblock_relaxed_flag_raw",
       .level = Level::device,
       .sentence = "A relaxed flag between two blocks.",
       .play = play_in_grid<kRelaxedOfDevice, kRelaxedOfDevice>,
       .findings = raw(kHandoff)},
      {.name = "race_interblock_relaxed_store_raw",
       .level = Level::device,
       .sentence = "The reader acquires, the writer does not release.",
       .play = play_in_grid<kRelaxedOfDevice, kAcquireOfDevice>,
       .findings = raw(kHandoff)},
      {.name = "race_interblock_relaxed_load_raw",
       .level = Level::device,
       .sentence = "The writer releases, the reader does not acquire.",
       .play = play_in_grid<kReleaseOfDevice, kRelaxedOfDevice>,
       .findings = raw(kHandoff)},
      {.name = "clean_interblock_system_release_acquire_raw",
       .level = Level::device,
       .sentence = "A scope wider than needed is right.",
       .play = play_in_grid<kRelease, kAcquire>},
  };
}

std::vector<Litmus> first_device_rows() {
  constexpr Level kLevel = Level::system;
  return {
      {.name = "clean_interdevice_system_release_acquire_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "A flag of system scope between two devices.",
       .play = play_raw<kRelease, kAcquire>},
      {.name = "race_interdevice_agent_release_acquire_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "A flag of agent scope between two devices.",
       .play = play_raw<kReleaseOfDevice, kAcquireOfDevice>,
       .findings = raw(kScope)},
      {.name = "race_interdevice_agent_release_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The store has agent scope, the load system scope: both must reach.",
       .play = play_raw<kReleaseOfDevice, kAcquire>,
       .findings = raw(kScope)},
      {.name = "race_interdevice_agent_acquire_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The store has system scope, the load agent scope: both must reach.",
       .play = play_raw<kRelease, kAcquireOfDevice>,
       .findings = raw(kScope)},
      {.name = "race_interdevice_relaxed_flag_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "A relaxed flag between two devices.",
       .play = play_raw<kRelaxed, kRelaxed>,
       .findings = raw(kHandoff)},
      {.name = "race_interdevice_relaxed_store_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The reader acquires, the writer does not release.",
       .play = play_raw<kRelaxed, kAcquire>,
       .findings = raw(kHandoff)},
      {.name = "race_interdevice_relaxed_load_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The writer releases, the reader does not acquire.",
       .play = play_raw<kRelease, kRelaxed>,
       .findings = raw(kHandoff)},
      {.name = "clean_interdevice_answer_war",
       .level = kLevel,
       .devices = 2,
       .sentence = "The writer waits until the reader has released an answer.",
       .play = play_war<kRelease, kAcquire>},
  };
}

std::vector<Litmus> further_device_rows() {
  constexpr Level kLevel = Level::system;
  return {
      {.name = "race_interdevice_relaxed_answer_war",
       .level = kLevel,
       .devices = 2,
       .sentence = "A relaxed answer does not hold the read before it.",
       .play = play_war<kRelaxed, kAcquire>,
       .findings = {{kHandoff, "read_and_answer A", "wait_and_write A"}}},
      {.name = "race_interdevice_agent_answer_war",
       .level = kLevel,
       .devices = 2,
       .sentence = "An answer of agent scope to another device.",
       .play = play_war<kReleaseOfDevice, kAcquire>,
       .findings = {{kScope, "read_and_answer A", "wait_and_write A"}}},
      {.name = "race_interdevice_no_answer_war",
       .level = kLevel,
       .devices = 2,
       .sentence = "The writer does not wait for the reader.",
       .play = play_war_at_once,
       .findings = {{kData, "read_and_answer A", "write_at_once A"}}},
      {.name = "clean_interdevice_release_acquire_waw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The second writer waits for the first one's flag.",
       .play = play_waw<kRelease, kAcquire>},
      {.name = "race_interdevice_relaxed_flag_waw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The second writer waits for a relaxed flag.",
       .play = play_waw<kRelaxed, kRelaxed>,
       .findings = {{kHandoff, "push A", "wait_and_write A"}}},
      {.name = "race_interdevice_no_flag_waw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The second writer does not wait.",
       .play = play_waw_at_once,
       .findings = {{kData, "push A", "write_at_once A"}}},
      {.name = "clean_interdevice_chain_of_three_raw",
       .level = kLevel,
       .devices = 3,
       .sentence = "The first device's write reaches the third through the second one's flag.",
       .play = play_chain<kAcquire, kRelease>},
      {.name = "race_interdevice_chain_relaxed_in_the_middle_raw",
       .level = kLevel,
       .devices = 3,
       .sentence = "The device in the middle passes the message on without acquire.",
       .play = play_chain<kRelaxed, kRelease>,
       .findings = raw(kHandoff)},
      {.name = "race_interdevice_chain_agent_in_the_middle_raw",
       .level = kLevel,
       .devices = 3,
       .sentence = "The device in the middle passes the message on at agent scope.",
       .play = play_chain<kAcquire, kReleaseOfDevice>,
       .findings = raw(kScope)},
  };
}

std::vector<Litmus> device_rows() {
  std::vector<Litmus> rows = first_device_rows();
  for (Litmus& row : further_device_rows()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace

std::vector<Litmus> message_rows() {
  std::vector<Litmus> rows = near_rows();
  for (Litmus& row : device_rows()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace rankle::sim::litmus
