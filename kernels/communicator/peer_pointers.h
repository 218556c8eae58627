// How a kernel finds its peers' buffers: through an entry of a table on its own device, read when
// the kernel runs. The pointers are not kernel arguments, because a graph keeps the arguments of a
// kernel as they were at its capture, and a buffer that was made during the capture is known to the
// peers only after it. (AITER and vLLM have the same table.)
#pragma once

#include <hip/hip_runtime.h>

#include "kernels/signal.h"

namespace rankle::kernels {

// Where one buffer lies on each rank, as addresses that this rank's device may use. Entries beyond
// the world are null.
struct PeerPointers {
  void* at[kWorldMax];
};

// The first kWorld of them by value, for pointers that are known before any capture begins.
template <typename T, int kWorld>
PerRank<T, kWorld> per_rank(const PeerPointers& pointers) {
  PerRank<T, kWorld> typed;
  for (int rank = 0; rank < kWorld; ++rank) typed.at[rank] = static_cast<T*>(pointers.at[rank]);
  return typed;
}

// One entry of the table, seen as buffers of T.
template <typename T, int kWorld>
struct PeerBuffers {
  const PeerPointers* entry;

  __device__ T* of(int rank) const { return static_cast<T*>(entry->at[rank]); }

  __device__ PerRank<T, kWorld> of_all() const {
    PerRank<T, kWorld> buffers;
#pragma unroll
    for (int rank = 0; rank < kWorld; ++rank) buffers.at[rank] = of(rank);
    return buffers;
  }
};

}  // namespace rankle::kernels
