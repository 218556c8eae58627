// Which fields of a Step each kind takes: one table for the reader, the writer and the rules, so
// that a field which means nothing can neither be written nor slip through.
#pragma once

#include <span>
#include <string_view>

#include "generators/case.h"

namespace rankle {

enum class StepField {
  round,
  staged,
  buffer,
  queued,
  aside,
  shape,
  copied,
  refused,
  graph,
  times,
  rank,
  stream,
  amount
};

// In the order in which files list them.
std::span<const StepField> all_step_fields();

// As files spell it: "round".
std::string_view name_of(StepField field);

bool takes(StepKind kind, StepField field);

// Files name `round` for the first six kinds whatever they do with it (it is 0 then), and for the
// kinds that take it. All other fields are left out where they have their defaults.
bool always_written(StepKind kind, StepField field);

bool is_default(const Step& step, StepField field);

}  // namespace rankle
