// Message passing, store buffering, coherence, causality and independent reads, with the orders and
// scopes that allow or forbid their weak outcome.
#include "tests/litmus/weak_shapes.h"

namespace rankle::sim::litmus {
namespace {

constexpr Scope kDevice = Scope::device;

template <Order kOrder, Scope kScope = kDevice>
__device__ __attribute__((always_inline)) inline void put(Word* word, Word value) {
  store<kOrder, kScope>(word, value);
}
template <Order kOrder, Scope kScope = kDevice>
__device__ __attribute__((always_inline)) inline Word get(const Word* word) {
  return load<kOrder, kScope>(word);
}

// x is the message, y the flag.
template <Order kStore, Order kLoad, Scope kScope>
__global__ void message_passing(Word* x, Word* y, Word* out) {
  if (blockIdx.x == 0) {
    put<Order::relaxed>(x, 1);
    put<kStore, kScope>(y, 1);
  } else {
    out[0] = get<kLoad, kScope>(y);
    out[1] = get<Order::relaxed>(x);
  }
}

template <bool kWriterFences, bool kReaderFences>
__global__ void fenced_message_passing(Word* x, Word* y, Word* out) {
  if (blockIdx.x == 0) {
    put<Order::relaxed>(x, 1);
    if (kWriterFences) fence<Order::release, kDevice>();
    put<Order::relaxed>(y, 1);
  } else {
    out[0] = get<Order::relaxed>(y);
    if (kReaderFences) fence<Order::acquire, kDevice>();
    out[1] = get<Order::relaxed>(x);
  }
}

// More readers than a write remembers, of a flag that is set twice: whoever gets the first value
// must have acquired it.
__global__ void message_to_many(Word* x, Word* y, Word* out) {
  if (blockIdx.x == 0) {
    if (threadIdx.x != 0) return;
    put<Order::relaxed>(x, 1);
    put<Order::release>(y, 1);
    put<Order::release>(y, 2);
    return;
  }
  for (int i = 0; i < 4; ++i) {
    if (get<Order::acquire>(y) == 0 || get<Order::relaxed>(x) != 0) continue;
    fetch_add<Order::relaxed, kDevice>(out, 1U);
  }
}

bool any_without_message(const Loaded& loaded) { return loaded[0] != 0; }

bool flag_without_message(const Loaded& loaded) { return loaded[0] == 1 && loaded[1] == 0; }

__global__ void store_buffering(Word* x, Word* y, Word* out) {
  put<Order::relaxed>(blockIdx.x == 0 ? x : y, 1);
  out[blockIdx.x] = get<Order::relaxed>(blockIdx.x == 0 ? y : x);
}

bool both_miss(const Loaded& loaded) { return loaded[0] == 0 && loaded[1] == 0; }

// One location: values are seen in the order of its writes, whatever the orders.
__global__ void two_reads_of_one(Word* x, Word*, Word* out) {
  if (blockIdx.x == 0) {
    put<Order::relaxed>(x, 1);
    put<Order::relaxed>(x, 2);
  } else {
    out[0] = get<Order::relaxed>(x);
    out[1] = get<Order::relaxed>(x);
  }
}

bool goes_back(const Loaded& loaded) { return loaded[1] < loaded[0]; }

__global__ void read_own_write(Word* x, Word*, Word* out) {
  if (blockIdx.x == 0) {
    put<Order::relaxed>(x, 1);
    out[0] = get<Order::relaxed>(x);
  } else {
    put<Order::relaxed>(x, 2);
    out[1] = get<Order::relaxed>(x);
  }
}

bool misses_own(const Loaded& loaded) { return loaded[0] == 0 || loaded[1] == 0; }

// The message goes from 0 to 1 and on to 2, which must not know less than 1 did.
template <Order kStore, Order kLoad>
__global__ void write_to_read_causality(Word* x, Word* y, Word* out) {
  if (blockIdx.x == 0) {
    put<kStore>(x, 1);
  } else if (blockIdx.x == 1) {
    const Word seen = get<kLoad>(x);
    if (seen == 1) put<kStore>(y, 1);
  } else {
    out[0] = get<kLoad>(y);
    out[1] = get<Order::relaxed>(x);
  }
}

// Two readers see two independent writes in different orders.
template <Order kLoad>
__global__ void independent_reads(Word* x, Word* y, Word* out) {
  if (blockIdx.x == 0) put<Order::relaxed>(x, 1);
  if (blockIdx.x == 1) put<Order::relaxed>(y, 1);
  if (blockIdx.x == 2) {
    out[0] = get<kLoad>(x);
    out[1] = get<Order::relaxed>(y);
  }
  if (blockIdx.x == 3) {
    out[2] = get<kLoad>(y);
    out[3] = get<Order::relaxed>(x);
  }
}

bool orders_differ(const Loaded& loaded) {
  return loaded[0] == 1 && loaded[1] == 0 && loaded[2] == 1 && loaded[3] == 0;
}

// Read-modify-writes never miss each other.
__global__ void two_additions(Word* x, Word*, Word* out) {
  out[blockIdx.x] = fetch_add<Order::relaxed, kDevice>(x, 1U);
}

bool same_ticket(const Loaded& loaded) { return loaded[0] == loaded[1]; }

// The barrier of a block passes on what its first thread has acquired.
template <bool kAcquires>
__global__ void through_a_barrier(Word* x, Word* y, Word* out) {
  __shared__ Word flag;
  if (blockIdx.x == 0) {
    if (threadIdx.x != 0) return;
    put<Order::relaxed>(x, 1);
    put<Order::release>(y, 1);
    return;
  }
  if (threadIdx.x == 0) flag = get<kAcquires ? Order::acquire : Order::relaxed>(y);
  __syncthreads();
  if (threadIdx.x != 1) return;
  out[0] = flag;
  out[1] = get<Order::relaxed>(x);
}

template <void (*kKernel)(Word*, Word*, Word*), int kThreads = 1>
void launch(Word* x, Word* y, Word* out, int processes) {
  hipLaunchKernelGGL(kKernel, blocks(processes), threads(kThreads), 0, nullptr, x, y, out);
}

// Behind a kernel boundary nothing is missed.
__global__ void write_both(Word* x, Word* y) {
  put<Order::relaxed>(x, 1);
  put<Order::relaxed>(y, 1);
}
__global__ void read_both(const Word* x, const Word* y, Word* out) {
  out[0] = get<Order::relaxed>(y);
  out[1] = get<Order::relaxed>(x);
}
void launch_one_after_another(Word* x, Word* y, Word* out, int) {
  hipLaunchKernelGGL(write_both, blocks(1), threads(1), 0, nullptr, x, y);
  hipLaunchKernelGGL(read_both, blocks(1), threads(1), 0, nullptr, x, y, out);
}

bool any_missed(const Loaded& loaded) { return loaded[0] == 0 || loaded[1] == 0; }

}  // namespace

std::vector<Shape> weak_shapes() {
  constexpr Order kRelaxed = Order::relaxed;
  constexpr Order kRelease = Order::release;
  constexpr Order kAcquire = Order::acquire;
  return {
      {"message_relaxed", 2, launch<message_passing<kRelaxed, kRelaxed, kDevice>>,
       flag_without_message, true},
      {"message_without_release", 2, launch<message_passing<kRelaxed, kAcquire, kDevice>>,
       flag_without_message, true},
      {"message_without_acquire", 2, launch<message_passing<kRelease, kRelaxed, kDevice>>,
       flag_without_message, true},
      {"message_of_block_scope", 2, launch<message_passing<kRelease, kAcquire, Scope::block>>,
       flag_without_message, true},
      {"message_released_and_acquired", 2, launch<message_passing<kRelease, kAcquire, kDevice>>,
       flag_without_message, false},
      {"message_with_fences", 2, launch<fenced_message_passing<true, true>>, flag_without_message,
       false},
      {"message_with_the_writer_s_fence", 2, launch<fenced_message_passing<true, false>>,
       flag_without_message, true},
      {"message_with_the_reader_s_fence", 2, launch<fenced_message_passing<false, true>>,
       flag_without_message, true},
      {"message_to_many_readers", 2, launch<message_to_many, 64>, any_without_message, false},
      {"message_through_a_barrier", 2, launch<through_a_barrier<true>, 2>, flag_without_message,
       false},
      {"message_through_a_barrier_without_acquire", 2, launch<through_a_barrier<false>, 2>,
       flag_without_message, true},
      {"store_buffering", 2, launch<store_buffering>, both_miss, true},
      {"two_reads_of_one_location", 2, launch<two_reads_of_one>, goes_back, false},
      {"read_of_the_own_write", 2, launch<read_own_write>, misses_own, false},
      {"causality", 3, launch<write_to_read_causality<kRelease, kAcquire>>, flag_without_message,
       false},
      {"causality_relaxed", 3, launch<write_to_read_causality<kRelaxed, kRelaxed>>,
       flag_without_message, true},
      {"independent_reads", 4, launch<independent_reads<kRelaxed>>, orders_differ, true},
      {"two_additions", 2, launch<two_additions>, same_ticket, false},
      {"kernel_boundary", 1, launch_one_after_another, any_missed, false},
  };
}

}  // namespace rankle::sim::litmus
