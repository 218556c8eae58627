// A Case is everything that decides one run. It is plain data: the generators draw it, an Executor
// runs it, the minimiser shrinks it, and the repro file is its JSON form (case_json.h). Nothing
// outside a Case may change what a simulator run does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generators/dtype.h"

namespace rankle {

// Launch geometry. `blocks` of 0 leaves the grid to the target's own dispatch.
struct Geometry {
  int blocks = 0;
  int threads = 512;  // threads per block
  int wave = 64;      // lanes per wave (warp): 32 or 64

  bool operator==(const Geometry&) const = default;
};

// Class of input values.
enum class Inputs {
  exact_integers,  // every partial sum is exact in dtype and accumulator; judged against integers
  rounding,        // full-range random floats; judged bit for bit against `Case::same_bits_as`
  special          // signed zeros, NaN payloads, infinities, subnormals; judged as `rounding`
};

// What one step of a program does. Every step is executed by all ranks, in order.
enum class StepKind {
  fill,            // write the input of `round` into each rank's input buffer
  poison_output,   // overwrite each rank's output with poison
  poison_scratch,  // overwrite each rank's scratch (not its signals) with poison
  call,            // one collective, asynchronous on the rank's stream
  sync,            // wait for the rank's stream; not a barrier between ranks
  check            // sync, then judge output, input and red zones of every rank for `round`
};

struct Step {
  StepKind kind = StepKind::call;
  int round = 0;  // payload round that fill writes and check expects in the output; 0 elsewhere
  bool staged = false;  // call: peers read a staging copy of the input, not the input itself

  bool operator==(const Step&) const = default;
};

// Who runs next (sim/policy_*.cpp). In the order in which the minimiser prefers them.
enum class Policy { run_to_block, round_robin, random, rank_late, rank_early, starvation, pct };

// Whether a policy needs to know how many steps a run takes.
constexpr bool has_horizon(Policy policy) {
  return policy == Policy::pct || policy == Policy::starvation;
}

// Where the simulator may switch between waves.
enum class Granularity {
  sync,   // at atomics, volatile accesses, fences, barriers and host calls
  access  // at every access to device memory as well
};

// What a wave does at a block barrier that only some of its lanes reach.
enum class BarrierModel {
  amd,    // one arriving lane arrives for its wave
  nvidia  // lanes of one warp at different barriers wait for ever
};

// One deviation from run-to-block: at scheduling step `step`, run `entity` next.
struct Switch {
  std::uint64_t step = 0;
  std::uint64_t entity = 0;

  bool operator==(const Switch&) const = default;
};

struct Schedule {
  Policy policy = Policy::run_to_block;
  std::uint64_t seed = 0;
  int depth = 0;              // pct: ordering constraints that a bug may need; else 0
  std::uint64_t horizon = 0;  // pct, starvation: steps within which the policy acts; else 0
  Granularity granularity = Granularity::sync;
  BarrierModel barrier_model = BarrierModel::amd;
  std::vector<Switch> switches;  // run_to_block only

  bool operator==(const Schedule&) const = default;
};

struct Case {
  std::string target;  // "allreduce/two_stage_tail", a mutant's with "@name"
  int world = 2;       // world size: number of ranks, one simulated device each
  DType dtype = DType::fp32;
  Accum accum = Accum::fp32;
  std::vector<std::int64_t> shape;  // elements per dimension; the product is the count per rank
  Geometry geometry;
  // Distance in elements of each rank's buffer from a 256-byte boundary; one entry per rank.
  std::vector<std::int64_t> input_offset;
  std::vector<std::int64_t> output_offset;
  bool in_place = false;  // output is the input buffer
  Inputs inputs = Inputs::exact_integers;
  std::string same_bits_as;  // reference target for `rounding` and `special`; else empty
  std::vector<Step> program;
  Schedule schedule;
  std::uint64_t seed = 0;  // of the payload

  // Elements per rank.
  std::int64_t count() const;
  std::int64_t bytes() const;

  bool operator==(const Case&) const = default;
};

}  // namespace rankle
