// Classes of cases (coverage.h): boundaries that kernels have, not sizes.
#include <algorithm>
#include <set>

#include "campaign/coverage.h"
#include "generators/names.h"
#include "repro/describe_case.h"

namespace rankle {
namespace {

bool has_step(const Case& c, std::initializer_list<StepKind> kinds) {
  return std::any_of(c.program.begin(), c.program.end(), [&](const Step& step) {
    return std::find(kinds.begin(), kinds.end(), step.kind) != kinds.end();
  });
}

std::ptrdiff_t calls_of(const Case& c) {
  return std::count_if(c.program.begin(), c.program.end(),
                       [](const Step& step) { return step.kind == StepKind::call; });
}

bool are_equal(const std::vector<std::int64_t>& values) {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

bool are_zero(const std::vector<std::int64_t>& values) {
  return std::all_of(values.begin(), values.end(), [](std::int64_t value) { return value == 0; });
}

}  // namespace

std::string_view name_of(CellField field) {
  constexpr std::array<std::string_view, kCellFields> kNames = {
      "target", "variant", "dtype", "world", "tail", "alignment", "pattern", "policy"};
  return kNames.at(static_cast<std::size_t>(field));
}

std::string tail_class(const Case& c) {
  const PackSplit split = split_of(c);
  if (split.part_last != split.part) return "unequal parts";
  if (split.tail == 0) return "complete tiles";
  return split.tail == 1 ? "tail of one pack" : "partial tile";
}

std::string alignment_class(const Case& c) {
  if (!are_equal(c.input_offset) || !are_equal(c.output_offset)) return "offsets differ";
  return are_zero(c.input_offset) && are_zero(c.output_offset) ? "aligned" : "one offset";
}

std::string step_pattern(const Case& c) {
  if (has_step(c, {StepKind::reconnect, StepKind::seed_epochs})) return "communicators";
  if (has_step(c, {StepKind::register_buffer, StepKind::deregister_buffer, StepKind::reallocate})) {
    return "buffers";
  }
  if (has_step(c, {StepKind::fork})) return "branches";
  if (has_step(c, {StepKind::stream})) return "streams";
  if (has_step(c, {StepKind::capture})) return "graph";
  return calls_of(c) > 1 ? "rounds" : "one call";
}

std::vector<Cell> cells_of(const Case& c, const Verdict& verdict) {
  const Cell common = {c.target,
                       "",
                       std::string(name_of(c.dtype)),
                       std::to_string(c.world),
                       tail_class(c),
                       alignment_class(c),
                       step_pattern(c),
                       std::string(name_of(c.schedule.policy))};
  std::vector<Cell> cells;
  // A run that died early has none.
  for (const std::string& variant :
       std::set<std::string>(verdict.variants.begin(), verdict.variants.end())) {
    cells.push_back(common);
    cells.back()[static_cast<std::size_t>(CellField::variant)] = variant;
  }
  return cells;
}

}  // namespace rankle
