// The signal block of one rank and the barriers between ranks that run on it.
//
// Layout after the custom all-reduces of vLLM and AITER: only blocks of equal index meet, every
// block counts its own barriers on the device, so that a captured graph can be replayed, and each
// flag word has one writer. Departure: theirs let the start barrier and the last barrier carry
// arrival only (relaxed) and lean on kernel boundaries for the data. Here every barrier can carry
// data too; see Carries.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>

#include "kernels/atomic.h"

namespace rankle::kernels {

inline constexpr int kWorldMax = 8;
inline constexpr int kBlocksMax = 80;

// One rank's signals, zeroed before the first call. Word [b][r] of start and end is written by
// block b of rank r only, and read by block b of the owner. Rows of an array lie on separate cache
// lines from the other arrays, because peers write two of them and only the owner the third.
struct Signals {
  alignas(128) std::uint32_t start[kBlocksMax][kWorldMax];
  alignas(128) std::uint32_t end[kBlocksMax][kWorldMax];
  alignas(128) std::uint32_t count[kBlocksMax];  // barriers that block b of the owner has passed
};

// One pointer per rank.
template <typename T, int kWorld>
struct PerRank {
  T* at[kWorld];
};

// What a barrier between ranks orders besides control flow.
enum class Carries {
  // Nothing: relaxed at both sides. Enough for "everybody has come", and for reads that merely have
  // to be over, as long as a kernel boundary lies between them and the next write.
  arrival,
  // Everything that any thread of the block did before is visible to, and finished for, every
  // thread
  // of the peers' blocks behind it: release at the arriving side, acquire at the waiting side, both
  // at
  // system scope, widened to the block by the __syncthreads on either side.
  data
};

// True if a counter that reads `seen` has reached `wanted`. Counters wrap, hence the difference.
__host__ __device__ inline bool has_reached(std::uint32_t seen, std::uint32_t wanted) {
  return static_cast<std::int32_t>(seen - wanted) >= 0;
}

namespace detail {

// Thread r of the block tells rank r that this block has come, then waits for block b of rank r.
// To be called by all threads of the block.
template <Carries kCarries, int kWorld, typename Words>
__device__ __attribute__((always_inline)) inline void meet(const PerRank<Signals, kWorld>& signals,
                                                           int rank, Words words) {
  constexpr Order kArrive = kCarries == Carries::data ? Order::release : Order::relaxed;
  constexpr Order kWait = kCarries == Carries::data ? Order::acquire : Order::relaxed;
  Signals* own = signals.at[rank];
  const std::uint32_t wanted = own->count[blockIdx.x] + 1;
  const int peer = static_cast<int>(threadIdx.x);
  if (peer < kWorld) {
    std::uint32_t* there = words(signals.at[peer]) + rank;
    const std::uint32_t* here = words(own) + peer;
    store<kArrive, Scope::system>(there, wanted);
    while (!has_reached(load<kWait, Scope::system>(here), wanted)) {
    }
  }
  // Behind it the whole block knows what the waiting threads have acquired, and nobody reads the
  // old count any more.
  __syncthreads();
  if (threadIdx.x == 0) own->count[blockIdx.x] = wanted;
}

}  // namespace detail

// First thing in a kernel: no thread goes on before block b of every rank has started this call.
//
// What must be ordered across it: the peers' inputs, written on their devices by earlier work of
// their streams (read after write), and their reads of this rank's scratch in the previous call
// (write after read). A kernel boundary on the peer comes before its arrival; the flag brings that
// here, so it has to release and acquire at system scope. No __syncthreads before: the block has
// touched nothing yet.
template <Carries kCarries = Carries::data, int kWorld>
__device__ __attribute__((always_inline)) inline void start_barrier(
    const PerRank<Signals, kWorld>& signals, int rank) {
  detail::meet<kCarries>(signals, rank, [](Signals* s) { return s->start[blockIdx.x]; });
}

// Between two stages, or last in a kernel. The leading __syncthreads brings in what the other
// threads of the block have written and read before the flags go out, and separates this barrier's
// read of the count from the last one's update.
template <Carries kCarries, int kWorld>
__device__ __attribute__((always_inline)) inline void end_barrier(
    const PerRank<Signals, kWorld>& signals, int rank) {
  __syncthreads();
  detail::meet<kCarries>(signals, rank, [](Signals* s) { return s->end[blockIdx.x]; });
}

}  // namespace rankle::kernels
