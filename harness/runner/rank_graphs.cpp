// Capturing, replaying and ending graphs.
#include "harness/runner/rank_graphs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace rankle {
namespace {

bool is_called(const Case& c, const StepRange& range, int buffer) {
  const auto begin = c.program.begin();
  return std::any_of(
      begin + std::ptrdiff_t(range.first), begin + std::ptrdiff_t(range.end),
      [buffer](const Step& step) { return step.kind == StepKind::call && step.buffer == buffer; });
}

}  // namespace

void apply(const Effect& effect, BufferState& state) {
  switch (effect.kind) {
    case StepKind::fill:
      return state.fill(effect.contents);
    case StepKind::poison_output:
      return state.poison_output(effect.contents);
    case StepKind::overwrite:
      return state.overwrite(effect.contents);
    case StepKind::call:
      return state.call(effect.shape);
    default:
      return;
  }
}

RankGraphs::RankGraphs(RankState& state, QueuedChecks& checks)
    : state_(state), checks_(checks), graphs_(std::size_t(state.plan.graphs)) {}

bool RankGraphs::warm_up() {
  for (const RankSide* side : state_.sides) {
    if (!side->begin_capture(state_.hip)) return false;
  }
  warmed_up_ = true;
  return true;
}

bool RankGraphs::begin(std::size_t index) {
  const Step& step = state_.c.program[index];
  Graph& graph = graphs_[std::size_t(step.graph)];
  if (!prepare(index, graph)) return false;
  if (!warmed_up_ && !warm_up()) return false;
  warmed_up_ = false;
  capturing_ = step.graph;
  return state_.hip.ok(hipStreamBeginCapture(state_.stream, hipStreamCaptureModeThreadLocal),
                       "hipStreamBeginCapture");
}

bool RankGraphs::prepare(std::size_t index, Graph& graph) {
  graph.effects.clear();
  graph.input_copies.clear();
  graph.output_copies.clear();
  graph.inputs_copied = graph.calls = 0;
  graph.replays = 0;
  const int number = state_.c.program[index].graph;
  const auto [first, end] = captured_steps(state_.c, index);
  std::size_t images = 0;
  for (std::size_t i = first; i < end; ++i) {
    const Step& step = state_.c.program[i];
    if (step.kind == StepKind::fill) ++images;
    if (step.kind == StepKind::call) {
      if (step.copied && !add_copy(number, Half::input, graph, graph.input_copies.emplace_back())) {
        return false;
      }
      int& kept = graph.output_copies.emplace_back(-1);
      const bool is_overwritten = is_called(state_.c, {i + 1, end}, step.buffer);
      if (is_overwritten && !add_copy(number, Half::output, graph, kept)) return false;
    }
    if (step.kind != StepKind::poison_output && step.kind != StepKind::overwrite) continue;
    const Poison poison = step.kind == StepKind::overwrite ? Poison::input : Poison::output;
    std::span<const std::byte> ignored;
    const DType dtype = state_.plan.shapes[i].dtype;
    if (!state_.poison_image(poison_contents(dtype, poison), ignored)) return false;
  }
  return images == 0 ||
         graph.images.reserve(state_.hip, images * HostImages::room_for(state_.c.bytes()));
}

// Where the input or output lies in its allocation, the copy does too: never at the start of one.
bool RankGraphs::add_copy(int number, Half half, Graph& graph, int& index) {
  index = int(graph.copies.size());
  Copy& copy = graph.copies.emplace_back();
  const auto rank = std::size_t(state_.rank);
  const std::int64_t offset = half == Half::input || state_.c.in_place
                                  ? state_.c.input_offset[rank]
                                  : state_.c.output_offset[rank];
  for (const RankSide* side : state_.sides) {
    GuardedBuffer& made = *copy.of_side.emplace_back(std::make_unique<GuardedBuffer>());
    const std::string name =
        fmt::format("{}copy {} of an {} in graph {} of rank {}", side->prefix(), index,
                    half == Half::input ? "input" : "output", number, rank);
    if (!made.allocate(state_.hip, std::size_t(state_.c.bytes()),
                       std::size_t(offset) * size_of(state_.c.dtype), name)) {
      return false;
    }
  }
  return true;
}

bool RankGraphs::copy(int buffer, Half half, const Copy& to, hipStream_t stream) {
  for (std::size_t i = 0; i < state_.sides.size(); ++i) {
    const GuardedBuffer& from = state_.buffer_of(*state_.sides[i], half, buffer);
    if (from.bytes() == 0) continue;
    if (!state_.hip.ok(hipMemcpyAsync(to.of_side[i]->data(), from.data(), from.bytes(),
                                      hipMemcpyDeviceToDevice, stream),
                       "hipMemcpyAsync")) {
      return false;
    }
  }
  return true;
}

bool RankGraphs::copy_input(int buffer, hipStream_t stream,
                            std::vector<const GuardedBuffer*>& copies, int& index) {
  Graph& graph = current();
  index = graph.input_copies[graph.inputs_copied++];
  const Copy& to = graph.copies[std::size_t(index)];
  for (const auto& of_side : to.of_side) copies.push_back(of_side.get());
  return copy(buffer, Half::input, to, stream);
}

bool RankGraphs::keep_output(int buffer, hipStream_t stream, int& index) {
  Graph& graph = current();
  index = graph.output_copies[graph.calls++];
  return index < 0 || copy(buffer, Half::output, graph.copies[std::size_t(index)], stream);
}

bool RankGraphs::end() {
  Graph& graph = current();
  return state_.hip.ok(hipStreamEndCapture(state_.stream, &graph.graph), "hipStreamEndCapture") &&
         state_.hip.ok(hipGraphInstantiate(&graph.exec, graph.graph, nullptr, nullptr, 0),
                       "hipGraphInstantiate") &&
         (!state_.c.perturbation.warm_graphs ||
          state_.hip.ok(hipGraphUpload(graph.exec, state_.stream), "hipGraphUpload"));
}

bool RankGraphs::share() {
  Graph& graph = current();
  capturing_ = -1;
  for (const RankSide* side : state_.sides) {
    if (!side->end_capture(state_.hip, graph.captures.emplace_back(-1))) return false;
  }
  return true;
}

bool RankGraphs::replay(const Step& step) {
  Graph& graph = graphs_[std::size_t(step.graph)];
  for (int i = 0; i < step.times; ++i) {
    if (!checks_.make_room() || !replay_once(graph, step.graph, step.round + i)) return false;
  }
  return true;
}

bool RankGraphs::replay_once(Graph& graph, int number, int round) {
  state_.rounds.push_back(round);
  // The longest call on each buffer says in which type its input is read.
  std::map<int, CallShape> inputs;
  for (const Effect& effect : graph.effects) {
    if (effect.kind != StepKind::call) continue;
    const auto [known, is_first] = inputs.emplace(effect.buffer, effect.shape);
    if (!is_first && bytes_of(effect.shape) > bytes_of(known->second)) known->second = effect.shape;
  }
  for (const auto& [buffer, shape] : inputs) {
    const Effect fill{
        StepKind::fill, buffer, payload_contents(payload_of(state_.c, shape), round), {}};
    const Effect poison{
        StepKind::poison_output, buffer, poison_contents(shape.dtype, Poison::output), {}};
    apply(fill, state_.state(buffer));
    if (!state_.queue_write(fill.contents, Half::input, buffer, state_.images, state_.stream)) {
      return false;
    }
    if (state_.c.in_place) continue;
    apply(poison, state_.state(buffer));
    if (!state_.queue_write(poison.contents, Half::output, buffer, state_.images, state_.stream)) {
      return false;
    }
  }
  if (!state_.hip.ok(hipGraphLaunch(graph.exec, state_.stream), "hipGraphLaunch")) return false;
  const CheckPlace place{0, round, 0, number, graph.replays++, {}, state_.step_index};
  return queue_checks(graph, place);
}

// Follows what the launch does, and has every copy of an input and every output checked.
bool RankGraphs::queue_checks(Graph& graph, const CheckPlace& place) {
  std::vector<int> outputs;
  for (const Effect& effect : graph.effects) {
    if (effect.kind != StepKind::call) {
      apply(effect, state_.state(effect.buffer));
      continue;
    }
    const bool is_new = std::find(outputs.begin(), outputs.end(), effect.buffer) == outputs.end();
    if (is_new) outputs.push_back(effect.buffer);
    if (!check_call(graph, effect, place)) return false;
  }
  for (const int buffer : outputs) {
    const BufferState& state = state_.state(buffer);
    const std::optional<CallShape>& call = state.last_call();
    if (!call) continue;  // poisoned by the graph itself
    CheckPlace at = place;
    at.buffer = buffer;
    at.shape = *call;
    at.number = state_.checks++;
    if (!checks_.queue(at, state, state_.stream)) return false;
  }
  return true;
}

// What a call has left in memory of the graph's own.
bool RankGraphs::check_call(Graph& graph, const Effect& effect, CheckPlace place) {
  BufferState& state = state_.state(effect.buffer);
  place.buffer = effect.buffer;
  place.shape = effect.shape;
  place.number = state_.checks;
  if (effect.copy >= 0) {
    const Copy& copied = graph.copies[std::size_t(effect.copy)];
    if (!checks_.queue_copy(place, state.input(), *copied.of_side.front(), state_.stream)) {
      return false;
    }
  }
  apply(effect, state);
  if (effect.kept < 0) return true;
  ++state_.checks;
  const Copy& kept = graph.copies[std::size_t(effect.kept)];
  const GuardedBuffer* reference = kept.of_side.size() > 1 ? kept.of_side.back().get() : nullptr;
  return checks_.queue_output(place, state, *kept.of_side.front(), reference, state_.stream);
}

bool RankGraphs::destroy(int graph) {
  Graph& ending = graphs_[std::size_t(graph)];
  bool done = true;
  if (ending.exec != nullptr) {
    done &= state_.hip.ok(hipGraphExecDestroy(ending.exec), "hipGraphExecDestroy");
  }
  if (ending.graph != nullptr) {
    done &= state_.hip.ok(hipGraphDestroy(ending.graph), "hipGraphDestroy");
  }
  ending.exec = nullptr;
  ending.graph = nullptr;
  return done;
}

bool RankGraphs::give_up(int graph) {
  Graph& ending = graphs_[std::size_t(graph)];
  for (std::size_t i = 0; i < ending.captures.size(); ++i) {
    if (!state_.sides[i]->release_capture(state_.hip, ending.captures[i])) return false;
  }
  return true;
}

void RankGraphs::release(int graph) {
  Graph& ending = graphs_[std::size_t(graph)];
  ending.captures.clear();
  ending.copies.clear();
  ending.images.release(state_.hip);
}

void RankGraphs::forget_communicators() {
  for (Graph& graph : graphs_) graph.captures.clear();
}

void RankGraphs::abandon_capture() {
  if (!is_capturing()) return;
  static_cast<void>(hipStreamEndCapture(state_.stream, &current().graph));
  capturing_ = -1;
}

void RankGraphs::destroy_all() {
  for (std::size_t i = 0; i < graphs_.size(); ++i) static_cast<void>(destroy(int(i)));
}

void RankGraphs::release_all() {
  for (std::size_t i = 0; i < graphs_.size(); ++i) release(int(i));
}

bool RankGraphs::judge_red_zones(RankJudge& judge, const CheckPlace& place) {
  for (const Graph& graph : graphs_) {
    if (graph.replays == 0) continue;
    for (const Copy& copy : graph.copies) {
      for (const auto& buffer : copy.of_side) {
        if (!judge.judge_red_zones(place, *buffer)) return false;
      }
    }
  }
  return true;
}

}  // namespace rankle
