// Atomic operations on simulated memory. `order` is a C++ memory order as clang passes it, `scope`
// one of
// __HIP_MEMORY_SCOPE_*; values travel in the low `bytes` bytes.
#pragma once

#include <cstdint>

namespace rankle::sim {

// The values are the operation numbers of rankle_sim_atomic_rmw (sim_device/atomics.h).
enum class Rmw : std::uint8_t {
  exchange,
  add,
  sub,
  bit_and,
  bit_or,
  bit_xor,
  signed_min,
  signed_max,
  unsigned_min,
  unsigned_max,
  float_add,
  float_min,
  float_max,
  bit_nand,
  wrap_increment,
  wrap_decrement
};

inline constexpr int kSystemScope = 5;

std::uint64_t apply(Rmw operation, std::uint64_t old, std::uint64_t operand, int bytes);

std::uint64_t atomic_load(const volatile void* p, int bytes, int order, int scope,
                          std::uintptr_t pc);
void atomic_store(volatile void* p, std::uint64_t value, int bytes, int order, int scope,
                  std::uintptr_t pc);
std::uint64_t atomic_rmw(volatile void* p, std::uint64_t operand, int bytes, Rmw operation,
                         int order, int scope, std::uintptr_t pc);
// `failure` is the order where the value is not the expected one.
std::uint64_t atomic_cas(volatile void* p, std::uint64_t expected, std::uint64_t desired, int bytes,
                         int order, int failure, int scope, std::uintptr_t pc);
void fence(int order, int scope, std::uintptr_t pc);

}  // namespace rankle::sim
