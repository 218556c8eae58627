// The graphs of one rank: what has been captured, the memory that belongs to it, and replays.
//
// A capture is made in thread-local mode, which forbids to allocate meanwhile; so whatever its
// steps will need is made before it begins.
#pragma once

#include <hip/hip_runtime.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "harness/runner/buffers.h"
#include "harness/runner/queued_checks.h"
#include "harness/runner/rank_state.h"

namespace rankle {

// What a step does to the buffers, at once or at each launch of the graph that records it.
struct Effect {
  StepKind kind = StepKind::call;
  int buffer = 0;
  Contents contents;  // of fills and poisons
  CallShape shape;    // of a call
  int copy = -1;      // of a call: which of the graph's copies it used as its input; -1: none
  int kept = -1;      // of a call: which one its output was copied to afterwards; -1: none
};

void apply(const Effect& effect, BufferState& state);

class RankGraphs {
 public:
  RankGraphs(RankState& state, QueuedChecks& checks);

  bool is_capturing() const { return capturing_ >= 0; }

  // What the communicators do of the next capture's beginning. Local to the rank.
  bool warm_up();
  // The capture step with this index. Local to the rank.
  bool begin(std::size_t index);
  // Of the capture under way:
  HostImages& images() { return current().images; }
  void record(const Effect& effect) { current().effects.push_back(effect); }
  // Records a copy of the input of `buffer` into memory of the graph, on every side. `copies` has
  // one buffer per side.
  bool copy_input(int buffer, hipStream_t stream, std::vector<const GuardedBuffer*>& copies,
                  int& index);
  // Records a copy of the output of a call, on every side, if a later call of the graph overwrites
  // it: every call's output is judged.
  bool keep_output(int buffer, hipStream_t stream, int& index);
  // Ends it and makes it executable: the part of this rank. Then the collective part.
  bool end();
  bool share();

  bool replay(const Step& step);

  // After the last launch has ended: the part of this rank, the collective part, and the memory.
  bool destroy(int graph);
  bool give_up(int graph);
  void release(int graph);

  // The communicators have gone, and what they knew of captures.
  void forget_communicators();

  // For a rank that leaves: ends a capture that is under way; ends all graphs, when nothing is
  // queued; and frees their memory, when no rank has it open.
  void abandon_capture();
  void destroy_all();
  void release_all();

  // Judges the red zones of the graphs' memory.
  bool judge_red_zones(RankJudge& judge, const CheckPlace& place);

 private:
  struct Copy {
    std::vector<std::unique_ptr<GuardedBuffer>> of_side;
  };
  struct Graph {
    hipGraph_t graph = nullptr;
    hipGraphExec_t exec = nullptr;
    std::vector<int> captures;  // of each side's communicator; empty: none
    std::vector<Effect> effects;
    std::vector<Copy> copies;
    std::vector<int> input_copies;   // of the calls with a copied input, in their order
    std::vector<int> output_copies;  // of all calls, in their order; -1: none
    std::size_t inputs_copied = 0;
    std::size_t calls = 0;
    int replays = 0;
    HostImages images;
  };

  Graph& current() { return graphs_[std::size_t(capturing_)]; }
  bool prepare(std::size_t index, Graph& graph);
  bool add_copy(int number, Half half, Graph& graph, int& index);
  bool copy(int buffer, Half half, const Copy& to, hipStream_t stream);
  bool check_call(Graph& graph, const Effect& effect, CheckPlace place);
  bool replay_once(Graph& graph, int number, int round);
  bool queue_checks(Graph& graph, const CheckPlace& place);

  RankState& state_;
  QueuedChecks& checks_;
  std::vector<Graph> graphs_;
  int capturing_ = -1;
  bool warmed_up_ = false;  // the communicators know of the next capture
};

}  // namespace rankle
