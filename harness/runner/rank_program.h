// One rank of a run: carries out the steps of the program, one function per kind of step, and meets
// the other ranks where they have to be together.
#pragma once

#include <hip/hip_runtime.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "harness/runner/device_checks.h"
#include "harness/runner/program.h"
#include "harness/runner/queued_checks.h"
#include "harness/runner/rank_graphs.h"
#include "harness/runner/rank_judge.h"
#include "harness/runner/rank_side.h"
#include "harness/runner/rank_state.h"

namespace rankle {

class RankProgram {
 public:
  RankProgram(ProgramRun& run, int rank);

  // From allocation to the last free. Returns early when the run is stopped.
  void run();

 private:
  // A collective of the ranks that also tells who cannot go on: true if all are `well`. Everything
  // that ranks do together begins with one, so that a rank which fails alone meets the others at
  // their next one instead of leaving them waiting.
  bool meet(bool well);

  // Each returns false if this rank must leave: a HIP call failed, or the run was stopped.
  bool start();
  bool steps();
  bool step(std::size_t index);
  void finish();

  // What a rank does by itself (rank_steps.cpp).
  bool write(const Step& step, Half half, const Contents& contents);
  bool call(const Step& step, const CallShape& shape);
  bool perturb(hipStream_t stream);
  bool call_refused(const Step& step, const CallShape& shape);
  bool launch(const RankSide& side, const SideCall& made, Launched& launched);
  bool sync(const Step& step);
  bool queue_check(const Step& step);
  bool delay(const Step& step);
  bool switch_stream(int stream);
  bool order(hipStream_t earlier, hipEvent_t event, hipStream_t later);

  // What ranks do together (rank_meetings.cpp).
  bool poison_scratch();
  bool check(const Step& step);
  bool compare(const CheckPlace& place);  // the rest of a check, once every rank's calls have ended
  bool judge_pair(const CheckPlace& place);
  bool read_back(const CheckPlace& place);
  bool judge_red_zones(const CheckPlace& place);
  bool end_capture();
  bool destroy_graph(int graph);
  bool change_registration(const Step& step);
  bool reallocate(int buffer);
  bool reconnect();
  bool seed_epochs(std::int64_t epoch);

  // Does to the model what the step does, or leaves it to the launches of the graph.
  void note(const Effect& effect);
  CheckPlace place_of(const Step& step);
  void report_leftovers();

  ProgramRun& run_;
  const Case& case_;
  const int rank_;
  RankState state_;
  RankSide side_;
  std::unique_ptr<RankSide> reference_;
  RankJudge judge_;
  DeviceChecks device_checks_;
  QueuedChecks checks_;
  RankGraphs graphs_;
  // What the check that is going on has read back.
  std::vector<std::byte> output_bytes_;
  std::vector<std::byte> promised_bytes_;  // the reference's output
  std::vector<std::byte> input_bytes_;
  std::size_t calls_ = 0;
  bool is_bound_ = false;  // the communicators know the stream that they work on
  bool parting_ = false;   // all ranks have agreed to leave, at the same step
};

}  // namespace rankle
