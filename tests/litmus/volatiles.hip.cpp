// Volatile accesses, as foreign kernels use them for flags: relaxed atomic ones at system scope by
// default, as in PTX, or ordinary ones (--volatile=plain). Several kernels are here under both
// models.
#include "tests/litmus/scene.h"

namespace rankle::sim::litmus {
namespace {

enum class Fence { none, device, system };

template <Fence kFence>
__device__ __forceinline__ void threadfence() {
  if constexpr (kFence == Fence::device) __threadfence();
  if constexpr (kFence == Fence::system) __threadfence_system();
}

template <Fence kFence>
__global__ void push(Word* data, volatile Word* flag) {
  *data = kSent;  // RACE A
  threadfence<kFence>();
  *flag = 1;  // RACE B
}

template <Fence kFence>
__global__ void pull(const Word* data, const volatile Word* flag, Word* out) {
  while (*flag == 0) {  // RACE A
  }
  threadfence<kFence>();
  *out = *data;  // RACE B
}

// The data are volatile too, and nobody waits for anything.
__global__ void volatile_data(volatile Word* data, Word* out) {
  if (blockIdx.x == 0) {
    *data = kSent;  // RACE A
  } else {
    *out = *data;  // RACE B
  }
}

__global__ void volatile_on_one_side(Word* data, Word* out) {
  if (blockIdx.x == 0) {
    *static_cast<volatile Word*>(data) = kSent;  // RACE A
  } else {
    *out = *data;  // RACE B
  }
}

// Two lanes of one wave; volatile in the place of a wave barrier, as in old reductions.
__global__ void volatile_in_wave(Word* out) {
  __shared__ Word tile[64];
  volatile Word* const row = tile;
  tile[threadIdx.x] = 0;
  __syncthreads();
  row[threadIdx.x] = kSent;                // RACE A
  const Word read = row[threadIdx.x ^ 1];  // RACE B
  out[threadIdx.x] = read;
}

// Every thread of two blocks counts at a volatile word that only its own block uses.
__global__ void volatile_of_one_thread(volatile Word* data, Word* out) {
  for (int i = 0; i < 3; ++i) data[blockIdx.x] = data[blockIdx.x] + 1;
  out[blockIdx.x] = data[blockIdx.x];
}

template <Fence kWriter, Fence kReader>
void play_flag(Scene& scene) {
  Board& board = scene.board;
  if (scene.rank == 0) {
    hipLaunchKernelGGL(push<kWriter>, blocks(1), threads(1), 0, nullptr, board.data[0],
                       board.flags[1]);
    return finish(scene);
  }
  hipLaunchKernelGGL(pull<kReader>, blocks(1), threads(1), 0, nullptr, board.data[0],
                     board.flags[1], board.out[1]);
  expect(scene, board.out[1], kSent);
}

template <auto kKernel>
void play_blocks(Scene& scene) {
  hipLaunchKernelGGL(kKernel, blocks(2), threads(1), 0, nullptr, scene.data(), scene.out());
  finish(scene);
}

void play_wave(Scene& scene) {
  hipLaunchKernelGGL(volatile_in_wave, blocks(1), threads(scene.wave), 0, nullptr, scene.out());
  finish(scene);
}

constexpr ReportKind kHandoff = ReportKind::relaxed_handoff;
constexpr ReportKind kScope = ReportKind::scope_race;
constexpr ReportKind kData = ReportKind::data_race;
constexpr ReportKind kWave = ReportKind::wave_synchronous;

std::vector<Litmus> relaxed_rows() {
  constexpr Level kLevel = Level::system;
  const auto raw = [](ReportKind kind) { return std::vector<Finding>{{kind, "push A", "pull B"}}; };
  return {
      {.name = "clean_interdevice_volatile_flag_with_fences_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "A volatile flag between two `__threadfence_system()`.",
       .play = play_flag<Fence::system, Fence::system>},
      {.name = "race_interdevice_volatile_flag_with_threadfence_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The writer has `__threadfence()`, which does not reach the other device.",
       .play = play_flag<Fence::device, Fence::system>,
       .findings = raw(kScope)},
      {.name = "race_interdevice_volatile_flag_without_fence_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "A volatile flag alone is a relaxed flag.",
       .play = play_flag<Fence::none, Fence::none>,
       .findings = raw(kHandoff)},
      {.name = "race_interdevice_volatile_flag_without_acquire_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The reader has no fence behind its spin.",
       .play = play_flag<Fence::system, Fence::none>,
       .findings = raw(kHandoff)},
      {.name = "clean_interblock_volatile_data",
       .level = Level::device,
       .sentence = "Volatile accesses do not race with each other (which value is read is open).",
       .play = play_blocks<volatile_data>},
      {.name = "race_interblock_volatile_on_one_side_raw",
       .level = Level::device,
       .sentence = "The write is volatile, the read is not.",
       .play = play_blocks<volatile_on_one_side>,
       .findings = {{kData, "volatile_on_one_side A", "volatile_on_one_side B"}}},
      {.name = "clean_wave_volatile_tile",
       .level = Level::wave,
       .sentence = "Lanes exchange words through volatile shared memory: no race, though which "
                   "value is read depends on lockstep.",
       .play = play_wave},
  };
}

std::vector<Litmus> plain_rows() {
  constexpr VolatileModel kPlain = VolatileModel::plain;
  return {
      {.name = "race_interdevice_volatile_flag_with_fences_plain_raw",
       .level = Level::system,
       .devices = 2,
       .sentence = "`--volatile=plain`: a volatile flag between fences is no flag.",
       .play = play_flag<Fence::system, Fence::system>,
       .findings = {{kData, "push A", "pull B"}, {kData, "push B", "pull A"}},
       .volatile_model = kPlain},
      {.name = "race_interblock_volatile_data_plain_raw",
       .level = Level::device,
       .sentence = "`--volatile=plain`: volatile data race like any other.",
       .play = play_blocks<volatile_data>,
       .findings = {{kData, "volatile_data A", "volatile_data B"}},
       .volatile_model = kPlain},
      {.name = "race_interblock_volatile_on_one_side_plain_raw",
       .level = Level::device,
       .sentence = "`--volatile=plain`: a volatile write and a read.",
       .play = play_blocks<volatile_on_one_side>,
       .findings = {{kData, "volatile_on_one_side A", "volatile_on_one_side B"}},
       .volatile_model = kPlain},
      {.name = "race_wave_volatile_tile_plain_raw",
       .level = Level::wave,
       .sentence = "`--volatile=plain`: the volatile tile of a wave has only lockstep between.",
       .play = play_wave,
       .findings = {{kWave, "volatile_in_wave A", "volatile_in_wave B"}},
       .volatile_model = kPlain},
      {.name = "clean_interblock_volatile_of_one_thread_plain",
       .level = Level::device,
       .sentence = "`--volatile=plain`: a volatile word that one thread uses.",
       .play = play_blocks<volatile_of_one_thread>,
       .volatile_model = kPlain},
  };
}

}  // namespace

std::vector<Litmus> volatile_rows() {
  std::vector<Litmus> rows = relaxed_rows();
  for (Litmus& row : plain_rows()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace rankle::sim::litmus
