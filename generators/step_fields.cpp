// The table behind step_fields.h.
#include "generators/step_fields.h"

#include <array>
#include <cassert>
#include <initializer_list>

#include "generators/name_table.h"

namespace rankle {
namespace {

using enum StepField;

constexpr detail::NameTable<StepField, 13> kFields{
    {round, buffer, shape, staged, copied, refused, queued, aside, graph, times, rank, stream,
     amount},
    {"round", "buffer", "shape", "staged", "copied", "refused", "queued", "aside", "graph", "times",
     "rank", "stream", "amount"}};

// A set of fields as bits.
constexpr unsigned set_of(std::initializer_list<StepField> fields) {
  unsigned bits = 0;
  for (const StepField field : fields) bits |= 1u << static_cast<unsigned>(field);
  return bits;
}

constexpr unsigned fields_of(StepKind kind) {
  switch (kind) {
    case StepKind::fill:
      return set_of({round, buffer, shape, queued, aside});
    case StepKind::poison_output:
      return set_of({buffer, queued, aside});
    case StepKind::call:
      return set_of({buffer, shape, staged, copied, refused});
    case StepKind::sync:
      return set_of({rank});
    case StepKind::check:
      return set_of({round, buffer, queued});
    case StepKind::overwrite:
      return set_of({buffer, aside});
    case StepKind::capture:
    case StepKind::end_capture:
    case StepKind::destroy_graph:
      return set_of({graph});
    case StepKind::replay:
      return set_of({round, graph, times});
    case StepKind::register_buffer:
    case StepKind::deregister_buffer:
    case StepKind::reallocate:
      return set_of({buffer});
    case StepKind::delay:
      return set_of({rank, amount, queued, aside});
    case StepKind::stream:
      return set_of({stream});
    case StepKind::seed_epochs:
      return set_of({amount});
    case StepKind::poison_scratch:
    case StepKind::fork:
    case StepKind::join:
    case StepKind::reconnect:
    case StepKind::warm_up:
      return 0;
  }
  return 0;
}

}  // namespace

std::span<const StepField> all_step_fields() { return kFields.values; }

std::string_view name_of(StepField field) { return kFields.name(field); }

bool takes(StepKind kind, StepField field) { return (fields_of(kind) & set_of({field})) != 0; }

bool always_written(StepKind kind, StepField field) {
  return field == round && (takes(kind, round) || kind <= StepKind::check);
}

bool is_default(const Step& step, StepField field) {
  constexpr Step kDefault;
  switch (field) {
    case round:
      return step.round == kDefault.round;
    case staged:
      return step.staged == kDefault.staged;
    case buffer:
      return step.buffer == kDefault.buffer;
    case queued:
      return step.queued == kDefault.queued;
    case aside:
      return step.aside == kDefault.aside;
    case shape:
      return step.shape == kDefault.shape;
    case copied:
      return step.copied == kDefault.copied;
    case refused:
      return step.refused == kDefault.refused;
    case graph:
      return step.graph == kDefault.graph;
    case times:
      return step.times == kDefault.times;
    case rank:
      return step.rank == kDefault.rank;
    case stream:
      return step.stream == kDefault.stream;
    case amount:
      return step.amount == kDefault.amount;
  }
  assert(!"a field without a default");
  return true;
}

}  // namespace rankle
