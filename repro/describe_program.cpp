// See describe_program.h.
#include "repro/describe_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "generators/names.h"
#include "generators/step_fields.h"
#include "repro/describe_case.h"

namespace rankle {
namespace {

constexpr std::int64_t kHalfOfEpochs = std::int64_t{1} << 31;

// A step that says no more than its kind and round.
bool is_plain(const Step& step) {
  return step.kind <= StepKind::check &&
         std::all_of(all_step_fields().begin(), all_step_fields().end(), [&](StepField field) {
           return field == StepField::round || is_default(step, field);
         });
}

std::string plain_text(const Step& step) {
  switch (step.kind) {
    case StepKind::fill:
      return fmt::format("fill round {}", step.round);
    case StepKind::poison_output:
      return "poison outputs";
    case StepKind::poison_scratch:
      return "poison scratch";
    case StepKind::check:
      return fmt::format("check round {}", step.round);
    default:
      return std::string(name_of(step.kind));
  }
}

// Near the limits as people think of them: "4,294,967,293 (2^32 - 3)".
std::string epoch_text(std::int64_t epoch) {
  constexpr std::int64_t kNear = 1000;
  std::string text = with_commas(epoch);
  for (const auto& [limit, name] :
       {std::pair{kHalfOfEpochs, "2^31"}, std::pair{2 * kHalfOfEpochs, "2^32"}}) {
    if (epoch < limit && limit - epoch <= kNear)
      text += fmt::format(" ({} - {})", name, limit - epoch);
  }
  return text;
}

class Storyteller {
 public:
  explicit Storyteller(const Case& c) : case_(c), several_(c.buffers() > 1) {}

  std::string next(const Step& step) {
    std::string text = step.aside ? "on the branch: " : "";
    text += words(step);
    if (step.queued && step.kind != StepKind::check && step.kind != StepKind::delay) {
      text += ", queued";
    }
    return indented(step, std::move(text));
  }

 private:
  std::string indented(const Step& step, std::string text) {
    if (step.kind == StepKind::end_capture) capturing_ = false;
    if (capturing_) text.insert(0, "  ");
    if (step.kind == StepKind::capture) capturing_ = true;
    return text;
  }

  // " of buffer 1", where there are several.
  std::string of(const Step& step) const {
    return several_ ? fmt::format(" of buffer {}", step.buffer) : "";
  }

  std::string shape(const Step& step) const {
    const auto index = static_cast<std::size_t>(step.shape) - 1;
    if (step.shape <= 0 || index >= case_.call_shapes.size()) return "";
    const CallShape& s = case_.call_shapes[index];
    std::string text = fmt::format("{} elements of {}", with_commas(s.count), name_of(s.dtype));
    const bool other_grid =
        s.blocks != case_.geometry.blocks || s.threads != case_.geometry.threads;
    if (step.kind == StepKind::call && other_grid) {
      text += s.blocks == 0 ? fmt::format(", blocks of {} threads", s.threads)
                            : fmt::format(", {} blocks of {} threads", s.blocks, s.threads);
    }
    return text;
  }

  std::string call(const Step& step) {
    if (capturing_) ++calls_of_graph_[graph_];
    std::string text = several_ ? fmt::format("call on buffer {}", step.buffer) : "call";
    if (step.shape > 0) text += fmt::format(" with {}", shape(step));
    if (step.staged) text += ", its input staged";
    if (step.refused) text += ": too large for the communicator, to be refused by every rank";
    if (step.copied) text += ", on a copy of the input that the graph owns";
    return text;
  }

  std::string replay(const Step& step) const {
    const auto calls = calls_of_graph_.find(step.graph);
    const int count = calls == calls_of_graph_.end() ? 0 : calls->second;
    const std::string graph =
        fmt::format("replay graph {} ({} call{})", step.graph, count, count == 1 ? "" : "s");
    const std::string poison = case_.in_place ? "" : "poison the outputs, ";
    if (step.times == 1) {
      return fmt::format("fill the inputs with round {}, {}{}, check its outputs", step.round,
                         poison, graph);
    }
    return fmt::format("{} times, for rounds {} {} {}: fill the inputs, {}{}, check its outputs",
                       step.times, step.round, step.times == 2 ? "and" : "to",
                       step.round + step.times - 1, poison, graph);
  }

  std::string words(const Step& step) {
    switch (step.kind) {
      case StepKind::fill:
        return fmt::format("fill the input{} with round {}{}", of(step), step.round,
                           step.shape > 0 ? fmt::format(" for {}", shape(step)) : "");
      case StepKind::poison_output:
        return fmt::format("poison the output{}", of(step));
      case StepKind::poison_scratch:
        return "poison the scratch";
      case StepKind::call:
        return call(step);
      case StepKind::sync:
        return step.rank < 0 ? "every rank waits for its own calls"
                             : fmt::format("rank {} waits for its own calls", step.rank);
      case StepKind::check:
        return step.queued ? fmt::format(
                                 "copy the output{} behind the calls, to be checked for "
                                 "round {} later",
                                 of(step), step.round)
                           : fmt::format("wait for all ranks and check the output{} for round {}",
                                         of(step), step.round);
      case StepKind::overwrite:
        return fmt::format("poison the input{} behind this rank's calls", of(step));
      case StepKind::capture:
        graph_ = step.graph;
        calls_of_graph_[graph_] = 0;
        return fmt::format("capture graph {}:", step.graph);
      case StepKind::end_capture:
        return "end the capture, and make its buffers known to all ranks";
      case StepKind::replay:
        return replay(step);
      case StepKind::destroy_graph:
        return fmt::format("destroy graph {}", step.graph);
      default:
        return rarer_words(step);
    }
  }

  std::string rarer_words(const Step& step) const {
    switch (step.kind) {
      case StepKind::register_buffer:
        return fmt::format("register buffer {}", step.buffer);
      case StepKind::deregister_buffer:
        return fmt::format("deregister buffer {}: eager calls on it are staged from here on",
                           step.buffer);
      case StepKind::reallocate:
        return fmt::format("free buffer {} and allocate it anew", step.buffer);
      case StepKind::delay:
        return fmt::format("hold up the {} of rank {} for {} ns", step.queued ? "device" : "host",
                           step.rank, with_commas(step.amount));
      case StepKind::stream:
        return fmt::format("go on with stream {}", step.stream);
      case StepKind::fork:
        return "fork a branch off the stream";
      case StepKind::join:
        return "join the branch";
      case StepKind::reconnect:
        return "destroy the communicator and make a new one";
      case StepKind::seed_epochs:
        return fmt::format("set every epoch to {}", epoch_text(step.amount));
      case StepKind::warm_up:
        return "tell the communicator of a capture, which begins after a warm-up";
      default:
        return std::string(name_of(step.kind));
    }
  }

  const Case& case_;
  const bool several_;
  bool capturing_ = false;
  int graph_ = 0;
  std::map<int, int> calls_of_graph_;
};

}  // namespace

std::vector<std::string> describe_program(const Case& c, const StepNotes& notes) {
  if (c.program.empty()) return {"program: empty"};
  if (std::all_of(c.program.begin(), c.program.end(), is_plain)) {
    std::vector<std::string> steps;
    steps.reserve(c.program.size());
    for (const Step& step : c.program) steps.push_back(plain_text(step));
    return {fmt::format("program: {}", fmt::join(steps, ", "))};
  }
  std::vector<std::string> lines{"program, the same on every rank:"};
  lines.reserve(1 + c.program.size());
  Storyteller storyteller(c);
  for (std::size_t i = 0; i < c.program.size(); ++i) {
    lines.push_back(fmt::format("{:>4}. {}", i, storyteller.next(c.program[i])));
    const auto of_step = notes.find(static_cast<int>(i));
    if (of_step == notes.end()) continue;
    for (const std::string& note : of_step->second) {
      lines.push_back(fmt::format("        <- {}", note));
    }
  }
  return lines;
}

}  // namespace rankle
