// The atomic functions of CUDA and HIP that take no order and no scope: relaxed, at device scope;
// the _block and _system forms at those scopes. Types are those of the documents of either.
#pragma once

#include "sim_device/atomics.h"

namespace rankle_sim {

template <typename T>
__attribute__((always_inline)) inline T relaxed_rmw(T* p, T operand, int operation, int scope) {
  return rmw(p, operand, operation, __ATOMIC_RELAXED, scope);
}

// The bits are compared, for floats too.
template <typename T>
__attribute__((always_inline)) inline T relaxed_cas(T* p, T expected, T desired, int scope) {
  return from_bits<T>(rankle_sim_atomic_cas(p, to_bits(expected), to_bits(desired), sizeof(T),
                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED, scope));
}

}  // namespace rankle_sim

// One overload of `name` at one scope.
#define RANKLE_SIM_ATOMIC(name, T, operation, scope)                                      \
  __attribute__((always_inline)) inline T name(T* p, T value) {                           \
    return rankle_sim::relaxed_rmw<T>(p, value, (operation), __HIP_MEMORY_SCOPE_##scope); \
  }
// ... and at all three.
#define RANKLE_SIM_ATOMIC_SCOPES(name, T, operation)       \
  RANKLE_SIM_ATOMIC(name, T, operation, AGENT)             \
  RANKLE_SIM_ATOMIC(name##_block, T, operation, WORKGROUP) \
  RANKLE_SIM_ATOMIC(name##_system, T, operation, SYSTEM)
#define RANKLE_SIM_ATOMIC_UNSIGNED(name, operation)        \
  RANKLE_SIM_ATOMIC_SCOPES(name, unsigned, operation)      \
  RANKLE_SIM_ATOMIC_SCOPES(name, unsigned long, operation) \
  RANKLE_SIM_ATOMIC_SCOPES(name, unsigned long long, operation)
#define RANKLE_SIM_ATOMIC_SIGNED(name, operation) \
  RANKLE_SIM_ATOMIC_SCOPES(name, int, operation)  \
  RANKLE_SIM_ATOMIC_SCOPES(name, long, operation) \
  RANKLE_SIM_ATOMIC_SCOPES(name, long long, operation)
#define RANKLE_SIM_ATOMIC_FLOATS(name, operation)  \
  RANKLE_SIM_ATOMIC_SCOPES(name, float, operation) \
  RANKLE_SIM_ATOMIC_SCOPES(name, double, operation)

// Numbers of rankle_sim_atomic_rmw.
RANKLE_SIM_ATOMIC_SIGNED(atomicAdd, 1)
RANKLE_SIM_ATOMIC_UNSIGNED(atomicAdd, 1)
RANKLE_SIM_ATOMIC_FLOATS(atomicAdd, 10)
RANKLE_SIM_ATOMIC_SIGNED(atomicSub, 2)
RANKLE_SIM_ATOMIC_UNSIGNED(atomicSub, 2)
RANKLE_SIM_ATOMIC_SIGNED(atomicExch, 0)
RANKLE_SIM_ATOMIC_UNSIGNED(atomicExch, 0)
RANKLE_SIM_ATOMIC_FLOATS(atomicExch, 0)
RANKLE_SIM_ATOMIC_SIGNED(atomicMin, 6)
RANKLE_SIM_ATOMIC_UNSIGNED(atomicMin, 8)
RANKLE_SIM_ATOMIC_FLOATS(atomicMin, 11)
RANKLE_SIM_ATOMIC_SIGNED(atomicMax, 7)
RANKLE_SIM_ATOMIC_UNSIGNED(atomicMax, 9)
RANKLE_SIM_ATOMIC_FLOATS(atomicMax, 12)
RANKLE_SIM_ATOMIC_SIGNED(atomicAnd, 3)
RANKLE_SIM_ATOMIC_UNSIGNED(atomicAnd, 3)
RANKLE_SIM_ATOMIC_SIGNED(atomicOr, 4)
RANKLE_SIM_ATOMIC_UNSIGNED(atomicOr, 4)
RANKLE_SIM_ATOMIC_SIGNED(atomicXor, 5)
RANKLE_SIM_ATOMIC_UNSIGNED(atomicXor, 5)
// ((old >= value) ? 0 : old + 1), and ((old == 0 || old > value) ? value : old - 1).
RANKLE_SIM_ATOMIC_SCOPES(atomicInc, unsigned, 14)
RANKLE_SIM_ATOMIC_SCOPES(atomicDec, unsigned, 15)
// "Unsafe" and "safe" differ in the instruction on hardware, not in the value here.
RANKLE_SIM_ATOMIC(unsafeAtomicAdd, float, 10, AGENT)
RANKLE_SIM_ATOMIC(unsafeAtomicAdd, double, 10, AGENT)
RANKLE_SIM_ATOMIC(unsafeAtomicMin, float, 11, AGENT)
RANKLE_SIM_ATOMIC(unsafeAtomicMin, double, 11, AGENT)
RANKLE_SIM_ATOMIC(unsafeAtomicMax, float, 12, AGENT)
RANKLE_SIM_ATOMIC(unsafeAtomicMax, double, 12, AGENT)
RANKLE_SIM_ATOMIC(safeAtomicAdd, float, 10, AGENT)
RANKLE_SIM_ATOMIC(safeAtomicAdd, double, 10, AGENT)
RANKLE_SIM_ATOMIC(safeAtomicMin, float, 11, AGENT)
RANKLE_SIM_ATOMIC(safeAtomicMin, double, 11, AGENT)
RANKLE_SIM_ATOMIC(safeAtomicMax, float, 12, AGENT)
RANKLE_SIM_ATOMIC(safeAtomicMax, double, 12, AGENT)

#define RANKLE_SIM_CAS(T)                                                               \
  __attribute__((always_inline)) inline T atomicCAS(T* p, T compare, T value) {         \
    return rankle_sim::relaxed_cas<T>(p, compare, value, __HIP_MEMORY_SCOPE_AGENT);     \
  }                                                                                     \
  __attribute__((always_inline)) inline T atomicCAS_block(T* p, T compare, T value) {   \
    return rankle_sim::relaxed_cas<T>(p, compare, value, __HIP_MEMORY_SCOPE_WORKGROUP); \
  }                                                                                     \
  __attribute__((always_inline)) inline T atomicCAS_system(T* p, T compare, T value) {  \
    return rankle_sim::relaxed_cas<T>(p, compare, value, __HIP_MEMORY_SCOPE_SYSTEM);    \
  }
RANKLE_SIM_CAS(unsigned short)
RANKLE_SIM_CAS(int)
RANKLE_SIM_CAS(unsigned)
RANKLE_SIM_CAS(long)
RANKLE_SIM_CAS(unsigned long)
RANKLE_SIM_CAS(long long)
RANKLE_SIM_CAS(unsigned long long)
RANKLE_SIM_CAS(float)
RANKLE_SIM_CAS(double)

#undef RANKLE_SIM_CAS
#undef RANKLE_SIM_ATOMIC
#undef RANKLE_SIM_ATOMIC_SCOPES
#undef RANKLE_SIM_ATOMIC_UNSIGNED
#undef RANKLE_SIM_ATOMIC_SIGNED
#undef RANKLE_SIM_ATOMIC_FLOATS
