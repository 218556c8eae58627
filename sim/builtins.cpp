// What device code asks of the running thread. The rest of the device functions is in
// builtins_sync.cpp and builtins_c_library.cpp.
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

std::uint32_t axis_of(const dim3& d, int axis) { return axis == 0 ? d.x : axis == 1 ? d.y : d.z; }

}  // namespace
}  // namespace rankle::sim

using rankle::sim::Block;
using rankle::sim::Engine;
using rankle::sim::g_hot;

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

unsigned rankle_sim_lane_id() { return g_hot.thread == nullptr ? 0 : g_hot.thread->lane; }

int rankle_sim_wave_size() { return Engine::instance().config().wave; }
}
#pragma GCC visibility pop
