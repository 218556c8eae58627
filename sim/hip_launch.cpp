// Kernel launches, and what the host may ask about how many blocks fit.
#include <algorithm>
#include <memory>
#include <string>

#include "sim/capture.h"
#include "sim/hip_call.h"
#include "sim/kernel_types.h"
#include "sim/occupancy.h"
#include "sim/shared_memory.h"

namespace rankle::sim {
namespace {

constexpr int kMultiprocessors = 304;  // of an MI300X
constexpr std::uint64_t kBlocksMax = std::uint64_t{1} << 24;

bool fits_at_once(const Config& config, const dim3& grid, const dim3& block,
                  std::size_t dynamic_shared_bytes) {
  const int each = blocks_per_multiprocessor(config, static_cast<int>(block.x * block.y * block.z),
                                             dynamic_shared_bytes);
  return std::uint64_t{grid.x} * grid.y * grid.z <=
         static_cast<std::uint64_t>(each) * static_cast<std::uint64_t>(multiprocessors(config));
}

}  // namespace

bool is_launchable(const dim3& grid, const dim3& block, std::size_t dynamic_shared_bytes) {
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  return threads > 0 && threads <= kThreadsPerBlockMax && blocks > 0 && blocks < kBlocksMax &&
         dynamic_shared_bytes <= kSharedBytesMax;
}

int multiprocessors(const Config& config) {
  return config.resident_blocks > 0 ? std::min(config.resident_blocks, kMultiprocessors)
                                    : kMultiprocessors;
}

int blocks_per_multiprocessor(const Config& config, int threads, std::size_t shared_bytes) {
  if (threads <= 0 || threads > kThreadsPerBlockMax) return 0;
  const int waves = (threads + config.wave - 1) / config.wave;
  int blocks =
      std::min(kBlocksPerMultiprocessorMax, kThreadsPerMultiprocessor / (waves * config.wave));
  if (shared_bytes > 0) {
    blocks = std::min(blocks, static_cast<int>(kSharedPerMultiprocessor / shared_bytes));
  }
  if (config.resident_blocks > 0) {
    blocks = std::min(blocks, config.resident_blocks / multiprocessors(config));
  }
  return blocks;
}

}  // namespace rankle::sim

using rankle::sim::Engine;
using rankle::sim::finish_call;
using rankle::sim::Launch;
using rankle::sim::misuse;

namespace {

hipError_t launch(const void* kernel, dim3 grid, dim3 block, std::size_t dynamic_shared_bytes,
                  hipStream_t stream, void (*invoke)(void*), void* storage, void (*destroy)(void*),
                  bool cooperative, std::uintptr_t pc) {
  RANKLE_ENTER_CALL(host);
  if (!rankle::sim::is_launchable(grid, block, dynamic_shared_bytes)) {
    return hipErrorInvalidConfiguration;
  }
  Engine& engine = Engine::instance();
  if (cooperative &&
      !rankle::sim::fits_at_once(engine.config(), grid, block, dynamic_shared_bytes)) {
    return hipErrorCooperativeLaunchTooLarge;
  }
  auto* const queue = rankle::sim::stream_of(*host, stream, "a kernel launch", pc);
  if (queue == nullptr) return hipErrorContextIsDestroyed;
  const rankle::sim::Recording recording = rankle::sim::recording_of(*queue);
  if (recording.error != hipSuccess) return recording.error;
  auto made = std::make_unique<Launch>();
  made->rank = host->rank;
  made->device = queue->device;
  made->cooperative = cooperative;
  made->grid = grid;
  made->block = block;
  made->dynamic_shared_bytes = dynamic_shared_bytes;
  made->kernel = kernel;
  made->invoke = invoke;
  made->storage = storage;
  made->destroy = destroy;
  made->blocks_total = grid.x * grid.y * grid.z;
  rankle::sim::Op op;
  op.kind = rankle::sim::OpKind::kernel;
  op.site = pc;
  if (recording.on) {
    rankle::sim::Node node;
    node.type = hipGraphNodeTypeKernel;
    node.op = op;
    node.kernel = std::make_shared<const rankle::sim::FrozenKernel>(std::move(*made));
    rankle::sim::record(*queue, std::move(node));
    return hipSuccess;
  }
  made->sequence = host->launches++;
  op.launch = engine.keep(std::move(made));
  op.launch->op = engine.enqueue(queue, op);
  return hipSuccess;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void rankle_sim_launch(const void* kernel, dim3 grid, dim3 block, std::size_t dynamic_shared_bytes,
                       hipStream_t stream, void (*invoke)(void*), void* storage,
                       void (*destroy)(void*)) {
  const hipError_t error = launch(kernel, grid, block, dynamic_shared_bytes, stream, invoke,
                                  storage, destroy, false, RANKLE_CALLER);
  if (error != hipSuccess) destroy(storage);
  static_cast<void>(finish_call(error));
}

hipError_t rankle_sim_launch_checked(const void* kernel, dim3 grid, dim3 block,
                                     std::size_t dynamic_shared_bytes, hipStream_t stream,
                                     void (*invoke)(void*), void* storage, void (*destroy)(void*),
                                     bool cooperative) {
  const hipError_t error = launch(kernel, grid, block, dynamic_shared_bytes, stream, invoke,
                                  storage, destroy, cooperative, RANKLE_CALLER);
  if (error != hipSuccess) destroy(storage);
  return finish_call(error);
}

hipError_t rankle_sim_untyped_launch(const char* name) {
  RANKLE_ENTER_CALL(host);
  misuse(std::string(name) +
             " of a kernel as `const void*`, which hides the types of its parameters from the "
             "simulator: pass the kernel itself",
         RANKLE_CALLER);
  return finish_call(hipErrorNotSupported);
}

hipError_t rankle_sim_occupancy(int* blocks, int threads, std::size_t dynamic_shared_bytes) {
  RANKLE_ENTER_CALL(host);
  if (blocks == nullptr || threads <= 0) return finish_call(hipErrorInvalidValue);
  *blocks = rankle::sim::blocks_per_multiprocessor(Engine::instance().config(), threads,
                                                   dynamic_shared_bytes);
  return hipSuccess;
}

// The largest block, with the grid that fills the device with such blocks.
hipError_t rankle_sim_best_block(int* blocks, int* threads, std::size_t dynamic_shared_bytes,
                                 int threads_max) {
  RANKLE_ENTER_CALL(host);
  if (blocks == nullptr || threads == nullptr || threads_max < 0) {
    return finish_call(hipErrorInvalidValue);
  }
  const rankle::sim::Config& config = Engine::instance().config();
  const int limit = rankle::sim::kThreadsPerBlockMax;
  *threads = threads_max == 0 ? limit : std::min(threads_max, limit);
  *blocks = rankle::sim::blocks_per_multiprocessor(config, *threads, dynamic_shared_bytes) *
            rankle::sim::multiprocessors(config);
  return hipSuccess;
}
}
#pragma GCC visibility pop
