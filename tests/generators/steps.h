// Steps of hand-written programs, by short names: for the tests of rules and of execution alike.
#pragma once

#include <cstdint>

#include "generators/case.h"

namespace rankle::test_steps {

constexpr Step fill(int round, int buffer = 0) {
  return {.kind = StepKind::fill, .round = round, .buffer = buffer};
}
constexpr Step check(int round, int buffer = 0) {
  return {.kind = StepKind::check, .round = round, .buffer = buffer};
}
constexpr Step overwrite(int buffer = 0) { return {.kind = StepKind::overwrite, .buffer = buffer}; }
constexpr Step replay(int round, int times = 1, int graph = 0) {
  return {.kind = StepKind::replay, .round = round, .graph = graph, .times = times};
}
constexpr Step delay(int rank, std::int64_t nanoseconds) {
  return {.kind = StepKind::delay, .rank = rank, .amount = nanoseconds};
}
constexpr Step queued(Step step) {
  step.queued = true;
  return step;
}
constexpr Step aside(Step step) {
  step.aside = true;
  return step;
}

}  // namespace rankle::test_steps
