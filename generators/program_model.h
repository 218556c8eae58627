// What a program has done so far, as plain data: which round each input and output holds, what may
// still be under way, what is registered, recorded and live. The model says which step may come
// next and what it leaves, so that one set of rules serves validation (program.h), generation
// (draw_program.h) and shrinking (shrink_program.h), and predicts every output that a check sees.
// The idea is that of stateful property tests: commands with preconditions in a model.
//
// The rules are what the harness and a correct collective may rely on; without them a clean kernel
// could be blamed for a program that overwrites a buffer while a peer may still use it:
// - Fields: in range, and at their defaults where the kind does not take them (step_fields.h).
// - Rounds: each is filled once; replay takes `times` fresh ones.
// - A call reads an input that was filled for its dtype and accumulator and at least its length,
//   and has been neither poisoned nor, in place, used up since.
// - What the host writes at once (fill, poison-output) waits for the rank's own work on that buffer
//   (sync or check); queued steps are in order anyway. A rank whose own call has ended may refill
//   its input while peers are late: a correct collective has finished with it.
// - "Quiet" is after a check, with nothing queued since: no rank has work under way. Needed by
//   deregister, reallocate, destroy-graph, reconnect and seed-epochs; poison-scratch needs that no
//   rank's call is under way.
// - A capture takes calls, overwrites, queued poisons and delays, fork and join. Captures do not
//   nest. Replays fill the inputs, so what is recorded must not destroy them or the outputs first.
// - warm-up: the communicator already knows that a capture comes. Until it does there are only
// steps
//   that change neither what the communicator knows of buffers nor its stream.
// - Between fork and join there are only queued steps, calls, replays and delays, and no buffer is
//   used on both sides.
// - reallocate: not while registered or in a live graph. reconnect: with no live graph.
// - A refused call is larger than every call of the program that may be staged: the harness makes
// the
//   communicator as large as those need. It reads and changes nothing.
// - stream: the communicator waits, so it must have seen a call (of more than no elements) if there
//   is work to wait for.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "generators/case.h"
#include "generators/contract.h"
#include "generators/limits.h"

namespace rankle {

// What the rules need to know of a case.
struct ProgramSetting {
  int world = 2;
  bool in_place = false;
  bool communicator = false;      // the target has one
  std::vector<CallShape> shapes;  // the case's own, then Case::call_shapes; never empty
  bool captures_stage = false;    // captured calls go through staging memory on some rank
};

// Whether captured calls do: where some rank has an address that is not at a pack.
bool captures_stage(const Case& c);

ProgramSetting setting_of(const Case& c, const Contract& contract);

// Why a step may not come next: the field at fault, and a sentence with its value and what is
// allowed.
struct StepRefusal {
  std::string_view field;
  std::string message;
};

struct BufferModel {
  int input_round = -1;   // -1: nothing that a call may read
  int input_shape = 0;    // that it was filled for
  bool used_up = false;   // in place, by a call
  int output_round = -1;  // -1: no result
  int output_shape = 0;   // of the call that wrote it
  bool registered = false;
  bool busy = false;      // queued work on it that its own rank has not waited for
  bool unjudged = false;  // called since the last check of it
};

// What a graph does with one buffer.
struct RecordedBuffer {
  bool used = false;
  bool called = false;
  int longest_shape = 0;        // of its calls
  int last_shape = 0;           // of its calls
  bool poisons_input = false;   // in the end
  bool poisons_output = false;  // in the end
};

struct GraphModel {
  bool live = false;
  int calls = 0;
  std::array<RecordedBuffer, kBuffersMax> buffers;
};

class ProgramModel {
 public:
  explicit ProgramModel(ProgramSetting setting);

  // nullopt if the step may come next. Cost: a few tests.
  std::optional<StepRefusal> refusal(const Step& step) const;
  bool can(const Step& step) const { return !refusal(step); }

  // Takes the step, or refuses it and stays as it is.
  std::optional<StepRefusal> next(const Step& step);

  // What must still come before the program may end ("a join"); empty if nothing. Every call's
  // output must have been checked, by a check that waits or by a queued one before such a check.
  std::string_view missing() const;

  const ProgramSetting& setting() const { return setting_; }
  const BufferModel& buffer(int index) const { return buffers_[std::size_t(index)]; }
  const GraphModel& graph(int index) const { return graphs_[std::size_t(index)]; }
  bool is_filled(int round) const { return filled_.test(std::size_t(round)); }
  int capturing() const { return capturing_; }  // the graph; -1: none
  bool warming_up() const { return warming_up_; }
  bool branched() const { return branched_; }
  int stream() const { return stream_; }
  int calls() const { return calls_; }                  // made so far, replayed ones included
  int communicators() const { return communicators_; }  // made so far
  bool quiet() const;
  bool call_under_way() const { return call_under_way_; }
  bool graph_uses(int buffer) const;  // a live one
  bool any_graph() const;

 private:
  using Refused = std::optional<StepRefusal>;

  Refused wrong_field(const Step& step) const;
  Refused wrong_range(const Step& step) const;
  Refused wrong_place(const Step& step) const;
  Refused wrong_side(const Step& step) const;
  Refused wrong_room(const Step& step) const;
  Refused wrong_state(const Step& step) const;

  Refused wrong_fill(const Step& step) const;
  Refused wrong_poison_output(const Step& step) const;
  Refused wrong_call(const Step& step) const;
  Refused wrong_captured_call(const Step& step) const;
  Refused wrong_check(const Step& step) const;
  Refused wrong_overwrite(const Step& step) const;
  Refused wrong_replay(const Step& step) const;
  Refused wrong_registration(const Step& step) const;
  Refused wrong_reallocate(const Step& step) const;
  Refused wrong_stream(const Step& step) const;

  bool fits(int call_shape, int filled_shape) const;
  bool may_stage(const Step& call) const;
  std::int64_t bytes_of_call(const Step& call) const;
  std::bitset<kBuffersMax> buffers_of(const Step& step) const;

  void take(const Step& step);
  void take_captured(const Step& step);
  void take_fill(const Step& step);
  void take_call(const Step& step);
  void take_check(const Step& step);
  void take_replay(const Step& step);
  void wait_for_own_work();

  ProgramSetting setting_;
  std::array<BufferModel, kBuffersMax> buffers_;
  std::array<GraphModel, kGraphsMax> graphs_;
  std::bitset<kRoundMax + 1> filled_;
  int capturing_ = -1;
  bool warming_up_ = false;
  bool branched_ = false;
  std::bitset<kBuffersMax> main_side_;   // buffers used since the fork
  std::bitset<kBuffersMax> other_side_;  // and by steps marked aside
  int stream_ = 0;
  int calls_ = 0;
  int communicators_ = 1;
  bool call_under_way_ = false;    // on some rank: no check that waits since
  bool queued_checks_ = false;     // that no check has judged yet
  std::int64_t staged_bytes_ = 0;  // of the largest call that may be staged
  std::int64_t refused_bytes_ = std::numeric_limits<std::int64_t>::max();  // of the smallest
  bool bound_ = false;  // the communicator knows the stream that it works on
};

}  // namespace rankle
