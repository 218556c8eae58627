// What device code asks of the running thread, and the entrance of a kernel launch.
#include <cstdint>

#include "sim/engine.h"
#include "sim/shared_memory.h"
#include "sim/where.h"

namespace rankle::sim {

Where where_running() noexcept {
  if (g_hot.thread == nullptr) {
    const HostRank* const host = Engine::instance().host();
    return host == nullptr ? Where{} : Where{host->rank, -1, -1};
  }
  const ThreadId id = id_of(*g_hot.thread);
  return {id.rank, id.block, id.thread};
}

namespace {

constexpr std::uint32_t kThreadsPerBlockMax = 1024;

std::uint32_t axis_of(const dim3& d, int axis) { return axis == 0 ? d.x : axis == 1 ? d.y : d.z; }

bool is_valid(dim3 grid, dim3 block) {
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  return threads > 0 && threads <= kThreadsPerBlockMax && blocks > 0 && blocks < (1U << 24);
}

}  // namespace
}  // namespace rankle::sim

using rankle::sim::Block;
using rankle::sim::Engine;
using rankle::sim::g_hot;
using rankle::sim::HostRank;
using rankle::sim::Launch;

#pragma GCC visibility push(default)
extern "C" {

unsigned rankle_sim_thread_index(int axis) {
  if (g_hot.thread == nullptr) return 0;
  const dim3& d = g_hot.thread->wave->block->launch->block;
  const std::uint32_t i = g_hot.thread->index;
  return axis == 0 ? i % d.x : axis == 1 ? i / d.x % d.y : i / d.x / d.y;
}

unsigned rankle_sim_block_index(int axis) {
  if (g_hot.thread == nullptr) return 0;
  const Block& block = *g_hot.thread->wave->block;
  return axis == 0 ? block.x : axis == 1 ? block.y : block.z;
}

unsigned rankle_sim_block_dim(int axis) {
  if (g_hot.thread == nullptr) return 1;
  return rankle::sim::axis_of(g_hot.thread->wave->block->launch->block, axis);
}

unsigned rankle_sim_grid_dim(int axis) {
  if (g_hot.thread == nullptr) return 1;
  return rankle::sim::axis_of(g_hot.thread->wave->block->launch->grid, axis);
}

int rankle_sim_wave_size() { return Engine::instance().config().wave; }

void rankle_sim_barrier() {
  const auto pc = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  if (g_hot.thread == nullptr) {
    Engine::instance().report(rankle::sim::ReportKind::api_error, "host code calls __syncthreads()",
                              {rankle::sim::here(pc)});
    return;
  }
  Engine::instance().arrive_at_barrier(g_hot.thread, pc);
}

void rankle_sim_launch(const void* kernel, dim3 grid, dim3 block, std::size_t dynamic_shared_bytes,
                       hipStream_t stream, void (*invoke)(void*), void* storage,
                       void (*destroy)(void*)) {
  Engine& engine = Engine::instance();
  HostRank* const host = engine.host();
  if (host == nullptr || engine.is_stopped() || !rankle::sim::is_valid(grid, block) ||
      dynamic_shared_bytes > rankle::sim::kSharedBytesMax) {
    if (host != nullptr) {
      host->last_error = engine.is_stopped() ? hipErrorLaunchFailure : hipErrorInvalidConfiguration;
    }
    return destroy(storage);
  }
  auto* const queue = stream == nullptr ? engine.default_stream(host->device)
                                        : reinterpret_cast<rankle::sim::Stream*>(stream);
  auto launch = std::make_unique<Launch>();
  launch->rank = host->rank;
  launch->device = queue->device;
  launch->sequence = host->launches++;
  launch->grid = grid;
  launch->block = block;
  launch->dynamic_shared_bytes = dynamic_shared_bytes;
  launch->kernel = kernel;
  launch->invoke = invoke;
  launch->storage = storage;
  launch->destroy = destroy;
  launch->blocks_total = grid.x * grid.y * grid.z;
  rankle::sim::Op op;
  op.kind = rankle::sim::OpKind::kernel;
  op.launch = engine.keep(std::move(launch));
  op.site = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  op.launch->op = engine.enqueue(queue, op);
}
}
#pragma GCC visibility pop
