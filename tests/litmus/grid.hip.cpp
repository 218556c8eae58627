// Barriers over the blocks of one grid, by hand and by cooperative groups, and the block that comes
// last: hand-offs between whole blocks, where one thread speaks for all.
#include <hip/hip_cooperative_groups.h>

#include "tests/litmus/scene.h"

namespace rankle::sim::litmus {
namespace {

constexpr int kBlocks = 3;

template <Order kArrive, Order kWait, Scope kScope>
__device__ void meet(Word* counter) {
  fetch_add<kArrive, kScope>(counter, 1U);
  while (load<kWait, kScope>(counter) < gridDim.x) {
  }
}

struct Barrier {
  Order arrive = Order::acq_rel;
  Order wait = Order::acquire;
  Scope scope = Scope::device;
  bool leads = true;   // __syncthreads() before thread 0 arrives
  bool trails = true;  // __syncthreads() behind the wait
};

// Every thread writes a word; behind the barrier it reads that of the next block.
template <Barrier kBarrier>
__global__ void grid_barrier(Word* data, Word* counter, Word* out) {
  const unsigned self = blockIdx.x * blockDim.x + threadIdx.x;
  data[self] = kSent;  // RACE A
  if constexpr (kBarrier.leads) __syncthreads();
  if (threadIdx.x == 0) meet<kBarrier.arrive, kBarrier.wait, kBarrier.scope>(counter);
  if constexpr (kBarrier.trails) __syncthreads();
  const unsigned next = (blockIdx.x + 1) % gridDim.x * blockDim.x + threadIdx.x;
  const Word read = data[next];  // RACE B
  out[self] = read;
}

// The barrier lies between a read and a write.
template <Barrier kBarrier>
__global__ void read_then_write(Word* data, Word* counter, Word* out) {
  const unsigned self = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned next = (blockIdx.x + 1) % gridDim.x * blockDim.x + threadIdx.x;
  const Word read = data[next];  // RACE A
  out[self] = read;
  if constexpr (kBarrier.leads) __syncthreads();
  if (threadIdx.x == 0) meet<kBarrier.arrive, kBarrier.wait, kBarrier.scope>(counter);
  if constexpr (kBarrier.trails) __syncthreads();
  data[self] = kSent;  // RACE B
}

__global__ void cooperative(Word* data, Word*, Word* out) {
  const unsigned self = blockIdx.x * blockDim.x + threadIdx.x;
  data[self] = kSent;
  cooperative_groups::this_grid().sync();
  out[self] = data[(blockIdx.x + 1) % gridDim.x * blockDim.x + threadIdx.x];
}

// Every block writes a partial sum and takes a ticket; whoever has the last one adds them up.
template <bool kFenceBefore, bool kFenceBehind>
__global__ void last_block(Word* partial, Word* tickets, Word* out) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = kSent;  // RACE A
    if constexpr (kFenceBefore) __threadfence();
    is_last = atomicAdd(tickets, 1U) == gridDim.x - 1;
    if constexpr (kFenceBehind) __threadfence();
  }
  __syncthreads();
  if (!is_last || threadIdx.x != blockDim.x - 1) return;
  Word sum = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) sum += partial[i];  // RACE B
  *out = sum;
}

template <auto kKernel, Word kResult>
void play(Scene& scene) {
  hipLaunchKernelGGL(kKernel, blocks(kBlocks), threads(scene.wave + 2), 0, nullptr, scene.data(),
                     scene.flags(), scene.out());
  finish(scene);
  // Whoever came last has written the sum; of barriers the first thread has read this.
  expect(scene, scene.out(), kResult);
}

void play_cooperative(Scene& scene) {
  Word* data = scene.data();
  Word* counter = scene.flags();
  Word* out = scene.out();
  void* arguments[] = {static_cast<void*>(&data), static_cast<void*>(&counter),
                       static_cast<void*>(&out)};
  static_cast<void>(hipLaunchCooperativeKernel(cooperative, blocks(kBlocks), threads(scene.wave),
                                               arguments, 0, nullptr));
  expect(scene, scene.out(), kSent);
}

constexpr Barrier kRelaxed{.arrive = Order::relaxed, .wait = Order::relaxed};
constexpr Barrier kReleaseOnly{.arrive = Order::release, .wait = Order::relaxed};
constexpr Barrier kOfBlock{.scope = Scope::block};
constexpr Barrier kNotLed{.leads = false};
constexpr Barrier kNotTrailed{.trails = false};

std::vector<Litmus> barrier_over_blocks_rows() {
  constexpr Level kLevel = Level::device;
  constexpr ReportKind kHandoff = ReportKind::relaxed_handoff;
  constexpr ReportKind kScope = ReportKind::scope_race;
  constexpr ReportKind kData = ReportKind::data_race;
  const auto raw = [](ReportKind kind) {
    return std::vector<Finding>{{kind, "grid_barrier A", "grid_barrier B"}};
  };
  return {
      {.name = "clean_interblock_grid_barrier_raw",
       .level = kLevel,
       .sentence = "A grid barrier: `__syncthreads()`, one thread arrives (acq_rel) and waits "
                   "(acquire), `__syncthreads()`.",
       .play = play<grid_barrier<Barrier{}>, kSent>},
      {.name = "clean_interblock_grid_barrier_war",
       .level = kLevel,
       .sentence = "The same barrier between a read and another block's write.",
       .play = play<read_then_write<Barrier{}>, kBefore>},
      {.name = "race_interblock_relaxed_grid_barrier_raw",
       .level = kLevel,
       .sentence = "Its thread arrives and waits relaxed.",
       .play = play<grid_barrier<kRelaxed>, kSent>,
       .findings = raw(kHandoff)},
      {.name = "race_interblock_relaxed_grid_barrier_war",
       .level = kLevel,
       .sentence = "The relaxed barrier between a read and another block's write.",
       .play = play<read_then_write<kRelaxed>, kBefore>,
       .findings = {{kHandoff, "read_then_write A", "read_then_write B"}}},
      {.name = "race_interblock_grid_barrier_relaxed_wait_raw",
       .level = kLevel,
       .sentence = "Its thread arrives with release and waits relaxed.",
       .play = play<grid_barrier<kReleaseOnly>, kSent>,
       .findings = raw(kHandoff)},
      {.name = "race_interblock_grid_barrier_workgroup_scope_raw",
       .level = kLevel,
       .sentence = "Its thread arrives and waits at workgroup scope.",
       .play = play<grid_barrier<kOfBlock>, kSent>,
       .findings = raw(kScope)},
      {.name = "race_interblock_grid_barrier_without_leading_syncthreads_raw",
       .level = kLevel,
       .sentence = "The thread that arrives does not wait for the rest of its block.",
       .play = play<grid_barrier<kNotLed>, kSent>,
       .findings = raw(kData)},
      {.name = "race_interblock_grid_barrier_without_trailing_syncthreads_raw",
       .level = kLevel,
       .sentence = "The rest of the block does not wait for the thread that waits.",
       .play = play<grid_barrier<kNotTrailed>, kSent>,
       .findings = raw(kData)},
      {.name = "clean_interblock_cooperative_grid_raw",
       .level = kLevel,
       .sentence = "`grid_group::sync()` of a cooperative launch.",
       .play = play_cooperative},
  };
}

std::vector<Litmus> last_block_rows() {
  constexpr Level kLevel = Level::device;
  const std::vector<Finding> handoff = {
      {ReportKind::relaxed_handoff, "last_block A", "last_block B"}};
  return {
      {.name = "clean_interblock_last_block_raw",
       .level = kLevel,
       .sentence = "Partial sums, `__threadfence()`, a ticket by `atomicAdd`, `__threadfence()`: "
                   "the block with the last ticket adds them up.",
       .play = play<last_block<true, true>, kBlocks * kSent>},
      {.name = "race_interblock_last_block_without_acquire_raw",
       .level = kLevel,
       .sentence = "The same without the fence behind the ticket.",
       .play = play<last_block<true, false>, kBlocks * kSent>,
       .findings = handoff},
      {.name = "race_interblock_last_block_without_release_raw",
       .level = kLevel,
       .sentence = "The same without the fence before the ticket.",
       .play = play<last_block<false, true>, kBlocks * kSent>,
       .findings = handoff},
      {.name = "race_interblock_last_block_without_fences_raw",
       .level = kLevel,
       .sentence = "The ticket alone.",
       .play = play<last_block<false, false>, kBlocks * kSent>,
       .findings = handoff},
  };
}

}  // namespace

std::vector<Litmus> grid_rows() {
  std::vector<Litmus> rows = barrier_over_blocks_rows();
  for (Litmus& row : last_block_rows()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace rankle::sim::litmus
