// The boundary between the harness and a target: one shared object per target, loaded RTLD_LOCAL,
// one exported function. A target file (harness/targets/<family>/<algorithm>.cpp) includes this,
// the kernel it wraps, its communicator, and nothing else of the project; RANKLE_REGISTER_TARGET
// ends it.
//
// On the simulator a private copy of the shared object is loaded once per rank, so a target's
// statics and __device__ globals belong to one rank, as they do with one process per rank.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>
#include <span>
#include <string>

#include "generators/contract.h"
#include "kernels/communicator/buffer_range.h"
#include "kernels/communicator/capacity.h"
#include "kernels/communicator/rank_group.h"

namespace rankle::kernels {
class Communicator;
}  // namespace rankle::kernels

namespace rankle {

inline constexpr int kWorldMax = 8;

// One call on one rank.
struct Call {
  int rank = 0;
  int world = 0;
  DType dtype = DType::fp32;
  Accum accum = Accum::fp32;
  const void* input = nullptr;
  void* output = nullptr;
  std::int64_t count = 0;  // elements
  int blocks = 0;          // 0: the target's own choice
  int threads = 0;         // per block
  int wave = 64;
  kernels::Communicator* communicator = nullptr;  // of the same target and rank
  bool staged = false;  // through the communicator's staging memory, registered or not
  hipStream_t stream = nullptr;
};

// What the dispatch chose; compared between ranks (rank-mismatch) and kept in the verdict.
struct Launched {
  std::string variant;  // "two_stage_tail<has_tail=true>"
  int blocks = 0;
  int threads = 0;
  std::string path;  // how the inputs reached the peers: kernels/communicator/path.h
};

// What a communicator keeps on this rank's device.
struct CommunicatorMemory {
  kernels::BufferRange signals;
  kernels::BufferRange scratch;
  kernels::BufferRange staging;
  kernels::BufferRange table;  // of peer pointers
};

// The communicator as the harness sees it: it lives in the target's code, because that is where a
// planted bug of it is compiled, so its calls are a table and the object has no contents here. What
// each does, and which are collective: kernels/communicator/communicator.h.
// harness/targets/communicator_calls.h holds the table.
struct CommunicatorCalls {
  // `made` is nullptr on failure.
  hipError_t (*create)(kernels::RankGroup& group, const kernels::Capacity& capacity,
                       kernels::Communicator*& made) = nullptr;
  // Also deletes the object, whatever it returns.
  hipError_t (*destroy)(kernels::Communicator* communicator) = nullptr;
  hipError_t (*register_buffers)(kernels::Communicator& communicator,
                                 std::span<const kernels::BufferRange> own) = nullptr;
  hipError_t (*deregister_buffer)(kernels::Communicator& communicator, const void* begin) = nullptr;
  hipError_t (*begin_capture)(kernels::Communicator& communicator) = nullptr;
  hipError_t (*end_capture)(kernels::Communicator& communicator, int& capture) = nullptr;
  hipError_t (*release_capture)(kernels::Communicator& communicator, int capture) = nullptr;
  hipError_t (*switch_stream)(kernels::Communicator& communicator, hipStream_t stream) = nullptr;
  hipError_t (*seed_epochs)(kernels::Communicator& communicator, std::uint32_t epoch) = nullptr;
  CommunicatorMemory (*memory)(const kernels::Communicator& communicator) = nullptr;
};

struct Target {
  const Contract* contract = nullptr;
  // Scratch that a communicator must have on each rank for a call of `bytes` per rank.
  std::int64_t (*scratch_bytes)(int world, std::int64_t bytes) = nullptr;
  // Enqueues the collective on call.stream. A call that the contract forbids, or that the
  // communicator has no room for, returns hipErrorInvalidValue and launches nothing.
  hipError_t (*launch)(const Call& call, Launched& launched) = nullptr;
  // nullptr: the ranks of this target do not talk to each other, and its calls have no
  // communicator.
  const CommunicatorCalls* communicator = nullptr;
  // Enqueues a kernel that keeps `stream` busy for about `nanoseconds` (kernels/delay.h). It is
  // here because the harness itself is compiled for no device. nullptr: delays in programs for this
  // target have no effect.
  hipError_t (*delay)(std::int64_t nanoseconds, hipStream_t stream) = nullptr;
};

inline constexpr std::uint32_t kTargetAbi = 4;

}  // namespace rankle

// Mutant builds pass the suffix ("@divergent_barrier") and class; see cmake/RankleTargets.cmake.
#ifndef RANKLE_MUTANT_NAME
#define RANKLE_MUTANT_NAME ""
#define RANKLE_MUTANT_CLASS ""
#endif

#define RANKLE_REGISTER_TARGET(target)                                                      \
  extern "C" __attribute__((visibility("default"))) const rankle::Target* rankle_target() { \
    return &(target);                                                                       \
  }                                                                                         \
  extern "C" __attribute__((visibility("default"))) std::uint32_t rankle_target_abi() {     \
    return rankle::kTargetAbi;                                                              \
  }
