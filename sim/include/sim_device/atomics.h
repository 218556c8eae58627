// Atomics and fences with an explicit memory order and scope, in the spelling of clang's HIP
// built-ins. The order alone would reach the compiler's __tsan_atomic* calls; the scope would be
// lost, so these go to the simulator directly.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#define __HIP_MEMORY_SCOPE_SINGLETHREAD 1
#define __HIP_MEMORY_SCOPE_WAVEFRONT 2
#define __HIP_MEMORY_SCOPE_WORKGROUP 3
#define __HIP_MEMORY_SCOPE_AGENT 4
#define __HIP_MEMORY_SCOPE_SYSTEM 5

extern "C" {
// `bytes` is 1, 2, 4 or 8; values travel in the low bits.
std::uint64_t rankle_sim_atomic_load(const volatile void* p, int bytes, int order, int scope);
void rankle_sim_atomic_store(volatile void* p, std::uint64_t value, int bytes, int order,
                             int scope);
// operation: 0 exchange, 1 add, 2 sub, 3 and, 4 or, 5 xor, 6 signed min, 7 signed max, 8 unsigned
// min, 9 unsigned max, 10 float add, 11 float min, 12 float max, 14 wrapping increment, 15
// wrapping decrement. Returns the old value.
std::uint64_t rankle_sim_atomic_rmw(volatile void* p, std::uint64_t operand, int bytes,
                                    int operation, int order, int scope);
// Returns the old value; stored if and only if it equals `expected`.
std::uint64_t rankle_sim_atomic_cas(volatile void* p, std::uint64_t expected, std::uint64_t desired,
                                    int bytes, int success, int failure, int scope);
void rankle_sim_fence(int order, int scope);
}

namespace rankle_sim {

template <typename T>
__attribute__((always_inline)) inline std::uint64_t to_bits(T value) {
  static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);
  if constexpr (sizeof(T) == 1) {
    return std::bit_cast<std::uint8_t>(value);
  } else if constexpr (sizeof(T) == 2) {
    return std::bit_cast<std::uint16_t>(value);
  } else if constexpr (sizeof(T) == 4) {
    return std::bit_cast<std::uint32_t>(value);
  } else {
    return std::bit_cast<std::uint64_t>(value);
  }
}

template <typename T>
__attribute__((always_inline)) inline T from_bits(std::uint64_t bits) {
  if constexpr (sizeof(T) == 1) {
    return std::bit_cast<T>(static_cast<std::uint8_t>(bits));
  } else if constexpr (sizeof(T) == 2) {
    return std::bit_cast<T>(static_cast<std::uint16_t>(bits));
  } else if constexpr (sizeof(T) == 4) {
    return std::bit_cast<T>(static_cast<std::uint32_t>(bits));
  } else {
    return std::bit_cast<T>(bits);
  }
}

template <typename T>
__attribute__((always_inline)) inline std::remove_cv_t<T> load(T* p, int order, int scope) {
  using V = std::remove_cv_t<T>;
  return from_bits<V>(rankle_sim_atomic_load(p, sizeof(V), order, scope));
}

template <typename T>
__attribute__((always_inline)) inline void store(T* p, std::remove_cv_t<T> value, int order,
                                                 int scope) {
  rankle_sim_atomic_store(p, to_bits(value), sizeof(T), order, scope);
}

template <typename T>
__attribute__((always_inline)) inline std::remove_cv_t<T> rmw(T* p, std::remove_cv_t<T> operand,
                                                              int operation, int order, int scope) {
  using V = std::remove_cv_t<T>;
  return from_bits<V>(
      rankle_sim_atomic_rmw(p, to_bits(operand), sizeof(V), operation, order, scope));
}

template <typename T>
__attribute__((always_inline)) inline bool cas(T* p, std::remove_cv_t<T>* expected,
                                               std::remove_cv_t<T> desired, int success,
                                               int failure, int scope) {
  using V = std::remove_cv_t<T>;
  const std::uint64_t wanted = to_bits(*expected);
  const std::uint64_t old =
      rankle_sim_atomic_cas(p, wanted, to_bits(desired), sizeof(V), success, failure, scope);
  if (old == wanted) return true;
  *expected = from_bits<V>(old);
  return false;
}

template <typename T>
inline constexpr int kMin = std::is_floating_point_v<T> ? 11
                            : std::is_signed_v<T>       ? 6
                                                        : 8;
template <typename T>
inline constexpr int kMax = std::is_floating_point_v<T> ? 12
                            : std::is_signed_v<T>       ? 7
                                                        : 9;
template <typename T>
inline constexpr int kAdd = std::is_floating_point_v<T> ? 10 : 1;
template <typename P>
using Pointee = std::remove_cv_t<std::remove_pointer_t<P>>;

}  // namespace rankle_sim

#define __hip_atomic_load(p, order, scope) (rankle_sim::load((p), (order), (scope)))
#define __hip_atomic_store(p, value, order, scope) \
  (rankle_sim::store((p), (value), (order), (scope)))
#define __hip_atomic_exchange(p, value, order, scope) \
  (rankle_sim::rmw((p), (value), 0, (order), (scope)))
#define __hip_atomic_fetch_add(p, value, order, scope)                                        \
  (rankle_sim::rmw((p), (value), rankle_sim::kAdd<rankle_sim::Pointee<decltype(p)>>, (order), \
                   (scope)))
#define __hip_atomic_fetch_and(p, value, order, scope) \
  (rankle_sim::rmw((p), (value), 3, (order), (scope)))
#define __hip_atomic_fetch_or(p, value, order, scope) \
  (rankle_sim::rmw((p), (value), 4, (order), (scope)))
#define __hip_atomic_fetch_xor(p, value, order, scope) \
  (rankle_sim::rmw((p), (value), 5, (order), (scope)))
#define __hip_atomic_fetch_min(p, value, order, scope)                                        \
  (rankle_sim::rmw((p), (value), rankle_sim::kMin<rankle_sim::Pointee<decltype(p)>>, (order), \
                   (scope)))
#define __hip_atomic_fetch_max(p, value, order, scope)                                        \
  (rankle_sim::rmw((p), (value), rankle_sim::kMax<rankle_sim::Pointee<decltype(p)>>, (order), \
                   (scope)))
#define __hip_atomic_compare_exchange_strong(p, expected, desired, success, failure, scope) \
  (rankle_sim::cas((p), (expected), (desired), (success), (failure), (scope)))
#define __hip_atomic_compare_exchange_weak(p, expected, desired, success, failure, scope) \
  (rankle_sim::cas((p), (expected), (desired), (success), (failure), (scope)))

__attribute__((always_inline)) inline void __rankle_sim_fence(int order, int scope) {
  rankle_sim_fence(order, scope);
}

__attribute__((always_inline)) inline void __threadfence_block() {
  rankle_sim_fence(__ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_WORKGROUP);
}
__attribute__((always_inline)) inline void __threadfence() {
  rankle_sim_fence(__ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_AGENT);
}
__attribute__((always_inline)) inline void __threadfence_system() {
  rankle_sim_fence(__ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_SYSTEM);
}

namespace rankle_sim {

// The scope that LLVM's AMDGPU target calls by this name. "" is the whole system; -one-as narrows
// the address space, which makes no difference here.
constexpr int scope_named(const char* name) {
  switch (name[0]) {
    case 'a':
      return __HIP_MEMORY_SCOPE_AGENT;
    case 'w':
      return name[1] == 'o' ? __HIP_MEMORY_SCOPE_WORKGROUP : __HIP_MEMORY_SCOPE_WAVEFRONT;
    case 's':
      return name[1] == 'i' ? __HIP_MEMORY_SCOPE_SINGLETHREAD : __HIP_MEMORY_SCOPE_SYSTEM;
    default:
      return __HIP_MEMORY_SCOPE_SYSTEM;
  }
}

}  // namespace rankle_sim

#define __builtin_amdgcn_fence(order, ...) \
  (rankle_sim_fence((order), rankle_sim::scope_named(__VA_ARGS__)))
