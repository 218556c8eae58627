// Lanes of one wave and waves of one block that exchange words through shared memory: what stands
// between the two accesses decides. The partner of a thread is `distance` away: 1 is in the same
// wave, the wave size in another one.
#include "tests/litmus/scene.h"

namespace rankle::sim::litmus {
namespace {

enum class Between {
  nothing,
  fence,           // __threadfence_block()
  shuffle,         // moves a register, orders no memory
  half_barrier,    // __syncwarp() of the own half of the wave
  warp_barrier,    // __syncwarp()
  fenced_barrier,  // the wave barrier between two fences, as ROCm spells __syncwarp()
  block_barrier,   // __syncthreads()
  vote             // __syncthreads_or()
};

template <Between kBetween>
__device__ __forceinline__ void between() {
  const unsigned lanes = static_cast<unsigned>(static_cast<int>(warpSize));
  if constexpr (kBetween == Between::fence) __threadfence_block();
  if constexpr (kBetween == Between::shuffle) static_cast<void>(__shfl_xor(threadIdx.x, 1));
  if constexpr (kBetween == Between::half_barrier) {
    const unsigned long long low = (1ULL << lanes / 2) - 1;
    __syncwarp(threadIdx.x % lanes < lanes / 2 ? low : low << lanes / 2);
  }
  if constexpr (kBetween == Between::warp_barrier) __syncwarp();
  if constexpr (kBetween == Between::fenced_barrier) {
    fence<Order::release, Scope::wave>();
    __builtin_amdgcn_wave_barrier();
    fence<Order::acquire, Scope::wave>();
  }
  if constexpr (kBetween == Between::block_barrier) __syncthreads();
  if constexpr (kBetween == Between::vote) static_cast<void>(__syncthreads_or(0));
}

template <Between kBetween>
__global__ void write_then_read(unsigned distance, Word* out) {
  __shared__ Word tile[128];
  tile[threadIdx.x] = 0;
  __syncthreads();
  tile[threadIdx.x] = kSent;  // RACE A
  between<kBetween>();
  const Word read = tile[threadIdx.x ^ distance];  // RACE B
  out[blockIdx.x * blockDim.x + threadIdx.x] = read;
}

template <Between kBetween>
__global__ void read_then_write(unsigned distance, Word* out) {
  __shared__ Word tile[128];
  tile[threadIdx.x] = kBefore;
  __syncthreads();
  const Word read = tile[threadIdx.x ^ distance];  // RACE A
  between<kBetween>();
  tile[threadIdx.x] = kSent;  // RACE B
  out[threadIdx.x] = read;
}

template <Between kBetween>
__global__ void write_then_write(unsigned distance, Word* out) {
  __shared__ Word tile[128];
  tile[threadIdx.x] = kBefore;  // RACE A
  between<kBetween>();
  tile[threadIdx.x ^ distance] = kSent;  // RACE B
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}

// Every lane writes the same word, in one instruction.
__global__ void write_together(unsigned, Word* out) {
  __shared__ Word last;
  last = kSent;  // RACE A
  __syncthreads();
  out[threadIdx.x] = last;
}

// The fences stand before what they should order.
__global__ void fence_then_exchange(unsigned distance, Word* out) {
  __shared__ Word tile[128];
  tile[threadIdx.x] = 0;
  __syncthreads();
  __threadfence_block();
  tile[threadIdx.x] = kSent;                       // RACE A
  const Word read = tile[threadIdx.x ^ distance];  // RACE B
  out[threadIdx.x] = read;
}

// Four rounds: write a slot, meet, read the partner's word of it.
template <unsigned kSlots, bool kMeetAgain>
__global__ void rounds(unsigned distance, Word* out) {
  __shared__ Word tile[kSlots][128];
  Word sum = 0;
  for (unsigned round = 0; round < 4; ++round) {
    Word* const slot = tile[round % kSlots];
    slot[threadIdx.x] = round;  // RACE A
    __syncthreads();
    sum += slot[threadIdx.x ^ distance];  // RACE B
    if constexpr (kMeetAgain) __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// The slot changes every second round instead of every round.
__global__ void slow_rounds(unsigned distance, Word* out) {
  __shared__ Word tile[2][128];
  Word sum = 0;
  for (unsigned round = 0; round < 4; ++round) {
    Word* const slot = tile[round / 2 % 2];
    slot[threadIdx.x] = round;  // RACE A
    __syncthreads();
    sum += slot[threadIdx.x ^ distance];  // RACE B
  }
  out[threadIdx.x] = sum;
}

__global__ void late_write(Word* out) {
  __shared__ Word total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  if (threadIdx.x == 0) total = kSent;                // RACE A
  if (threadIdx.x == blockDim.x - 1) out[0] = total;  // RACE B
}

// The first wave counts, the last thread reads the sum.
template <bool kMeet>
__global__ void shared_counter(Word* out) {
  __shared__ Word count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (threadIdx.x < blockDim.x / 2) atomicAdd(&count, 1U);  // RACE A
  if constexpr (kMeet) __syncthreads();
  if (threadIdx.x == blockDim.x - 1) out[0] = count;  // RACE B
}

__global__ void register_sum(Word* out) {
  Word sum = threadIdx.x;
  for (int lanes = 1; lanes < warpSize; lanes *= 2) sum += __shfl_xor(sum, lanes);
  out[threadIdx.x] = sum;
}

template <auto kKernel>
void play_in_wave(Scene& scene) {
  hipLaunchKernelGGL(kKernel, blocks(1), threads(scene.wave), 0, nullptr, 1U, scene.out());
  expect(scene, scene.out(), kSent);
}

template <auto kKernel>
void play_in_wave_war(Scene& scene) {
  hipLaunchKernelGGL(kKernel, blocks(1), threads(scene.wave), 0, nullptr, 1U, scene.out());
  expect(scene, scene.out(), kBefore);
}

// The partner is in the other half of the wave.
template <auto kKernel>
void play_across_halves(Scene& scene) {
  hipLaunchKernelGGL(kKernel, blocks(1), threads(scene.wave), 0, nullptr,
                     static_cast<unsigned>(scene.wave / 2), scene.out());
  finish(scene);
}

template <auto kKernel, Word kResult, int kBlocks = 1>
void play_in_block(Scene& scene) {
  hipLaunchKernelGGL(kKernel, blocks(kBlocks), threads(2 * scene.wave), 0, nullptr,
                     static_cast<unsigned>(scene.wave), scene.out());
  expect(scene, scene.out(), kResult);
}

void play_late_write(Scene& scene) {
  hipLaunchKernelGGL(late_write, blocks(1), threads(2 * scene.wave), 0, nullptr, scene.out());
  finish(scene);
}

template <bool kMeet>
void play_counter(Scene& scene) {
  hipLaunchKernelGGL(shared_counter<kMeet>, blocks(1), threads(2 * scene.wave), 0, nullptr,
                     scene.out());
  expect(scene, scene.out(), static_cast<Word>(scene.wave));
}

void play_register_sum(Scene& scene) {
  hipLaunchKernelGGL(register_sum, blocks(1), threads(scene.wave), 0, nullptr, scene.out());
  expect(scene, scene.out(), static_cast<Word>(scene.wave * (scene.wave - 1) / 2));
}

constexpr ReportKind kWave = ReportKind::wave_synchronous;
constexpr ReportKind kData = ReportKind::data_race;

const std::vector<Finding> kWaveRaw = {{kWave, "write_then_read A", "write_then_read B"}};
const std::vector<Finding> kBlockRaw = {{kData, "write_then_read A", "write_then_read B"}};

std::vector<Litmus> wave_rows() {
  using B = Between;
  constexpr Level kLevel = Level::wave;
  return {
      {.name = "race_wave_nothing_between_raw",
       .level = kLevel,
       .sentence = "A lane reads what its neighbour has just written; only lockstep is between.",
       .play = play_in_wave<write_then_read<B::nothing>>,
       .findings = kWaveRaw},
      {.name = "race_wave_nothing_between_war",
       .level = kLevel,
       .sentence = "A lane overwrites what its neighbour reads; only lockstep is between.",
       .play = play_in_wave_war<read_then_write<B::nothing>>,
       .findings = {{kWave, "read_then_write A", "read_then_write B"}}},
      {.name = "race_wave_nothing_between_waw",
       .level = kLevel,
       .sentence = "A lane overwrites its neighbour's word; only lockstep is between.",
       .play = play_in_wave<write_then_write<B::nothing>>,
       .findings = {{kWave, "write_then_write A", "write_then_write B"}}},
      {.name = "race_wave_one_word_for_all_waw",
       .level = kLevel,
       .sentence = "All lanes write one word in one instruction: a race in C++20 (CUDA says that "
                   "one of them wins).",
       .play = play_in_wave<write_together>,
       .findings = {{kWave, "write_together A", "write_together A"}}},
      {.name = "race_wave_fence_without_barrier_raw",
       .level = kLevel,
       .sentence = "A fence orders a lane's own accesses and does not wait for its neighbour.",
       .play = play_in_wave<write_then_read<B::fence>>,
       .findings = kWaveRaw},
      {.name = "race_wave_fences_before_the_exchange_raw",
       .level = kLevel,
       .sentence = "Both lanes fence before they exchange words.",
       .play = play_in_wave<fence_then_exchange>,
       .findings = {{kWave, "fence_then_exchange A", "fence_then_exchange B"}}},
      {.name = "race_wave_shuffle_is_no_barrier_raw",
       .level = kLevel,
       .sentence = "A shuffle makes lanes meet, and orders no memory.",
       .play = play_in_wave<write_then_read<B::shuffle>>,
       .findings = kWaveRaw},
  };
}

std::vector<Litmus> further_wave_rows() {
  using B = Between;
  constexpr Level kLevel = Level::wave;
  return {
      {.name = "race_wave_barrier_of_the_other_half_raw",
       .level = kLevel,
       .sentence = "Each half of the wave meets for itself; the partner is in the other half.",
       .play = play_across_halves<write_then_read<B::half_barrier>>,
       .findings = kWaveRaw},
      {.name = "clean_wave_barrier_of_the_own_half_raw",
       .level = kLevel,
       .sentence = "Each half of the wave meets for itself; the partner is in the same half.",
       .play = play_in_wave<write_then_read<B::half_barrier>>},
      {.name = "clean_wave_syncwarp_raw",
       .level = kLevel,
       .sentence = "`__syncwarp()` orders the memory of the lanes that meet.",
       .play = play_in_wave<write_then_read<B::warp_barrier>>},
      {.name = "clean_wave_syncwarp_war",
       .level = kLevel,
       .sentence = "`__syncwarp()` between a lane's read and its neighbour's write.",
       .play = play_in_wave_war<read_then_write<B::warp_barrier>>},
      {.name = "clean_wave_syncwarp_waw",
       .level = kLevel,
       .sentence = "`__syncwarp()` between the writes of two lanes.",
       .play = play_in_wave<write_then_write<B::warp_barrier>>},
      {.name = "clean_wave_fenced_wave_barrier_raw",
       .level = kLevel,
       .sentence = "A wave barrier between a release and an acquire fence of the wave.",
       .play = play_in_wave<write_then_read<B::fenced_barrier>>},
      {.name = "clean_wave_fenced_wave_barrier_war",
       .level = kLevel,
       .sentence = "The same between a lane's read and its neighbour's write.",
       .play = play_in_wave_war<read_then_write<B::fenced_barrier>>},
      {.name = "clean_wave_shuffle_sum",
       .level = kLevel,
       .sentence = "A sum by shuffles stays in registers.",
       .play = play_register_sum},
  };
}

std::vector<Litmus> block_rows() {
  using B = Between;
  return {
      {.name = "race_block_nothing_between_raw",
       .sentence = "A thread reads what one of another wave writes, with nothing between.",
       .play = play_in_block<write_then_read<B::nothing>, kSent>,
       .findings = kBlockRaw},
      {.name = "race_block_nothing_between_war",
       .sentence = "A thread overwrites what one of another wave reads, with nothing between.",
       .play = play_in_block<read_then_write<B::nothing>, kBefore>,
       .findings = {{kData, "read_then_write A", "read_then_write B"}}},
      {.name = "race_block_nothing_between_waw",
       .sentence = "Threads of two waves write one word, with nothing between.",
       .play = play_in_block<write_then_write<B::nothing>, kSent>,
       .findings = {{kData, "write_then_write A", "write_then_write B"}}},
      {.name = "race_block_fence_without_barrier_raw",
       .sentence = "`__threadfence_block()` in both waves; neither waits for the other.",
       .play = play_in_block<write_then_read<B::fence>, kSent>,
       .findings = kBlockRaw},
      {.name = "race_block_syncwarp_between_waves_raw",
       .sentence = "`__syncwarp()` orders the lanes of a wave, and the partner is in another one.",
       .play = play_in_block<write_then_read<B::warp_barrier>, kSent>,
       .findings = kBlockRaw},
      {.name = "race_block_write_behind_the_barrier_raw",
       .sentence = "The word is written behind the barrier that was to publish it.",
       .play = play_late_write,
       .findings = {{kData, "late_write A", "late_write B"}}},
      {.name = "race_block_tile_reused_without_barrier_war",
       .sentence = "A loop with one barrier and one tile: the next round overwrites it too early.",
       .play = play_in_block<rounds<1, false>, 6>,
       .findings = {{kData, "rounds A", "rounds B"}}},
      {.name = "race_block_double_buffer_changes_too_late_war",
       .sentence = "Two tiles and one barrier a round, but two rounds in a row use one tile.",
       .play = play_in_block<slow_rounds, 6>,
       .findings = {{kData, "slow_rounds A", "slow_rounds B"}}},
      {.name = "race_block_shared_counter_read_early_raw",
       .sentence = "One wave counts atomically, another reads the count plainly and at once.",
       .play = play_counter<false>,
       .findings = {{kData, "shared_counter A", "shared_counter B"}}},
      {.name = "clean_block_barrier_raw",
       .sentence = "`__syncthreads()` between a write and a read of two waves.",
       .play = play_in_block<write_then_read<B::block_barrier>, kSent>},
      {.name = "clean_block_barrier_war",
       .sentence = "`__syncthreads()` between a read and a write of two waves.",
       .play = play_in_block<read_then_write<B::block_barrier>, kBefore>},
      {.name = "clean_block_barrier_waw",
       .sentence = "`__syncthreads()` between the writes of two waves.",
       .play = play_in_block<write_then_write<B::block_barrier>, kSent>},
      {.name = "clean_block_voting_barrier_raw",
       .sentence = "`__syncthreads_or()` is a barrier too.",
       .play = play_in_block<write_then_read<B::vote>, kSent>},
      {.name = "clean_block_tile_reused_behind_a_barrier_war",
       .sentence = "A loop with two barriers and one tile.",
       .play = play_in_block<rounds<1, true>, 6>},
      {.name = "clean_block_double_buffer_war",
       .sentence = "A loop with one barrier and two tiles in turn: the barrier of the next round "
                   "lies between a read and the write that follows it.",
       .play = play_in_block<rounds<2, false>, 6>},
      {.name = "clean_block_shared_counter_raw",
       .sentence = "One wave counts atomically, another reads the count behind a barrier.",
       .play = play_counter<true>},
      {.name = "clean_block_shared_memory_of_an_earlier_block",
       .sentence = "Four blocks have the same shared memory one after another, and it is new to "
                   "each.",
       .play = play_in_block<write_then_read<B::block_barrier>, kSent, 4>,
       .resident_blocks = 1},
  };
}

}  // namespace

std::vector<Litmus> barrier_rows() {
  std::vector<Litmus> rows = wave_rows();
  for (Litmus& row : further_wave_rows()) rows.push_back(std::move(row));
  for (Litmus& row : block_rows()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace rankle::sim::litmus
