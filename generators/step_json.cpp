// Writer and reader of steps, driven by the table of step_fields.h: a field stands in a file only
// where its kind takes it, and only if it differs from its default.
#include "generators/step_json.h"

#include <limits>
#include <string_view>

#include "generators/limits.h"
#include "generators/names.h"
#include "generators/step_fields.h"

namespace rankle::detail {
namespace {

using nlohmann::ordered_json;

constexpr int kIntMax = std::numeric_limits<int>::max();

// Calls `visit` with the member that a field is.
template <class AnyStep, class Visit>
void visit_field(AnyStep& step, StepField field, Visit visit) {
  switch (field) {
    case StepField::round:
      return visit(step.round);
    case StepField::staged:
      return visit(step.staged);
    case StepField::buffer:
      return visit(step.buffer);
    case StepField::queued:
      return visit(step.queued);
    case StepField::aside:
      return visit(step.aside);
    case StepField::shape:
      return visit(step.shape);
    case StepField::copied:
      return visit(step.copied);
    case StepField::refused:
      return visit(step.refused);
    case StepField::graph:
      return visit(step.graph);
    case StepField::times:
      return visit(step.times);
    case StepField::rank:
      return visit(step.rank);
    case StepField::stream:
      return visit(step.stream);
    case StepField::amount:
      return visit(step.amount);
  }
}

// The most that a field may be in any case; validate() knows more.
int max_of(StepField field) {
  switch (field) {
    case StepField::round:
      return kRoundMax;
    case StepField::buffer:
      return kBuffersMax - 1;
    case StepField::shape:
      return static_cast<int>(kCallShapesMax);
    case StepField::graph:
      return kGraphsMax - 1;
    case StepField::times:
      return kReplayTimesMax;
    case StepField::rank:
      return kRanksMax - 1;
    case StepField::stream:
      return kStreamsMax - 1;
    default:
      return kIntMax;
  }
}

struct FieldReader {
  JsonCursor cursor;
  StepField field;

  void operator()(bool& value) { value = cursor.boolean(); }
  void operator()(std::int64_t& value) { value = cursor.integer(0, kEpochMax); }
  void operator()(int& value) {
    value = cursor.small_integer(field == StepField::times ? 1 : 0, max_of(field));
  }
};

Step read_step(JsonCursor cursor) {
  Step step;
  if (!cursor.value().is_object()) cursor.refuse("is not an object");
  if (cursor.failed()) return step;
  step.kind = cursor.at("kind").name<StepKind>(step_kind_from, all_step_kinds());
  std::vector<std::string_view> required{"kind"};
  std::vector<std::string_view> optional;
  for (const StepField field : all_step_fields()) {
    if (always_written(step.kind, field)) {
      required.push_back(name_of(field));
    } else if (takes(step.kind, field)) {
      optional.push_back(name_of(field));
    }
  }
  cursor.keys(std::span<const std::string_view>(required), optional);
  for (const StepField field : all_step_fields()) {
    const std::string_view name = name_of(field);
    if (cursor.failed() || !cursor.has(name)) continue;
    visit_field(step, field, FieldReader{cursor.at(name), field});
  }
  return step;
}

}  // namespace

ordered_json program_to_json(const std::vector<Step>& program) {
  ordered_json steps = ordered_json::array();
  for (const Step& step : program) {
    ordered_json& entry = steps.emplace_back(ordered_json::object());
    entry["kind"] = name_of(step.kind);
    for (const StepField field : all_step_fields()) {
      if (is_default(step, field) && !always_written(step.kind, field)) continue;
      visit_field(step, field, [&](auto value) { entry[std::string(name_of(field))] = value; });
    }
  }
  return steps;
}

std::vector<Step> read_program(JsonCursor cursor) {
  std::vector<Step> program(cursor.array(kProgramStepsMax));
  for (std::size_t i = 0; i < program.size() && !cursor.failed(); ++i) {
    program[i] = read_step(cursor.item(i));
  }
  return program;
}

ordered_json call_shapes_to_json(const std::vector<CallShape>& shapes) {
  ordered_json out = ordered_json::array();
  for (const CallShape& shape : shapes) {
    ordered_json& entry = out.emplace_back(ordered_json::object());
    entry["count"] = shape.count;
    entry["dtype"] = name_of(shape.dtype);
    entry["accum"] = name_of(shape.accum);
    entry["blocks"] = shape.blocks;
    entry["threads"] = shape.threads;
  }
  return out;
}

std::vector<CallShape> read_call_shapes(JsonCursor cursor) {
  std::vector<CallShape> shapes(cursor.array(kCallShapesMax));
  for (std::size_t i = 0; i < shapes.size() && !cursor.failed(); ++i) {
    JsonCursor entry = cursor.item(i);
    entry.keys({"count", "dtype", "accum", "blocks", "threads"});
    CallShape& shape = shapes[i];
    shape.count = entry.at("count").integer(0, std::numeric_limits<std::int64_t>::max());
    shape.dtype = entry.at("dtype").name<DType>(dtype_from, all_dtypes());
    shape.accum = entry.at("accum").name<Accum>(accum_from, all_accums());
    shape.blocks = entry.at("blocks").small_integer(0, kIntMax);
    shape.threads = entry.at("threads").small_integer(1, kIntMax);
  }
  return shapes;
}

}  // namespace rankle::detail
