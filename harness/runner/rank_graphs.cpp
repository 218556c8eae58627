// Capturing, replaying and ending graphs.
#include "harness/runner/rank_graphs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace rankle {

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

bool RankGraphs::begin(std::size_t index) {
  const Step& step = state_.c.program[index];
  Graph& graph = graphs_[std::size_t(step.graph)];
  if (!prepare(index, graph)) return false;
  for (const RankSide* side : state_.sides) {
    if (!side->begin_capture(state_.hip)) return false;
  }
  capturing_ = step.graph;
  return state_.hip.ok(hipStreamBeginCapture(state_.stream, hipStreamCaptureModeThreadLocal),
                       "hipStreamBeginCapture");
}

bool RankGraphs::prepare(std::size_t index, Graph& graph) {
  graph.effects.clear();
  graph.copies_used = graph.replays = 0;
  const auto [first, end] = captured_steps(state_.c, index);
  std::size_t images = 0;
  for (std::size_t i = first; i < end; ++i) {
    const Step& step = state_.c.program[i];
    const bool poisons = step.kind == StepKind::poison_output || step.kind == StepKind::overwrite;
    if (step.kind == StepKind::call && step.copied && !add_copy(step, graph)) return false;
    if (step.kind == StepKind::fill) ++images;
    if (!poisons) continue;
    const Poison poison = step.kind == StepKind::overwrite ? Poison::input : Poison::output;
    std::span<const std::byte> ignored;
    const DType dtype = state_.plan.shapes[i].dtype;
    if (!state_.poison_image(poison_contents(dtype, poison), ignored)) return false;
  }
  return images == 0 ||
         graph.images.reserve(state_.hip, images * HostImages::room_for(state_.c.bytes()));
}

// Where the input lies in its allocation, the copy does too: never at the start of one.
bool RankGraphs::add_copy(const Step& step, Graph& graph) {
  Copy& copy = graph.copies.emplace_back();
  const std::size_t offset =
      std::size_t(state_.c.input_offset[std::size_t(state_.rank)]) * size_of(state_.c.dtype);
  for (const RankSide* side : state_.sides) {
    GuardedBuffer& made = *copy.of_side.emplace_back(std::make_unique<GuardedBuffer>());
    const std::string name =
        fmt::format("{}copy {} of the input in graph {} of rank {}", side->prefix(),
                    graph.copies.size() - 1, step.graph, state_.rank);
    if (!made.allocate(state_.hip, std::size_t(state_.c.bytes()), offset, name)) return false;
  }
  return true;
}

bool RankGraphs::copy_input(int buffer, hipStream_t stream,
                            std::vector<const GuardedBuffer*>& copies, int& index) {
  Graph& graph = current();
  index = graph.copies_used++;
  const Copy& copy = graph.copies[std::size_t(index)];
  for (std::size_t i = 0; i < state_.sides.size(); ++i) {
    const GuardedBuffer& input = state_.sides[i]->buffers(buffer).input();
    copies.push_back(copy.of_side[i].get());
    if (input.bytes() == 0) continue;
    if (!state_.hip.ok(hipMemcpyAsync(copies.back()->data(), input.data(), input.bytes(),
                                      hipMemcpyDeviceToDevice, stream),
                       "hipMemcpyAsync")) {
      return false;
    }
  }
  return true;
}

bool RankGraphs::end() {
  Graph& graph = current();
  return state_.hip.ok(hipStreamEndCapture(state_.stream, &graph.graph), "hipStreamEndCapture") &&
         state_.hip.ok(hipGraphInstantiate(&graph.exec, graph.graph, nullptr, nullptr, 0),
                       "hipGraphInstantiate");
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
  const CheckPlace place{0, round, 0, number, graph.replays++, {}};
  return queue_checks(graph, place);
}

// Follows what the launch does, and has every copy of an input and every output checked.
bool RankGraphs::queue_checks(Graph& graph, const CheckPlace& place) {
  std::vector<int> outputs;
  for (const Effect& effect : graph.effects) {
    BufferState& state = state_.state(effect.buffer);
    if (effect.kind == StepKind::call) {
      CheckPlace at = place;
      at.buffer = effect.buffer;
      at.shape = effect.shape;
      at.number = state_.checks;
      const bool is_new = std::find(outputs.begin(), outputs.end(), at.buffer) == outputs.end();
      if (is_new) outputs.push_back(at.buffer);
      if (effect.copy >= 0) {
        const Copy& copy = graph.copies[std::size_t(effect.copy)];
        if (!checks_.queue_copy(at, state.input(), *copy.of_side.front(), state_.stream)) {
          return false;
        }
      }
    }
    apply(effect, state);
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
