// What can be told from the steps before any of them runs: how much of everything the program
// needs, which is also all that it gets, and which call each poison is for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "generators/case.h"
#include "harness/target.h"

namespace rankle {

struct ProgramPlan {
  int buffers = 1;  // pairs of input and output per rank
  int streams = 1;
  int graphs = 0;
  bool branches = false;  // some step forks
  bool host_delays = false;
  bool registers = false;          // a communicator begins with every buffer registered
  std::int64_t staging_bytes = 0;  // of the largest call that may be staged
  int slots = 0;                   // entries of the table of peer pointers
  // Parallel to the program. Of a call and a fill their own; of a poison or an overwrite that of
  // the call on the buffer that it is for: a pattern is of one type.
  std::vector<CallShape> shapes;

  kernels::Capacity capacity(const Case& c, const Target& target) const;
};

ProgramPlan plan_program(const Case& c);

// The steps between a capture and its end, as indices. `begin` is the index of the capture.
struct StepRange {
  std::size_t first = 0;
  std::size_t end = 0;  // of the end_capture, or of the program
};
StepRange captured_steps(const Case& c, std::size_t begin);

}  // namespace rankle
