// Kernels of atomic_kernels.h: every legacy atomic on every type of the documents.
#include "tests/sim/atomic_kernels.h"

namespace rankle::sim::testing {
namespace {

template <typename T>
__device__ T apply_integer(Legacy f, T* p, T v) {
  switch (f) {
    case Legacy::add:
      return atomicAdd(p, v);
    case Legacy::sub:
      return atomicSub(p, v);
    case Legacy::exch:
      return atomicExch(p, v);
    case Legacy::min:
      return atomicMin(p, v);
    case Legacy::max:
      return atomicMax(p, v);
    case Legacy::bit_and:
      return atomicAnd(p, v);
    case Legacy::bit_or:
      return atomicOr(p, v);
    case Legacy::bit_xor:
      return atomicXor(p, v);
    case Legacy::cas:
      return atomicCAS(p, v, static_cast<T>(v + 1));
    case Legacy::inc:
      if constexpr (std::is_same_v<T, unsigned>) return atomicInc(p, v);
      break;
    case Legacy::dec:
      if constexpr (std::is_same_v<T, unsigned>) return atomicDec(p, v);
      break;
  }
  return T{};
}

template <typename T>
__device__ T apply_float(Legacy f, T* p, T v) {
  switch (f) {
    case Legacy::add:
      return atomicAdd(p, v);
    case Legacy::exch:
      return atomicExch(p, v);
    case Legacy::min:
      return atomicMin(p, v);
    case Legacy::max:
      return atomicMax(p, v);
    case Legacy::cas:
      return atomicCAS(p, v, v + 1);
    case Legacy::sub:  // in the slots of functions that floats lack
      return unsafeAtomicAdd(p, v);
    case Legacy::bit_and:
      return safeAtomicAdd(p, v);
    default:
      return T{};
  }
}

template <typename T>
__global__ void apply_one(Legacy f, T* word, T operand, T* old) {
  if constexpr (std::is_floating_point_v<T>) {
    *old = apply_float(f, word, operand);
  } else {
    *old = apply_integer(f, word, operand);
  }
}

template <typename T>
__global__ void add_everywhere(T* total, std::uint32_t* ring, T* largest) {
  const auto self = static_cast<T>(blockIdx.x * blockDim.x + threadIdx.x);
  atomicAdd(total, self);
  atomicInc(ring, 9U);
  atomicMax(largest, self);
}

}  // namespace

template <typename T>
void launch_legacy(Legacy f, T* word, T operand, T* old) {
  hipLaunchKernelGGL(apply_one<T>, dim3(1), dim3(1), 0, nullptr, f, word, operand, old);
}
template <typename T>
void launch_add_everywhere(int blocks, int threads, T* total, std::uint32_t* ring, T* largest) {
  hipLaunchKernelGGL(add_everywhere<T>, dim3(static_cast<unsigned>(blocks)),
                     dim3(static_cast<unsigned>(threads)), 0, nullptr, total, ring, largest);
}

#define RANKLE_INSTANTIATE(T)                        \
  template void launch_legacy<T>(Legacy, T*, T, T*); \
  template void launch_add_everywhere<T>(int, int, T*, std::uint32_t*, T*);
RANKLE_INSTANTIATE(int)
RANKLE_INSTANTIATE(unsigned)
RANKLE_INSTANTIATE(long long)
RANKLE_INSTANTIATE(unsigned long long)
RANKLE_INSTANTIATE(float)
RANKLE_INSTANTIATE(double)

}  // namespace rankle::sim::testing
