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
  // Blocks of one device that run at once, started in order; 0: all. Simulator only.
  int resident_blocks = 0;

  bool operator==(const Geometry&) const = default;
};

// Class of input values.
enum class Inputs {
  exact_integers,  // every partial sum is exact in dtype and accumulator; judged against integers
  rounding,        // full-range random floats; judged bit for bit against `Case::same_bits_as`
  special          // signed zeros, NaN payloads, infinities, subnormals; judged as `rounding`
};

// What one step of a program does. Every step is executed by all ranks, in order. `queued` steps
// only enqueue on the rank's stream; the others are done, on their own rank, when they return.
// Which fields a kind takes: step_fields.h. Which sequences are allowed: program_model.h.
enum class StepKind {
  fill,             // write the input of `round`, as a call of `shape` reads it, into each rank's
                    // input of `buffer`; may be queued
  poison_output,    // overwrite each rank's output of `buffer` with poison; may be queued
  poison_scratch,   // overwrite each rank's scratch (not its signals) with poison
  call,             // one collective on `buffer` with `shape`, asynchronous on the rank's stream
  sync,             // wait for the rank's stream (of `rank` alone, if given); no barrier of ranks
  check,            // judge on every rank the output of `buffer` (what its last call wrote, in that
                    // call's shape, for `round`), its input (as last filled or poisoned) and red
                    // zones. Waits for all ranks; queued: copies them on the stream, for the next
                    // check that waits to judge
  overwrite,        // queued: poison the input of `buffer` behind the calls before it
  capture,          // from here to end_capture calls, overwrites, poisons and delays are recorded
                    // into `graph`
  end_capture,      // registers what was recorded with all ranks, and instantiates
  replay,           // `times` times: fill (queued) every input of the graph's calls with the next
                    // round from `round` on, as the longest of these calls reads it, poison their
                    // outputs (not in place), launch `graph`, and check every output (queued)
  destroy_graph,    // and give up the buffers that it had recorded
  register_buffer,  // `buffer`, for direct use by eager calls: how all are at the start
  deregister_buffer,  // eager calls on it are staged from here on
  reallocate,   // free `buffer` on every rank and allocate it anew, at the same address if possible
  delay,        // `rank` alone, by `amount` nanoseconds of its platform's time, on the host or on
                // the device (queued)
  stream,       // later steps use stream number `stream` (0 at first); the communicator waits for
                // the calls made so far
  fork,         // a second stream branches off; steps marked `aside` go there until join
  join,         // the rank's stream waits for the branch
  reconnect,    // destroy the communicator and make a new one, as large, every buffer registered
  seed_epochs,  // set every signal and counter to `amount`, for tests of wrap-around
  warm_up,      // the communicator's part of the next capture begins; calls until that are carried
                // out as ever
};

// Fields that a kind does not name keep their defaults, and are not written to files.
struct Step {
  StepKind kind = StepKind::call;
  int round = 0;            // payload round of fill, check and replay; 0 elsewhere
  bool staged = false;      // call: peers read a staging copy of the input, not the input itself
  int buffer = 0;           // pair of input and output on each rank: fill, poison, call, check, ...
  bool queued = false;      // fill, poison_output, check, delay: on the stream
  bool aside = false;       // queued steps between fork and join: on the branch
  int shape = 0;            // call, fill: index into Case::call_shapes from 1; 0: the case's own
  bool copied = false;      // captured call: on a copy of the input in memory of the graph's own
  bool refused = false;     // staged call: the communicator has no room for it, and must say so
  int graph = 0;            // capture, end_capture, replay, destroy_graph
  int times = 1;            // replay
  int rank = -1;            // sync, delay: this rank alone; -1: all (sync only)
  int stream = 0;           // stream
  std::int64_t amount = 0;  // delay: nanoseconds; seed_epochs: the epoch

  bool operator==(const Step&) const = default;
};

// What a call may do otherwise than the case says: fewer elements (a prefix of the buffers),
// another dtype of the contract, another grid. Bytes are at most the case's.
struct CallShape {
  std::int64_t count = 0;  // elements per rank
  DType dtype = DType::fp32;
  Accum accum = Accum::fp32;
  int blocks = 0;
  int threads = 512;

  bool operator==(const CallShape&) const = default;
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
  // Loads may return older values where the memory model allows it: the seed of these choices. 0:
  // each load returns the latest value. Simulator only.
  std::uint64_t weak_memory = 0;
  std::vector<Switch> switches;  // run_to_block only

  bool operator==(const Schedule&) const = default;
};

// What makes the timing of a run vary on real devices, in place of a schedule; the simulator passes
// it over. All of it follows from the case, none of it from chance.
struct Perturbation {
  std::uint64_t seed = 0;             // of the single delays
  std::int64_t host_delay_max = 0;    // nanoseconds that a rank's host may wait before a call
  std::int64_t device_delay_max = 0;  // and its stream
  int traffic_blocks =
      0;  // of a kernel beside that keeps copying memory on the first rank's device
  int occupier_blocks = 0;   // of a kernel beside that holds multiprocessors and does nothing
  bool warm_graphs = false;  // a graph is uploaded before its first launch

  bool operator==(const Perturbation&) const = default;
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
  std::string same_bits_as;            // reference target for `rounding` and `special`; else empty
  std::vector<CallShape> call_shapes;  // that steps of the program name
  std::vector<Step> program;
  Schedule schedule;
  Perturbation perturbation;
  std::uint64_t seed = 0;  // of the payload

  // Elements per rank.
  std::int64_t count() const;
  std::int64_t bytes() const;
  // Pairs of input and output on each rank: one more than the highest that a step names.
  int buffers() const;

  bool operator==(const Case&) const = default;
};

}  // namespace rankle
