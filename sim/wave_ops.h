// Operations of the lanes of one wave: shuffles, votes, matches, reductions and the wave barrier.
//
// Each lane is a fiber, so that the lanes which take part have to wait for each other. With a mask
// (the _sync forms) they are the lanes that it names and that have not ended; all of them must come
// to the same operation. Without one they are the active lanes, which fibers know only roughly: the
// operation is performed when no other lane of the wave can still come to it, the lowest program
// counter first, as after a divergent branch on hardware.
#pragma once

#include <cstdint>

namespace rankle::sim {

// Numbers of rankle_sim_wave_op (sim_device/wave.h).
enum class WaveOpKind : std::uint8_t {
  barrier,
  ballot,       // lanes whose value is not 0
  shuffle,      // the value of lane `argument`
  first,        // the value of the lowest lane that takes part
  match_any,    // lanes with the same value
  match_all,    // lanes that take part if all have the same value, else 0
  reduce,       // 32 bits, by the Rmw operation `argument`
  participants  // lanes that take part
};

struct WaveOp {
  WaveOpKind kind = WaveOpKind::barrier;
  bool masked = false;
  std::int32_t argument = 0;
  std::uint64_t mask = 0;
  std::uint64_t value = 0;
  std::uint64_t result = 0;
  std::uintptr_t pc = 0;
};

}  // namespace rankle::sim
