// Steps of hand-written programs, by short names.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "generators/case.h"
#include "tests/generators/steps.h"

namespace rankle::testing_programs {

using namespace test_steps;

inline Step poison(int buffer = 0) { return {.kind = StepKind::poison_output, .buffer = buffer}; }
inline Step call(int buffer = 0) { return {.kind = StepKind::call, .buffer = buffer}; }
inline Step staged_call(int buffer = 0) {
  return {.kind = StepKind::call, .staged = true, .buffer = buffer};
}
// That the communicator must have no room for.
inline Step refused_call(int shape = 0) {
  return {.kind = StepKind::call, .staged = true, .shape = shape, .refused = true};
}
inline Step capture(int graph = 0) { return {.kind = StepKind::capture, .graph = graph}; }
inline Step end_capture(int graph = 0) { return {.kind = StepKind::end_capture, .graph = graph}; }
inline Step destroy_graph(int graph = 0) {
  return {.kind = StepKind::destroy_graph, .graph = graph};
}
inline Step of(StepKind kind, int buffer = 0) { return {.kind = kind, .buffer = buffer}; }
inline Step shaped(Step step, int shape) {
  step.shape = shape;
  return step;
}
inline Step copied(Step step) {
  step.copied = true;
  return step;
}

// A case of `elements` fp32 per rank, at unlike offsets.
inline Case case_of(const std::string& target, int world, std::vector<Step> program,
                    std::int64_t elements = 200) {
  Case c;
  c.target = "allreduce/" + target;
  c.world = world;
  c.shape = {elements};
  c.geometry = {2, 64, 64};
  for (int rank = 0; rank < world; ++rank) {
    c.input_offset.push_back(4 * rank);
    c.output_offset.push_back(4 * (world - rank));
  }
  c.seed = 12;
  c.program = std::move(program);
  return c;
}

}  // namespace rankle::testing_programs
