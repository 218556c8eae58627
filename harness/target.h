// The boundary between the harness and a target: one shared object per target, loaded RTLD_LOCAL,
// one exported function. A target file (harness/targets/<family>/<algorithm>.cpp) includes this,
// the kernel it wraps, and nothing else of the project; RANKLE_REGISTER_TARGET ends it.
//
// On the simulator a private copy of the shared object is loaded once per rank, so a target's
// statics and __device__ globals belong to one rank, as they do with one process per rank.
#pragma once

#include <hip/hip_runtime.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "generators/contract.h"

namespace rankle {

inline constexpr int kWorldMax = 8;

// Memory that every rank provides for a communicator, allocated by the harness and zeroed (signals)
// or poisoned (scratch) before the first call.
struct WorkspaceSize {
  std::size_t signal_bytes = 0;
  std::size_t scratch_bytes = 0;
};

// One call on one rank. Peer arrays are indexed by rank, own entry included, and hold pointers that
// this rank may dereference on its device.
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
  std::array<const void*, kWorldMax> peer_inputs{};
  std::array<void*, kWorldMax> peer_signals{};
  std::array<void*, kWorldMax> peer_scratch{};
  std::array<void*, kWorldMax> peer_outputs{};
  hipStream_t stream = nullptr;
};

// What the dispatch chose; compared between ranks (rank-mismatch) and kept in the verdict.
struct Launched {
  std::string variant;  // "two_stage_tail<has_tail=true>"
  int blocks = 0;
  int threads = 0;
};

struct Target {
  const Contract* contract = nullptr;
  WorkspaceSize (*workspace)(int world, std::int64_t bytes) = nullptr;
  // Enqueues the collective on call.stream. A call that the contract forbids returns
  // hipErrorInvalidValue and launches nothing.
  hipError_t (*launch)(const Call& call, Launched& launched) = nullptr;
};

inline constexpr std::uint32_t kTargetAbi = 1;

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
