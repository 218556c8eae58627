// The two doors to sim/atomics.h: our device headers, and the compiler's __tsan_atomic* calls.
#include "sim/atomics.h"
#include "sim/caller.h"
#include "sim/thread.h"

namespace {

using namespace rankle::sim;

}  // namespace

#define RANKLE_RMW(BITS, NAME, OPERATION)                                                       \
  std::uint##BITS##_t __tsan_atomic##BITS##_##NAME(volatile void* p, std::uint##BITS##_t value, \
                                                   int order) {                                 \
    return static_cast<std::uint##BITS##_t>(                                                    \
        atomic_rmw(p, value, BITS / 8, OPERATION, order, kSystemScope, RANKLE_CALLER));         \
  }

#define RANKLE_ATOMICS(BITS)                                                                      \
  std::uint##BITS##_t __tsan_atomic##BITS##_load(const volatile void* p, int order) {             \
    return static_cast<std::uint##BITS##_t>(                                                      \
        atomic_load(p, BITS / 8, order, kSystemScope, RANKLE_CALLER));                            \
  }                                                                                               \
  void __tsan_atomic##BITS##_store(volatile void* p, std::uint##BITS##_t value, int order) {      \
    atomic_store(p, value, BITS / 8, order, kSystemScope, RANKLE_CALLER);                         \
  }                                                                                               \
  RANKLE_RMW(BITS, exchange, Rmw::exchange)                                                       \
  RANKLE_RMW(BITS, fetch_add, Rmw::add)                                                           \
  RANKLE_RMW(BITS, fetch_sub, Rmw::sub)                                                           \
  RANKLE_RMW(BITS, fetch_and, Rmw::bit_and)                                                       \
  RANKLE_RMW(BITS, fetch_or, Rmw::bit_or)                                                         \
  RANKLE_RMW(BITS, fetch_xor, Rmw::bit_xor)                                                       \
  RANKLE_RMW(BITS, fetch_nand, Rmw::bit_nand)                                                     \
  int __tsan_atomic##BITS##_compare_exchange_strong(                                              \
      volatile void* p, void* expected, std::uint##BITS##_t desired, int order, int failure) {    \
    auto* const wanted = static_cast<std::uint##BITS##_t*>(expected);                             \
    const auto old = static_cast<std::uint##BITS##_t>(                                            \
        atomic_cas(p, *wanted, desired, BITS / 8, order, failure, kSystemScope, RANKLE_CALLER));  \
    if (old == *wanted) return 1;                                                                 \
    *wanted = old;                                                                                \
    return 0;                                                                                     \
  }                                                                                               \
  int __tsan_atomic##BITS##_compare_exchange_weak(                                                \
      volatile void* p, void* expected, std::uint##BITS##_t desired, int order, int failure) {    \
    auto* const wanted = static_cast<std::uint##BITS##_t*>(expected);                             \
    const auto old = static_cast<std::uint##BITS##_t>(                                            \
        atomic_cas(p, *wanted, desired, BITS / 8, order, failure, kSystemScope, RANKLE_CALLER));  \
    if (old == *wanted) return 1;                                                                 \
    *wanted = old;                                                                                \
    return 0;                                                                                     \
  }                                                                                               \
  std::uint##BITS##_t __tsan_atomic##BITS##_compare_exchange_val(                                 \
      volatile void* p, std::uint##BITS##_t expected, std::uint##BITS##_t desired, int order,     \
      int failure) {                                                                              \
    return static_cast<std::uint##BITS##_t>(                                                      \
        atomic_cas(p, expected, desired, BITS / 8, order, failure, kSystemScope, RANKLE_CALLER)); \
  }

#pragma GCC visibility push(default)
extern "C" {

RANKLE_ATOMICS(8)
RANKLE_ATOMICS(16)
RANKLE_ATOMICS(32)
RANKLE_ATOMICS(64)

void __tsan_atomic_thread_fence(int order) { fence(order, kSystemScope, RANKLE_CALLER); }
void __tsan_atomic_signal_fence(int) {}

std::uint64_t rankle_sim_atomic_load(const volatile void* p, int bytes, int order, int scope) {
  return atomic_load(p, bytes, order, scope, RANKLE_CALLER);
}
void rankle_sim_atomic_store(volatile void* p, std::uint64_t value, int bytes, int order,
                             int scope) {
  atomic_store(p, value, bytes, order, scope, RANKLE_CALLER);
}
std::uint64_t rankle_sim_atomic_rmw(volatile void* p, std::uint64_t operand, int bytes,
                                    int operation, int order, int scope) {
  return atomic_rmw(p, operand, bytes, static_cast<Rmw>(operation), order, scope, RANKLE_CALLER);
}
std::uint64_t rankle_sim_atomic_cas(volatile void* p, std::uint64_t expected, std::uint64_t desired,
                                    int bytes, int success, int failure, int scope) {
  return atomic_cas(p, expected, desired, bytes, success, failure, scope, RANKLE_CALLER);
}
void rankle_sim_fence(int order, int scope) { fence(order, scope, RANKLE_CALLER); }
}
#pragma GCC visibility pop
