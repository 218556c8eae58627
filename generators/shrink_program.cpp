// Programs are cut into rounds, each ending with its check, so that dropping one leaves the others
// whole. Rounds are renumbered from 0 in order, which only changes which integers are drawn.
#include "generators/shrink_program.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace rankle::detail {
namespace {

using Program = std::vector<Step>;

std::vector<Program> rounds_of(const Program& program) {
  std::vector<Program> rounds(1);
  for (const Step& step : program) {
    rounds.back().push_back(step);
    if (step.kind == StepKind::check) rounds.emplace_back();
  }
  if (rounds.back().empty()) rounds.pop_back();
  return rounds;
}

Program renumbered(Program program) {
  std::map<int, int> numbers;
  for (Step& step : program) {
    if (step.kind != StepKind::fill && step.kind != StepKind::check) continue;
    step.round = numbers.emplace(step.round, static_cast<int>(numbers.size())).first->second;
  }
  return program;
}

Program joined(const std::vector<Program>& rounds, std::size_t begin, std::size_t end) {
  Program program;
  for (std::size_t i = begin; i < end; ++i) {
    program.insert(program.end(), rounds[i].begin(), rounds[i].end());
  }
  return renumbered(std::move(program));
}

Program without_kind(const Program& program, StepKind kind) {
  Program shorter;
  std::copy_if(program.begin(), program.end(), std::back_inserter(shorter),
               [kind](const Step& step) { return step.kind != kind; });
  return shorter;
}

void drop_rounds(const Program& program, std::vector<Program>& out) {
  const std::vector<Program> rounds = rounds_of(program);
  const std::size_t count = rounds.size();
  for (std::size_t keep = 1; keep < count; keep = std::max(keep + 1, (keep + count) / 2)) {
    out.push_back(joined(rounds, 0, keep));
    out.push_back(joined(rounds, count - keep, count));
  }
  // One round out of the middle: the earlier one prepares what the later one finds.
  for (std::size_t drop = 1; drop + 1 < count; ++drop) {
    std::vector<Program> rest = rounds;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(drop));
    out.push_back(joined(rest, 0, rest.size()));
  }
}

// Two rounds on one input: a fill goes, and the checks of its round judge the fill before.
void merge_rounds(const Program& program, std::vector<Program>& out) {
  const Step* last_fill = nullptr;
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (program[i].kind != StepKind::fill) continue;
    if (last_fill != nullptr) {
      Program merged = program;
      merged.erase(merged.begin() + static_cast<std::ptrdiff_t>(i));
      for (Step& step : merged) {
        if (step.kind == StepKind::check && step.round == program[i].round) {
          step.round = last_fill->round;
        }
      }
      out.push_back(renumbered(std::move(merged)));
    }
    last_fill = &program[i];
  }
}

}  // namespace

std::vector<Program> smaller_programs(const Program& program) {
  std::vector<Program> out;
  drop_rounds(program, out);
  // A sync or check of the last call lets later steps go, so poison goes before sync.
  Program bare = program;
  for (const StepKind kind : {StepKind::poison_scratch, StepKind::poison_output, StepKind::sync}) {
    bare = without_kind(bare, kind);
    out.push_back(without_kind(program, kind));
    out.push_back(bare);
  }
  merge_rounds(program, out);
  for (std::size_t drop = 0; drop < program.size(); ++drop) {
    Program shorter = program;
    shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(drop));
    out.push_back(renumbered(std::move(shorter)));
  }
  out.push_back(renumbered(program));
  return out;
}

}  // namespace rankle::detail
