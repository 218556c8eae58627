// Launching one legacy atomic, or many at once on the same words.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>
#include <type_traits>
#include <vector>

namespace rankle::sim::testing {

// `sub` and `bit_and` of floats are unsafeAtomicAdd and safeAtomicAdd. `cas` compares with the
// operand and stores the operand plus one.
enum class Legacy { add, sub, exch, min, max, inc, dec, bit_and, bit_or, bit_xor, cas };

// *old = f(word, operand).
template <typename T>
void launch_legacy(Legacy f, T* word, T operand, T* old);
// Each thread adds its number to *total, counts *ring round to 9 and raises *largest.
template <typename T>
void launch_add_everywhere(int blocks, int threads, T* total, std::uint32_t* ring, T* largest);

// An atomic or fence as it reaches the simulator, recorded instead of performed.
struct RecordedAtomic {
  int operation = 0;  // of rankle_sim_atomic_rmw; 100: compare-and-swap, 200: fence
  int bytes = 0;
  int order = 0;
  int scope = 0;
  bool operator==(const RecordedAtomic&) const = default;
};
std::vector<RecordedAtomic> recorded_atomics();

}  // namespace rankle::sim::testing
