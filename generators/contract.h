// A Contract says what a target accepts, as plain data. Generators draw inside it, `validate`
// refuses outside it, and `rankle list` prints it. A worker sends the contracts of the targets that
// it has loaded to the supervisor as JSON (contract_json.h), so the supervisor never loads a
// target.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "generators/case.h"
#include "generators/limits.h"

namespace rankle {

struct Contract {
  std::string target;  // full name, "family/algorithm" or "family/algorithm@mutant"
  std::string family;  // "allreduce"
  std::string
      mutant_class;     // bug class of a mutant ("DIVERGENT-BARRIER"); empty for a clean target
  std::string summary;  // one sentence for `rankle list`

  std::vector<DType> dtypes;
  // Where `native` is listed, types that fp32 would round (fp64, integers) take it alone: accum.h.
  std::vector<Accum> accums;
  std::vector<int> worlds;

  std::int64_t count_multiple_bytes = 16;  // count * size_of(dtype) must be a multiple of this
  std::int64_t alignment_bytes = 16;       // of every input and output pointer
  std::int64_t bytes_max = 0;              // payload per rank
  int threads_min = 64;
  int threads_max = 512;
  int threads_multiple = 1;
  int blocks_max = 80;
  // world * blocks * threads of one call. A worker for devices that hold fewer threads lowers it:
  // the blocks of all ranks wait for each other, so all must be resident at once.
  std::int64_t resident_threads_max = kThreadsAtOnceMax;
  bool in_place = false;
  // Calls go through a communicator, so that programs may register buffers, make it anew, and seed
  // its epochs.
  bool communicator = false;

  // Bytes at which the target's dispatch changes its mind: generators draw each one -1/0/+1
  // granule.
  std::vector<std::int64_t> thresholds_bytes;

  // A target whose output has the same bits for every input, rounding included; empty if none.
  std::string same_bits_as;

  bool is_mutant() const { return !mutant_class.empty(); }
  bool operator==(const Contract&) const = default;
};

// What is wrong with a case: the JSON path of the field, its value and what is allowed, in one
// sentence such as "case.world: 9 is not allowed; allreduce/two_stage_tail takes 2, 3, 4".
struct Violation {
  std::string path;
  std::string message;
};

// Checks a case against a contract and against the caps that hold for every case (memory, number of
// simulated threads, program length). nullopt if the case may run.
std::optional<Violation> validate(const Case& c, const Contract& contract);

}  // namespace rankle
