// Atomic accesses that say their memory order and scope: the only kernel header that knows
// platforms.
//
// AMD and the simulator share clang's __hip_atomic_* names; NVIDIA goes through libcu++, which
// emits the PTX form of the same order and scope. Every function is inlined into its caller, so
// that the generated code is the bare instruction and reports name the line that asked for it.
#pragma once

#include <hip/hip_runtime.h>

#ifdef __HIP_PLATFORM_NVIDIA__
#include <cuda/atomic>
#endif

#define RANKLE_ATOMIC_FN __device__ __attribute__((always_inline)) inline

namespace rankle::kernels {

enum class Order { relaxed, acquire, release, acq_rel, seq_cst };

// The threads that an access synchronises with, at most: lanes of a wave, threads of a block,
// threads of a device, all devices and the host.
enum class Scope { wave, block, device, system };

#ifdef __HIP_PLATFORM_NVIDIA__

namespace detail {

__host__ __device__ constexpr cuda::memory_order native(Order order) {
  switch (order) {
    case Order::relaxed:
      return cuda::memory_order_relaxed;
    case Order::acquire:
      return cuda::memory_order_acquire;
    case Order::release:
      return cuda::memory_order_release;
    case Order::acq_rel:
      return cuda::memory_order_acq_rel;
    case Order::seq_cst:
      return cuda::memory_order_seq_cst;
  }
  return cuda::memory_order_seq_cst;
}

__host__ __device__ constexpr cuda::thread_scope native(Scope scope) {
  switch (scope) {
    case Scope::wave:  // PTX has no warp scope; the next wider one is right
    case Scope::block:
      return cuda::thread_scope_block;
    case Scope::device:
      return cuda::thread_scope_device;
    case Scope::system:
      return cuda::thread_scope_system;
  }
  return cuda::thread_scope_system;
}

template <typename T, Scope kScope>
using Ref = cuda::atomic_ref<T, native(kScope)>;

}  // namespace detail

template <Order kOrder, Scope kScope, typename T>
RANKLE_ATOMIC_FN T load(const T* address) {
  constexpr cuda::memory_order kNative = detail::native(kOrder);
  return detail::Ref<T, kScope>(*const_cast<T*>(address)).load(kNative);
}

template <Order kOrder, Scope kScope, typename T>
RANKLE_ATOMIC_FN void store(T* address, T value) {
  constexpr cuda::memory_order kNative = detail::native(kOrder);
  detail::Ref<T, kScope>(*address).store(value, kNative);
}

template <Order kOrder, Scope kScope, typename T>
RANKLE_ATOMIC_FN T fetch_add(T* address, T value) {
  constexpr cuda::memory_order kNative = detail::native(kOrder);
  return detail::Ref<T, kScope>(*address).fetch_add(value, kNative);
}

template <Order kOrder, Scope kScope>
RANKLE_ATOMIC_FN void fence() {
  constexpr cuda::memory_order kNativeOrder = detail::native(kOrder);
  constexpr cuda::thread_scope kNativeScope = detail::native(kScope);
  cuda::atomic_thread_fence(kNativeOrder, kNativeScope);
}

#else

namespace detail {

__host__ __device__ constexpr int native(Order order) {
  switch (order) {
    case Order::relaxed:
      return __ATOMIC_RELAXED;
    case Order::acquire:
      return __ATOMIC_ACQUIRE;
    case Order::release:
      return __ATOMIC_RELEASE;
    case Order::acq_rel:
      return __ATOMIC_ACQ_REL;
    case Order::seq_cst:
      return __ATOMIC_SEQ_CST;
  }
  return __ATOMIC_SEQ_CST;
}

__host__ __device__ constexpr int native(Scope scope) {
  switch (scope) {
    case Scope::wave:
      return __HIP_MEMORY_SCOPE_WAVEFRONT;
    case Scope::block:
      return __HIP_MEMORY_SCOPE_WORKGROUP;
    case Scope::device:
      return __HIP_MEMORY_SCOPE_AGENT;
    case Scope::system:
      return __HIP_MEMORY_SCOPE_SYSTEM;
  }
  return __HIP_MEMORY_SCOPE_SYSTEM;
}

}  // namespace detail

template <Order kOrder, Scope kScope, typename T>
RANKLE_ATOMIC_FN T load(const T* address) {
  constexpr int kNativeOrder = detail::native(kOrder);
  constexpr int kNativeScope = detail::native(kScope);
  return __hip_atomic_load(const_cast<T*>(address), kNativeOrder, kNativeScope);
}

template <Order kOrder, Scope kScope, typename T>
RANKLE_ATOMIC_FN void store(T* address, T value) {
  constexpr int kNativeOrder = detail::native(kOrder);
  constexpr int kNativeScope = detail::native(kScope);
  __hip_atomic_store(address, value, kNativeOrder, kNativeScope);
}

template <Order kOrder, Scope kScope, typename T>
RANKLE_ATOMIC_FN T fetch_add(T* address, T value) {
  constexpr int kNativeOrder = detail::native(kOrder);
  constexpr int kNativeScope = detail::native(kScope);
  return __hip_atomic_fetch_add(address, value, kNativeOrder, kNativeScope);
}

#ifdef __HIP_PLATFORM_RANKLE_SIM__

template <Order kOrder, Scope kScope>
RANKLE_ATOMIC_FN void fence() {
  constexpr int kNativeOrder = detail::native(kOrder);
  constexpr int kNativeScope = detail::native(kScope);
  __rankle_sim_fence(kNativeOrder, kNativeScope);
}

#else

// The builtin wants its scope as a literal, and clang 15 its order too.
#define RANKLE_FENCE_AT(scope)                       \
  if constexpr (kOrder == Order::acquire) {          \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, scope); \
  } else if constexpr (kOrder == Order::release) {   \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, scope); \
  } else if constexpr (kOrder == Order::acq_rel) {   \
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, scope); \
  } else if constexpr (kOrder == Order::seq_cst) {   \
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, scope); \
  }

template <Order kOrder, Scope kScope>
RANKLE_ATOMIC_FN void fence() {
  if constexpr (kScope == Scope::wave) {
    RANKLE_FENCE_AT("wavefront")
  } else if constexpr (kScope == Scope::block) {
    RANKLE_FENCE_AT("workgroup")
  } else if constexpr (kScope == Scope::device) {
    RANKLE_FENCE_AT("agent")
  } else {
    RANKLE_FENCE_AT("")
  }
}

#undef RANKLE_FENCE_AT
#endif
#endif

}  // namespace rankle::kernels

#undef RANKLE_ATOMIC_FN
