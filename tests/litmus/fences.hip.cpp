// Fences that stand in for the order of relaxed flag accesses: which one is missing, too narrow, or
// at the wrong place. First with explicit scopes, then as foreign kernels write them
// (__threadfence and its siblings, atomicAdd, atomicExch).
#include "tests/litmus/scene.h"

namespace rankle::sim::litmus {
namespace {

template <Scope kFence, Scope kFlag>
__global__ void push_fenced(Word* data, Word* flag) {
  *data = kSent;  // RACE A
  fence<Order::release, kFence>();
  store<Order::relaxed, kFlag>(flag, 1U);
}

__global__ void push_unfenced(Word* data, Word* flag) {
  *data = kSent;  // RACE A
  store<Order::relaxed, Scope::system>(flag, 1U);
}

__global__ void push_behind_fence(Word* data, Word* flag) {
  fence<Order::release, Scope::system>();
  *data = kSent;  // RACE A
  store<Order::relaxed, Scope::system>(flag, 1U);
}

__global__ void push_then_fence(Word* data, Word* flag) {
  *data = kSent;  // RACE A
  store<Order::relaxed, Scope::system>(flag, 1U);
  fence<Order::release, Scope::system>();
}

__global__ void push_released(Word* data, Word* flag) {
  *data = kSent;  // RACE A
  store<Order::release, Scope::system>(flag, 1U);
}

template <Scope kFence, Scope kFlag>
__global__ void pull_fenced(const Word* data, const Word* flag, Word* out) {
  while (load<Order::relaxed, kFlag>(flag) == 0) {
  }
  fence<Order::acquire, kFence>();
  *out = *data;  // RACE A
}

__global__ void pull_unfenced(const Word* data, const Word* flag, Word* out) {
  while (load<Order::relaxed, Scope::system>(flag) == 0) {
  }
  *out = *data;  // RACE A
}

__global__ void pull_then_fence(const Word* data, const Word* flag, Word* out) {
  while (load<Order::relaxed, Scope::system>(flag) == 0) {
  }
  *out = *data;  // RACE A
  fence<Order::acquire, Scope::system>();
}

// A release fence where an acquire fence is needed.
__global__ void pull_wrong_fence(const Word* data, const Word* flag, Word* out) {
  while (load<Order::relaxed, Scope::system>(flag) == 0) {
  }
  fence<Order::release, Scope::system>();
  *out = *data;  // RACE A
}

// The flag is seen by one thread, which fences; another one of its block reads behind a barrier.
__global__ void pull_for_the_block(const Word* data, const Word* flag, Word* out) {
  if (threadIdx.x == 0) {
    while (load<Order::relaxed, Scope::system>(flag) == 0) {
    }
    fence<Order::acquire, Scope::system>();
  }
  __syncthreads();
  if (threadIdx.x == blockDim.x - 1) *out = *data;
}

// ... or when a word of shared memory says that the flag was seen.
template <Order kTell, Order kHear>
__global__ void pull_and_tell(const Word* data, const Word* flag, Word* out) {
  __shared__ Word is_seen;
  if (threadIdx.x == 0) is_seen = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    while (load<Order::acquire, Scope::system>(flag) == 0) {
    }
    store<kTell, Scope::block>(&is_seen, 1U);
  }
  if (threadIdx.x == blockDim.x - 1) {
    while (load<kHear, Scope::block>(&is_seen) == 0) {
    }
    *out = *data;  // RACE A
  }
}

// Two blocks of one grid, in the style of foreign kernels.
enum class Style { block, device, none };

template <Style kStyle>
__device__ __forceinline__ void threadfence() {
  if constexpr (kStyle == Style::block) __threadfence_block();
  if constexpr (kStyle == Style::device) __threadfence();
}

template <Style kWriter, Style kReader>
__global__ void foreign(Word* data, Word* flag, Word* out) {
  if (blockIdx.x == 0) {
    *data = kSent;  // RACE A
    threadfence<kWriter>();
    atomicExch(flag, 1U);
  } else {
    while (atomicAdd(flag, 0U) == 0) {
    }
    threadfence<kReader>();
    *out = *data;  // RACE B
  }
}

template <bool kSystemFence>
__global__ void foreign_push(Word* data, Word* flag) {
  *data = kSent;  // RACE A
  if constexpr (kSystemFence) {
    __threadfence_system();
  } else {
    __threadfence();
  }
  atomicExch_system(flag, 1U);
}

__global__ void foreign_pull(const Word* data, Word* flag, Word* out) {
  while (atomicAdd_system(flag, 0U) == 0) {
  }
  __threadfence_system();
  *out = *data;  // RACE A
}

// The data are the writer's, the flag is the reader's.
template <auto kPush, auto kPull, int kThreads = 1>
void play(Scene& scene) {
  Board& board = scene.board;
  if (scene.rank == 0) {
    hipLaunchKernelGGL(kPush, blocks(1), threads(1), 0, nullptr, board.data[0], board.flags[1]);
    return finish(scene);
  }
  hipLaunchKernelGGL(kPull, blocks(1), threads(kThreads), 0, nullptr, board.data[0], board.flags[1],
                     board.out[1]);
  expect(scene, board.out[1], kSent);
}

template <Style kWriter, Style kReader>
void play_foreign(Scene& scene) {
  hipLaunchKernelGGL((foreign<kWriter, kReader>), blocks(2), threads(1), 0, nullptr, scene.data(),
                     scene.flags(), scene.out());
  expect(scene, scene.out(), kSent);
}

constexpr ReportKind kHandoff = ReportKind::relaxed_handoff;
constexpr ReportKind kScope = ReportKind::scope_race;
constexpr Scope kSystem = Scope::system;
constexpr Scope kDevice = Scope::device;
constexpr int kReaders = 70;  // more than one wave

std::vector<Litmus> first_explicit_rows() {
  constexpr Level kLevel = Level::system;
  return {
      {.name = "clean_interdevice_system_fences_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "A relaxed flag between a release and an acquire fence of system scope.",
       .play = play<push_fenced<kSystem, kSystem>, pull_fenced<kSystem, kSystem>>},
      {.name = "race_interdevice_agent_release_fence_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The release fence has agent scope.",
       .play = play<push_fenced<kDevice, kSystem>, pull_fenced<kSystem, kSystem>>,
       .findings = {{kScope, "push_fenced A", "pull_fenced A"}}},
      {.name = "race_interdevice_agent_acquire_fence_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The acquire fence has agent scope.",
       .play = play<push_fenced<kSystem, kSystem>, pull_fenced<kDevice, kSystem>>,
       .findings = {{kScope, "push_fenced A", "pull_fenced A"}}},
      {.name = "race_interdevice_agent_flag_between_system_fences_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The fences reach, the flag accesses between them have agent scope.",
       .play = play<push_fenced<kSystem, kDevice>, pull_fenced<kSystem, kDevice>>,
       .findings = {{kScope, "push_fenced A", "pull_fenced A"}}},
      {.name = "race_interdevice_no_release_fence_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "Nothing releases; the reader has its fence.",
       .play = play<push_unfenced, pull_fenced<kSystem, kSystem>>,
       .findings = {{kHandoff, "push_unfenced A", "pull_fenced A"}}},
      {.name = "race_interdevice_no_acquire_fence_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "Nothing acquires; the writer has its fence.",
       .play = play<push_fenced<kSystem, kSystem>, pull_unfenced>,
       .findings = {{kHandoff, "push_fenced A", "pull_unfenced A"}}},
  };
}

std::vector<Litmus> further_explicit_rows() {
  constexpr Level kLevel = Level::system;
  return {
      {.name = "race_interdevice_fence_before_the_data_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The release fence stands before the write that it should publish.",
       .play = play<push_behind_fence, pull_fenced<kSystem, kSystem>>,
       .findings = {{kHandoff, "push_behind_fence A", "pull_fenced A"}}},
      {.name = "race_interdevice_fence_behind_the_flag_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The release fence stands behind the flag.",
       .play = play<push_then_fence, pull_fenced<kSystem, kSystem>>,
       .findings = {{kHandoff, "push_then_fence A", "pull_fenced A"}}},
      {.name = "race_interdevice_fence_behind_the_read_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The acquire fence stands behind the read that it should hold back.",
       .play = play<push_fenced<kSystem, kSystem>, pull_then_fence>,
       .findings = {{kHandoff, "push_fenced A", "pull_then_fence A"}}},
      {.name = "race_interdevice_release_fence_for_acquire_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "The reader's fence releases where it should acquire.",
       .play = play<push_fenced<kSystem, kSystem>, pull_wrong_fence>,
       .findings = {{kHandoff, "push_fenced A", "pull_wrong_fence A"}}},
      {.name = "clean_interdevice_release_store_acquire_fence_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "A releasing store, a relaxed spin and an acquire fence behind it.",
       .play = play<push_released, pull_fenced<kSystem, kSystem>>},
      {.name = "clean_interdevice_acquire_fence_then_barrier_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "One thread waits and fences; its block reads behind a barrier.",
       .play = play<push_released, pull_for_the_block, kReaders>},
      {.name = "clean_interdevice_acquire_told_in_the_block_raw",
       .level = kLevel,
       .devices = 2,
       .sentence =
           "One thread acquires and tells another wave by a released word of shared memory.",
       .play = play<push_released, pull_and_tell<Order::release, Order::acquire>, kReaders>},
      {.name = "race_interdevice_acquire_told_relaxed_in_the_block_raw",
       .level = kLevel,
       .devices = 2,
       .sentence = "One thread acquires, which helps no other; it tells another wave by a relaxed "
                   "word.",
       .play = play<push_released, pull_and_tell<Order::relaxed, Order::relaxed>, kReaders>,
       .findings = {{kHandoff, "push_released A", "pull_and_tell A"}}},
  };
}

std::vector<Litmus> explicit_rows() {
  std::vector<Litmus> rows = first_explicit_rows();
  for (Litmus& row : further_explicit_rows()) rows.push_back(std::move(row));
  return rows;
}

std::vector<Litmus> foreign_rows() {
  constexpr Level kLevel = Level::device;
  return {
      {.name = "clean_interblock_threadfence_raw",
       .level = kLevel,
       .sentence = "`__threadfence()` on both sides of a flag of `atomicExch` and `atomicAdd`.",
       .play = play_foreign<Style::device, Style::device>},
      {.name = "race_interblock_threadfence_block_raw",
       .level = kLevel,
       .sentence = "`__threadfence_block()` before a flag for another block.",
       .play = play_foreign<Style::block, Style::device>,
       .findings = {{kScope, "foreign A", "foreign B"}}},
      {.name = "race_interblock_threadfence_block_behind_the_spin_raw",
       .level = kLevel,
       .sentence = "`__threadfence_block()` behind the spin on another block's flag.",
       .play = play_foreign<Style::device, Style::block>,
       .findings = {{kScope, "foreign A", "foreign B"}}},
      {.name = "race_interblock_no_fence_behind_the_spin_raw",
       .level = kLevel,
       .sentence = "The writer fences; the reader spins with `atomicAdd(flag, 0)` and does not.",
       .play = play_foreign<Style::device, Style::none>,
       .findings = {{kHandoff, "foreign A", "foreign B"}}},
      {.name = "race_interblock_atomics_without_fences_raw",
       .level = kLevel,
       .sentence = "`atomicExch` and `atomicAdd` alone order nothing else.",
       .play = play_foreign<Style::none, Style::none>,
       .findings = {{kHandoff, "foreign A", "foreign B"}}},
      {.name = "clean_interdevice_threadfence_system_raw",
       .level = Level::system,
       .devices = 2,
       .sentence = "`__threadfence_system()` on both sides of a flag of `_system` atomics.",
       .play = play<foreign_push<true>, foreign_pull>},
      {.name = "race_interdevice_threadfence_raw",
       .level = Level::system,
       .devices = 2,
       .sentence = "`__threadfence()` reaches the own device only.",
       .play = play<foreign_push<false>, foreign_pull>,
       .findings = {{kScope, "foreign_push A", "foreign_pull A"}}},
  };
}

}  // namespace

std::vector<Litmus> fence_rows() {
  std::vector<Litmus> rows = explicit_rows();
  for (Litmus& row : foreign_rows()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace rankle::sim::litmus
