// Groups of steps, drawn by weight while there is room. Every group leaves a program that finish()
// can end within the steps it sets aside: an output that nobody has judged is never destroyed.
#include "generators/draw_program.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "generators/draw_call_shape.h"
#include "generators/limits.h"
#include "generators/program_model.h"

namespace rankle::detail {
namespace {

// Just below these a counter of barriers wraps, or changes sign where it should not have one.
constexpr std::array<std::int64_t, 2> kEpochLimits{std::int64_t{1} << 32, std::int64_t{1} << 31};

class ProgramDrawer {
 public:
  ProgramDrawer(Dice& dice, ProgramSetting setting)
      : dice_(dice),
        model_(std::move(setting)),
        buffers_(1 + static_cast<int>(dice.weighted({50, 35, 15}))),
        steps_(static_cast<std::size_t>(
            std::max(dice.between(6, kDrawnStepsMax), dice.between(6, kDrawnStepsMax)))) {}

  std::vector<Step> operator()() {
    if (has_communicator() && dice_.percent(12)) seed_epochs();
    if (has_communicator() && dice_.percent(12)) emit(on(StepKind::deregister_buffer, buffer()));
    constexpr int kGroupsMax = 64;  // groups may come to nothing
    for (int group = 0; group < kGroupsMax && has_room(3); ++group) draw_group();
    finish();
    return std::move(program_);
  }

 private:
  static Step on(StepKind kind, int buffer) { return {.kind = kind, .buffer = buffer}; }
  static Step of(StepKind kind, int graph) { return {.kind = kind, .graph = graph}; }

  bool has_communicator() const { return model_.setting().communicator; }
  bool in_place() const { return model_.setting().in_place; }
  int shapes() const { return static_cast<int>(model_.setting().shapes.size()); }
  std::int64_t bytes_of_shape(int index) const {
    const CallShape& shape = model_.setting().shapes[static_cast<std::size_t>(index)];
    return shape.count * static_cast<std::int64_t>(size_of(shape.dtype));
  }
  int buffer() { return static_cast<int>(dice_.below(static_cast<std::uint64_t>(buffers_))); }
  int rank() {
    return static_cast<int>(dice_.below(static_cast<std::uint64_t>(model_.setting().world)));
  }
  // Often another one than the last call on this buffer: sizes that grow and shrink again find what
  // is kept between calls.
  int shape(int b) {
    const int drawn = static_cast<int>(dice_.between(0, shapes() - 1));
    if (shapes() == 1 || drawn != model_.buffer(b).output_shape || dice_.percent(50)) return drawn;
    return (drawn + 1) % shapes();
  }

  // Steps that finish() may need: a check of each output that has none, and a round of its own if
  // nothing is left to check.
  std::size_t closing() const {
    // The end of a capture, and a replay of it; before those a capture and its call.
    std::size_t steps = (model_.branched() ? 1 : 0) + (model_.capturing() >= 0 ? 2 : 0) +
                        (model_.warming_up() ? 4 : 0);
    bool any_output = false;
    for (int b = 0; b < buffers_; ++b) {
      steps += model_.buffer(b).unjudged ? 1 : 0;
      any_output |= model_.buffer(b).output_round >= 0;
    }
    return steps + (any_output ? 1 : 3);
  }
  bool has_room(std::size_t steps) const { return program_.size() + steps + closing() <= steps_; }

  bool emit(const Step& step) {
    if (model_.next(step)) return false;
    program_.push_back(step);
    return true;
  }
  // A step that may be left out.
  void maybe(int chance, const Step& step) {
    if (dice_.percent(chance) && has_room(2)) emit(step);
  }

  Step check(int b, bool queued) const {
    return {.kind = StepKind::check,
            .round = std::max(model_.buffer(b).output_round, 0),
            .buffer = b,
            .queued = queued};
  }
  Step delay(bool queued) {
    const auto doublings = dice_.between(6, 19);
    const std::int64_t span =
        dice_.between(std::int64_t{1} << doublings, std::int64_t{2} << doublings);
    return {.kind = StepKind::delay,
            .queued = queued,
            .rank = rank(),
            .amount = std::min(span, kDelayNanosecondsMax)};
  }

  void draw_group() {
    const bool graphs = model_.any_graph();
    const int communicator = has_communicator() ? 1 : 0;
    switch (dice_.weighted({30, graphs ? 10 : 26, graphs ? 24 : 0, graphs ? 8 : 0, 9,
                            4 * communicator, 5, 7, 3, 3, 3, 2 * communicator})) {
      case 0:
        return call_group();
      case 1:
        return capture_group();
      case 2:
        return replay_group();
      case 3:
        return destroy_group();
      case 4:
        return registration_group();
      case 5:
        return reconnect_group();
      case 6:
        if (has_room(1)) emit({.kind = StepKind::stream, .stream = 1 - model_.stream()});
        return;
      case 7:
        return fork_group();
      case 8:
        return maybe(100, delay(false));
      case 9:
        if (has_room(1)) emit({.kind = StepKind::poison_scratch});
        return;
      case 10:
        return maybe(100, {.kind = StepKind::sync, .rank = dice_.percent(40) ? rank() : -1});
      default:
        if (settle() && has_room(1)) seed_epochs();
    }
  }

  void seed_epochs() {
    const std::int64_t limit = kEpochLimits[dice_.below(kEpochLimits.size())];
    emit({.kind = StepKind::seed_epochs,
          .amount = limit - 1 - dice_.between(0, dice_.percent(50) ? 3 : 24)});
  }

  // Fills `b` for `shape` unless what is there will do. False if there is no room.
  bool provide_input(int b, int shape, bool afresh) {
    Step call = on(StepKind::call, b);
    call.shape = shape;
    if (!afresh && model_.can(call)) return true;
    if (!has_room(3)) return false;
    // In place a fill destroys the output.
    if (in_place() && model_.buffer(b).unjudged) emit(check(b, dice_.percent(40)));
    const bool queued = model_.branched() || model_.buffer(b).busy || dice_.percent(30);
    return emit({.kind = StepKind::fill,
                 .round = next_round_++,
                 .buffer = b,
                 .queued = queued,
                 .shape = shape});
  }

  void poison_output(int b) {
    if (in_place() || model_.buffer(b).unjudged || !has_room(4)) return;
    const bool queued = model_.branched() || model_.buffer(b).busy || dice_.percent(50);
    emit({.kind = StepKind::poison_output, .buffer = b, .queued = queued});
  }

  void call_group() {
    const int b = buffer();
    Step call = on(StepKind::call, b);
    call.shape = shape(b);
    call.staged = dice_.percent(20);
    // Below the largest shape, so that there is one to refuse.
    if (call.staged && call.shape == 0 && shapes() > 1 && dice_.percent(70)) {
      call.shape = static_cast<int>(dice_.between(1, shapes() - 1));
    }
    if (!provide_input(b, call.shape, dice_.percent(60))) return;
    if (dice_.percent(50)) poison_output(b);
    if (dice_.percent(25)) maybe(100, delay(dice_.percent(50)));
    if (!has_room(2) || !emit(call)) return;
    const bool stages = call.staged || !model_.buffer(b).registered;
    if (stages && has_communicator() && dice_.percent(80)) refused_call();
    if (dice_.percent(20) && has_room(1)) emit(call);
    maybe(35, on(StepKind::overwrite, b));
    switch (dice_.weighted({25, 15, 15, 5, 40})) {
      case 0:
        emit(check(b, false));
        return;
      case 1:
        emit(check(b, true));
        return;
      case 2:
        return maybe(100, {.kind = StepKind::sync});
      case 3:
        return maybe(100, {.kind = StepKind::sync, .rank = rank()});
      default:
        return;
    }
  }

  // Of the smallest shape that the staging memory has no room for, if there is one.
  void refused_call() {
    if (!has_room(1)) return;
    std::optional<Step> smallest;
    for (int s = 0; s < shapes(); ++s) {
      const Step call{.kind = StepKind::call, .staged = true, .shape = s, .refused = true};
      if (!model_.can(call)) continue;
      if (!smallest || bytes_of_shape(s) < bytes_of_shape(smallest->shape)) smallest = call;
    }
    if (smallest && emit(*smallest)) refuses_ = true;
  }

  // A refused call leaves room for the smallest shape at least.
  int shape_with_room(int shape) const {
    if (!refuses_) return shape;
    int smallest = 0;
    for (int s = 1; s < shapes(); ++s) {
      if (bytes_of_shape(s) < bytes_of_shape(smallest)) smallest = s;
    }
    return smallest;
  }

  void capture_group() {
    int graph = 0;
    while (graph < kGraphsMax && model_.graph(graph).live) ++graph;
    if (graph == kGraphsMax || !has_room(5)) return;
    if (has_communicator() && has_room(9) && dice_.percent(20)) warm_up();
    if (!emit(of(StepKind::capture, graph))) return;
    const auto calls = 1 + dice_.weighted({40, 40, 20});
    for (std::size_t i = 0; i < calls && (i == 0 || has_room(3)); ++i) captured_call();
    emit(of(StepKind::end_capture, graph));
    if (dice_.percent(85)) replay(graph);
  }

  // As people do it: the call that will be captured once before, or another one.
  void warm_up() {
    emit({.kind = StepKind::warm_up});
    Step call = on(StepKind::call, buffer());
    call.shape = shape(call.buffer);
    if (provide_input(call.buffer, call.shape, dice_.percent(60))) emit(call);
  }

  void captured_call() {
    const int b = buffer();
    Step call = on(StepKind::call, b);
    call.shape = shape(b);
    if (model_.setting().captures_stage) call.shape = shape_with_room(call.shape);
    call.copied = !in_place() && dice_.percent(25);
    maybe(15, delay(true));
    const bool forks = buffers_ > 1 && dice_.percent(20) && has_room(6) && model_.can(call);
    if (forks) return branch(call, (b + 1) % buffers_);
    if (!in_place()) maybe(20, {.kind = StepKind::poison_output, .buffer = b, .queued = true});
    if (!emit(call)) return;  // another type than the graph's last on this buffer, or in place
    maybe(25, on(StepKind::overwrite, b));
  }

  // fork, `call` and something on another buffer beside it, join.
  void branch(const Step& call, int other) {
    if (!emit({.kind = StepKind::fork})) return;
    const bool first = dice_.percent(50);
    if (first) emit(call);
    Step beside = on(StepKind::overwrite, other);
    const bool may_poison = !in_place() && !model_.buffer(other).unjudged;
    switch (dice_.weighted({model_.capturing() < 0 ? 50 : 0, 20, may_poison ? 20 : 0, 20})) {
      case 0:
        if (in_place() && model_.buffer(other).unjudged) break;
        beside = {.kind = StepKind::fill, .round = next_round_++, .buffer = other, .queued = true};
        break;
      case 1:
        break;
      case 2:
        beside = {.kind = StepKind::poison_output, .buffer = other, .queued = true};
        break;
      default:
        beside = delay(true);
    }
    beside.aside = true;
    emit(beside);
    if (!first) emit(call);
    emit({.kind = StepKind::join});
  }

  void fork_group() {
    if (buffers_ < 2) return;
    const int b = buffer();
    Step call = on(StepKind::call, b);
    call.shape = shape(b);
    if (has_room(7) && provide_input(b, call.shape, false) && has_room(5)) {
      branch(call, (b + 1) % buffers_);
    }
  }

  std::vector<int> live_graphs() const {
    std::vector<int> live;
    for (int graph = 0; graph < kGraphsMax; ++graph) {
      if (model_.graph(graph).live) live.push_back(graph);
    }
    return live;
  }

  void replay_group() {
    if (dice_.percent(25)) maybe(100, delay(dice_.percent(50)));
    replay(dice_.pick(live_graphs()));
  }

  void replay(int graph) {
    // What the graph poisons without a call of its own has to be judged first.
    for (int b = 0; b < buffers_; ++b) {
      const RecordedBuffer& recorded = model_.graph(graph).buffers[static_cast<std::size_t>(b)];
      if (recorded.poisons_output && model_.buffer(b).unjudged) emit(check(b, true));
    }
    if (!has_room(1)) return;
    const int times = 1 + static_cast<int>(dice_.weighted({45, 30, 25}));
    if (emit({.kind = StepKind::replay, .round = next_round_, .graph = graph, .times = times})) {
      next_round_ += times;
    }
  }

  // Brings all ranks together; false if that takes more steps than there are.
  bool settle() {
    if (model_.quiet()) return true;
    std::size_t steps = 1;
    int any = -1;
    for (int b = 0; b < buffers_; ++b) {
      if (model_.buffer(b).unjudged) ++steps;
      if (model_.buffer(b).output_round >= 0) any = b;
    }
    if (any < 0 || !has_room(steps)) return false;
    for (int b = 0; b < buffers_; ++b) {
      if (b != any && model_.buffer(b).unjudged) emit(check(b, true));
    }
    return emit(check(any, false));
  }

  void destroy_group() {
    const std::vector<int> live = live_graphs();
    if (settle() && has_room(1)) emit(of(StepKind::destroy_graph, dice_.pick(live)));
  }

  void registration_group() {
    const int b = buffer();
    if (!has_communicator()) {
      if (settle() && !model_.buffer(b).unjudged && has_room(3)) {
        emit(on(StepKind::reallocate, b));
      }
      return;
    }
    if (!model_.buffer(b).registered && dice_.percent(50)) {
      maybe(100, on(StepKind::register_buffer, b));
      return;
    }
    if (!has_room(6) || !settle() || !has_room(5)) return;
    emit(on(StepKind::deregister_buffer, b));
    if (dice_.percent(60) && !model_.buffer(b).unjudged) emit(on(StepKind::reallocate, b));
    if (dice_.percent(75)) emit(on(StepKind::register_buffer, b));
  }

  void reconnect_group() {
    if (!has_room(4) || !settle()) return;
    for (const int graph : live_graphs()) {
      if (has_room(2)) emit(of(StepKind::destroy_graph, graph));
    }
    if (has_room(1)) emit({.kind = StepKind::reconnect});
  }

  void finish() {
    int any = -1;
    for (int b = 0; b < buffers_; ++b) {
      if (model_.buffer(b).output_round >= 0) any = b;
    }
    for (int b = 0; b < buffers_; ++b) {
      if (b != any && model_.buffer(b).unjudged) emit(check(b, dice_.percent(50)));
    }
    if (model_.missing().empty()) return;
    if (any < 0) {
      any = 0;
      const int shape = shape_with_room(0);
      emit({.kind = StepKind::fill, .round = next_round_++, .queued = true, .shape = shape});
      emit({.kind = StepKind::call, .shape = shape});
    }
    emit(check(any, false));
  }

  Dice& dice_;
  ProgramModel model_;
  std::vector<Step> program_;
  int buffers_;
  std::size_t steps_;  // at most
  int next_round_ = 0;
  bool refuses_ = false;  // some call is refused
};

}  // namespace

void draw_program(Dice& dice, const Contract& contract, const std::vector<DType>& dtypes, Case& c) {
  const std::size_t shapes = dice.weighted({40, 35, 25});
  for (std::size_t i = 0; i < shapes; ++i) {
    c.call_shapes.push_back(draw_call_shape(dice, contract, dtypes, c));
  }
  c.program = ProgramDrawer(dice, setting_of(c, contract))();
}

}  // namespace rankle::detail
