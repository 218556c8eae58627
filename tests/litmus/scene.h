// What a litmus plays with: words of device memory on each rank, and a way to say which values a
// clean case must end with.
#pragma once

#include <hip/hip_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/atomic.h"
#include "tests/litmus/litmus.h"

namespace rankle::sim::litmus {

using kernels::fence;
using kernels::fetch_add;
using kernels::load;
using kernels::Order;
using kernels::Scope;
using kernels::store;
using Word = std::uint32_t;

inline constexpr int kRanksMax = 4;
inline constexpr std::size_t kDataWords = 512;
inline constexpr std::size_t kFlags = 64;
inline constexpr Word kBefore = 5;  // what data words hold at first; flags and results hold 0
inline constexpr Word kSent = 7;    // what a case writes

// The order and scope of an atomic access, as a template argument.
struct Access {
  Order order;
  Scope scope;
};

// Memory of all ranks; every rank may use every pointer.
struct Board {
  Word* data[kRanksMax] = {};
  Word* flags[kRanksMax] = {};
  Word* out[kRanksMax] = {};
  hipIpcMemHandle_t handle_of_data{};  // rank 0's, of the cases that use mappings
  hipIpcMemHandle_t handle_of_flags{};
  std::vector<std::string> unexpected;  // values that a clean case must not end with
};

// One rank's view.
struct Scene {
  int rank = 0;
  int ranks = 1;
  int wave = 64;
  bool checks_values = true;  // of clean cases: what a racy one ends with is not said
  Board& board;

  Word* data() const { return board.data[rank]; }
  Word* flags() const { return board.flags[rank]; }
  Word* out() const { return board.out[rank]; }
};

// Waits for the rank's device.
void finish(Scene& scene);
// Waits for the rank's device; then the word must hold the value, if the case is clean. (Of a racy
// one, looking would be one more access that races.)
void expect(Scene& scene, const Word* word, Word value);

// A stream of the current device.
hipStream_t new_stream(unsigned flags = hipStreamNonBlocking);
hipEvent_t new_event();
// Records an event in the one stream and lets the other wait for it.
void order_streams(hipStream_t first, hipStream_t second);

inline dim3 threads(int n) { return {static_cast<std::uint32_t>(n)}; }
inline dim3 blocks(int n) { return {static_cast<std::uint32_t>(n)}; }

}  // namespace rankle::sim::litmus
