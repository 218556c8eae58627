// The rules of program.h as one pass over the steps with a little state.
#include "generators/program.h"

#include <fmt/format.h>

#include <bitset>
#include <string>

#include "generators/limits.h"
#include "generators/names.h"

namespace rankle {
namespace {

using Checked = std::optional<Violation>;

class ProgramRules {
 public:
  explicit ProgramRules(bool in_place) : in_place_(in_place) {}

  Checked next(std::size_t index, const Step& step) {
    index_ = index;
    step_ = step;
    if (auto wrong = check_round()) return wrong;
    if (step.staged && step.kind != StepKind::call) {
      return refuse("is not staged; only a call can be");
    }
    switch (step.kind) {
      case StepKind::fill:
        return fill();
      case StepKind::poison_output:
        return poison_output();
      case StepKind::poison_scratch:
        if (unchecked_call_) return refuse("may overtake a peer's call; a check must come first");
        return std::nullopt;
      case StepKind::call:
        return call();
      case StepKind::sync:
        running_ = false;
        return std::nullopt;
      case StepKind::check:
        return check();
      default:
        return refuse("is not allowed");
    }
  }

  bool called() const { return calls_ > 0; }
  bool all_checked() const { return checks_ > 0 && !unchecked_call_; }

 private:
  Violation refuse(std::string_view why) const {
    std::string path = fmt::format("case.program[{}].kind", index_);
    std::string message = fmt::format("{}: {} {}", path, name_of(step_.kind), why);
    return {std::move(path), std::move(message)};
  }

  Violation refuse_round(const std::string& why) const {
    std::string path = fmt::format("case.program[{}].round", index_);
    std::string message = fmt::format("{}: {} {}", path, step_.round, why);
    return {std::move(path), std::move(message)};
  }

  Checked check_round() const {
    const bool takes_round = step_.kind == StepKind::fill || step_.kind == StepKind::check;
    if (!takes_round && step_.round != 0) {
      return refuse_round(fmt::format("is not allowed; {} takes 0", name_of(step_.kind)));
    }
    if (step_.round < 0 || step_.round > kRoundMax) {
      return refuse_round(fmt::format("is not allowed; 0 to {} is", kRoundMax));
    }
    return std::nullopt;
  }

  Checked fill() {
    if (running_) return refuse("may overtake the last call; a sync or check must come first");
    const auto bit = static_cast<std::size_t>(step_.round);
    if (filled_rounds_.test(bit)) {
      return refuse_round("is filled twice; each fill takes a round of its own");
    }
    filled_rounds_.set(bit);
    filled_ = step_.round;
    called_since_fill_ = false;
    if (in_place_) output_round_ = -1;
    return std::nullopt;
  }

  Checked poison_output() {
    if (running_) return refuse("may overtake the last call; a sync or check must come first");
    if (in_place_ && filled_ >= 0 && !called_since_fill_) {
      return refuse("would poison the input of an in-place call; it must come before fill");
    }
    output_round_ = -1;
    return std::nullopt;
  }

  Checked call() {
    if (filled_ < 0) return refuse("has no input; a fill must come first");
    if (in_place_ && called_since_fill_) {
      return refuse("has used this in-place input up; a fill must come first");
    }
    ++calls_;
    output_round_ = filled_;
    called_since_fill_ = running_ = unchecked_call_ = true;
    return std::nullopt;
  }

  Checked check() {
    if (!filled_rounds_.test(static_cast<std::size_t>(step_.round))) {
      return refuse_round("was never filled; a fill must come first");
    }
    if (output_round_ < 0) {
      return refuse("finds no output of a call; one must come after the last fill or poison");
    }
    if (output_round_ != step_.round) {
      return refuse_round(
          fmt::format("is not the round that was called last; {} is", output_round_));
    }
    ++checks_;
    running_ = unchecked_call_ = false;
    return std::nullopt;
  }

  bool in_place_;
  std::size_t index_ = 0;
  Step step_;
  std::bitset<kRoundMax + 1> filled_rounds_;
  int filled_ = -1;        // round in the input
  int output_round_ = -1;  // round in the output; -1 if it holds no result
  int calls_ = 0;
  int checks_ = 0;
  bool called_since_fill_ = false;
  bool running_ = false;         // a call that its own rank has not waited for
  bool unchecked_call_ = false;  // a call that some rank may still run
};

}  // namespace

std::optional<Violation> check_program(const std::vector<Step>& program, bool in_place) {
  if (program.size() > kProgramStepsMax) {
    return Violation{"case.program",
                     fmt::format("case.program: {} steps are not allowed; at most {} are",
                                 program.size(), kProgramStepsMax)};
  }
  ProgramRules rules(in_place);
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (auto wrong = rules.next(i, program[i])) return wrong;
  }
  if (!rules.called() || !rules.all_checked()) {
    return Violation{
        "case.program",
        fmt::format("case.program: {} steps without a {}; at least one is needed", program.size(),
                    rules.called() ? "check after the last call" : "call")};
  }
  return std::nullopt;
}

}  // namespace rankle
