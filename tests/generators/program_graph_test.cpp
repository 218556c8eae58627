// The rules for queued steps, captures, branches, registration and streams: each broken alone, by
// the path that the refusal names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generators/limits.h"
#include "generators/program.h"
#include "tests/generators/steps.h"

namespace rankle {
namespace {

using Program = std::vector<Step>;
using namespace test_steps;

constexpr Step call_of(int buffer) { return {.kind = StepKind::call, .buffer = buffer}; }
constexpr Step poison(int buffer = 0) {
  return {.kind = StepKind::poison_output, .buffer = buffer, .queued = true};
}
constexpr Step of_buffer(StepKind kind, int buffer = 0) { return {.kind = kind, .buffer = buffer}; }
constexpr Step of_graph(StepKind kind, int graph = 0) { return {.kind = kind, .graph = graph}; }
constexpr Step call = call_of(0);
constexpr Step sync{.kind = StepKind::sync};
constexpr Step capture = of_graph(StepKind::capture);
constexpr Step end_capture = of_graph(StepKind::end_capture);
constexpr Step destroy = of_graph(StepKind::destroy_graph);
constexpr Step fork_step{.kind = StepKind::fork};
constexpr Step join_step{.kind = StepKind::join};
constexpr Step warm_up{.kind = StepKind::warm_up};
constexpr Step reconnect{.kind = StepKind::reconnect};
constexpr Step deregister = of_buffer(StepKind::deregister_buffer);
constexpr Step register_step = of_buffer(StepKind::register_buffer);
constexpr Step reallocate = of_buffer(StepKind::reallocate);

// Case's own, half of it, half in bf16.
ProgramSetting setting() { return {4, false, true, {{64}, {32}, {32, DType::bf16}}}; }

std::string refused(const Program& program, const ProgramSetting& in = setting()) {
  const auto violation = check_program(program, in);
  return violation ? violation->path : "";
}

std::string refused_in_place(const Program& program) {
  ProgramSetting in = setting();
  in.in_place = true;
  return refused(program, in);
}

TEST(ProgramQueue, NeedsNoSyncBehindCalls) {
  EXPECT_EQ(refused({fill(0), call, overwrite(), queued(fill(1)), call, check(1)}), "");
  EXPECT_EQ(refused({fill(0), call, queued(check(0)), queued(fill(1)), poison(), call, check(1)}),
            "");
  // What is queued has to be waited for before the host writes.
  EXPECT_EQ(refused({fill(0), call, check(0), queued(fill(1)), fill(2), call, check(2)}),
            "case.program[4].kind");
  EXPECT_EQ(refused({fill(0), call, check(0), queued(fill(1)), sync, fill(2), call, check(2)}), "");
  // One rank's sync lets nobody else go on.
  const Step sync_of_one{.kind = StepKind::sync, .rank = 1};
  EXPECT_EQ(refused({fill(0), call, sync_of_one, fill(1), call, check(1)}), "case.program[3].kind");
}

TEST(ProgramQueue, LeavesAnInputPoisonedUntilItIsFilled) {
  EXPECT_EQ(refused({fill(0), call, overwrite(), check(0)}), "");
  EXPECT_EQ(refused({fill(0), call, overwrite(), call, check(0)}), "case.program[3].kind");
  EXPECT_EQ(refused_in_place({fill(0), call, overwrite(), check(0)}), "case.program[2].kind");
}

TEST(ProgramQueue, JudgesQueuedChecksInTheEnd) {
  EXPECT_EQ(refused({fill(0), call, queued(check(0))}), "case.program");
  EXPECT_EQ(refused({fill(0), call, queued(check(0)), check(0)}), "");
  // One check that waits is enough for all queued ones.
  EXPECT_EQ(refused({fill(0), call, fill(1, 1), call_of(1), queued(check(1, 1)), check(0)}), "");
}

TEST(ProgramShapes, FitWhatTheInputWasFilledFor) {
  const auto shaped = [](Step step, int shape) {
    step.shape = shape;
    return step;
  };
  EXPECT_EQ(refused({fill(0), shaped(call, 1), check(0)}), "") << "a prefix";
  EXPECT_EQ(refused({shaped(fill(0), 1), call, check(0)}), "case.program[1].shape") << "longer";
  EXPECT_EQ(refused({fill(0), shaped(call, 2), check(0)}), "case.program[1].shape") << "dtype";
  EXPECT_EQ(refused({shaped(fill(0), 2), shaped(call, 2), check(0)}), "");
  EXPECT_EQ(refused({shaped(fill(0), 3), call, check(0)}), "case.program[0].shape") << "unknown";
  EXPECT_EQ(refused({capture, shaped(call, 1), call, end_capture, replay(0), check(0)}), "");
  EXPECT_EQ(refused({capture, call, shaped(call, 2), end_capture, replay(0), check(0)}),
            "case.program[2].shape");
}

TEST(ProgramGraphs, ReplayFillsCallsAndChecks) {
  EXPECT_EQ(refused({capture, call, end_capture, replay(0, 3), check(2)}), "");
  EXPECT_EQ(refused({capture, call, end_capture, replay(0, 3), check(1)}), "case.program[4].round");
  EXPECT_EQ(refused({capture, call, end_capture, replay(0)}), "case.program") << "nobody judges";
  EXPECT_EQ(refused({capture, call, end_capture, check(0)}), "case.program[3].round")
      << "nothing has run";
  EXPECT_EQ(refused({fill(1), call, capture, call, end_capture, check(1)}), "")
      << "a capture leaves what was there";
  EXPECT_EQ(refused({capture, call, end_capture, replay(0, 2), fill(1), call, check(1)}),
            "case.program[4].kind");
  EXPECT_EQ(refused({capture, call, end_capture, replay(0, 2), queued(fill(1)), call, check(1)}),
            "case.program[4].round");
  EXPECT_EQ(refused({fill(1), capture, call, end_capture, replay(0, 2), check(1)}),
            "case.program[4].round");
  EXPECT_EQ(refused({capture, call, end_capture, replay(250, 6), check(255)}), "");
  EXPECT_EQ(refused({capture, call, end_capture, replay(250, 7), check(256)}),
            "case.program[3].times");
  EXPECT_EQ(refused({capture, call, end_capture, replay(0, 65), check(64)}),
            "case.program[3].times");
}

TEST(ProgramGraphs, RecordOnlyWhatHipRecords) {
  EXPECT_EQ(refused({capture, queued(delay(1, 50)), poison(), call, overwrite(), end_capture,
                     replay(0, 2), check(1)}),
            "");
  for (const Step& step :
       {fill(0), queued(fill(0)), sync, check(0), queued(check(0)), capture, replay(0), destroy,
        register_step, deregister, reallocate, reconnect,
        Step{.kind = StepKind::stream, .stream = 1}, Step{.kind = StepKind::seed_epochs},
        Step{.kind = StepKind::poison_scratch}}) {
    EXPECT_EQ(refused({capture, call, step, end_capture, replay(1), check(1)}),
              "case.program[2].kind");
  }
  EXPECT_EQ(refused({capture, delay(1, 50), call, end_capture, replay(0), check(0)}),
            "case.program[1].queued");
  EXPECT_EQ(refused({capture, {.kind = StepKind::call, .staged = true}, end_capture, replay(0)}),
            "case.program[1].staged");
}

TEST(ProgramGraphs, MayBeginWithAWarmUp) {
  EXPECT_EQ(
      refused({warm_up, fill(0), call, call, capture, call, end_capture, replay(1), check(1)}), "");
  EXPECT_EQ(refused({fill(0), call, warm_up, check(0), capture, call, end_capture, replay(1, 2),
                     check(2), warm_up, queued(fill(3)), call, of_graph(StepKind::capture, 1), call,
                     of_graph(StepKind::end_capture, 1), replay(4), check(4)}),
            "");
  EXPECT_EQ(refused({warm_up, fill(0), call, check(0)}), "case.program") << "and no capture";
  EXPECT_EQ(refused({warm_up, warm_up, capture, call, end_capture, replay(0), check(0)}),
            "case.program[1].kind");
  EXPECT_EQ(refused({capture, warm_up, call, end_capture, replay(0), check(0)}),
            "case.program[1].kind");
  EXPECT_EQ(refused({fork_step, warm_up, join_step, capture, call, end_capture}),
            "case.program[1].kind");
  for (const Step& step :
       {destroy, register_step, deregister, reallocate, reconnect,
        Step{.kind = StepKind::stream, .stream = 1}, Step{.kind = StepKind::seed_epochs}}) {
    EXPECT_EQ(refused({warm_up, step, capture, call, end_capture, replay(0), check(0)}),
              "case.program[1].kind");
  }
  ProgramSetting alone = setting();
  alone.communicator = false;
  EXPECT_EQ(refused({warm_up, capture, call, end_capture, replay(0), check(0)}, alone),
            "case.program[0].kind");
}

TEST(ProgramGraphs, DoNotDestroyWhatTheirCallsNeed) {
  EXPECT_EQ(refused({capture, overwrite(), call, end_capture, replay(0), check(0)}),
            "case.program[2].kind");
  EXPECT_EQ(refused({capture, call, poison(), end_capture, replay(0), check(0)}),
            "case.program[2].kind");
  EXPECT_EQ(refused({capture, call, call, end_capture, replay(0), check(0)}), "");
  EXPECT_EQ(refused_in_place({capture, call, call, end_capture, replay(0), check(0)}),
            "case.program[2].kind");
  EXPECT_EQ(refused({capture, call, overwrite(), end_capture, replay(0), check(0), call, check(0)}),
            "case.program[6].kind")
      << "its input is poisoned after a replay";
  EXPECT_EQ(refused({fill(0, 1), call_of(1), check(0, 1), capture, call, poison(1), end_capture,
                     replay(1), check(1), check(0, 1)}),
            "case.program[9].kind")
      << "and so is another's output";
}

TEST(ProgramGraphs, BeginEndAndLiveInOrder) {
  EXPECT_EQ(refused({end_capture}), "case.program[0].kind");
  EXPECT_EQ(refused({capture, end_capture}), "case.program[1].kind");
  EXPECT_EQ(refused({capture, call, of_graph(StepKind::end_capture, 1)}), "case.program[2].graph");
  EXPECT_EQ(refused({capture, call}), "case.program");
  EXPECT_EQ(refused({replay(0)}), "case.program[0].graph");
  EXPECT_EQ(refused({destroy}), "case.program[0].graph");
  EXPECT_EQ(refused({capture, call, end_capture, capture, call, end_capture}),
            "case.program[3].graph");
  EXPECT_EQ(refused({capture, call, end_capture, replay(0), check(0), destroy, replay(1)}),
            "case.program[6].graph");
  EXPECT_EQ(refused({capture, call, end_capture, replay(0), check(0), destroy, capture, call,
                     end_capture, replay(1), check(1)}),
            "");
  EXPECT_EQ(refused({capture, call, end_capture, replay(0), sync, destroy, check(0)}),
            "case.program[5].kind")
      << "a peer may still run it";
  Program many{capture};
  many.resize(kGraphCallsMax + 1, call);
  EXPECT_EQ(refused(many), "case.program");
  many.push_back(call);
  EXPECT_EQ(refused(many), "case.program[9].kind");
}

TEST(ProgramGraphs, CopyOnlyInACaptureAndOutOfPlace) {
  const Step copied{.kind = StepKind::call, .copied = true};
  EXPECT_EQ(refused({capture, copied, call, end_capture, replay(0), check(0)}), "");
  EXPECT_EQ(refused({fill(0), copied, check(0)}), "case.program[1].copied");
  EXPECT_EQ(refused_in_place({capture, copied, end_capture, replay(0), check(0)}),
            "case.program[1].copied");
}

TEST(ProgramBranches, AreForkedUsedApartAndJoined) {
  EXPECT_EQ(refused({fill(0), fork_step, call, aside(queued(fill(1, 1))), join_step, call_of(1),
                     check(0), check(1, 1)}),
            "");
  EXPECT_EQ(refused({capture, fork_step, call, aside(overwrite(1)), aside(queued(delay(0, 9))),
                     join_step, end_capture, replay(0), check(0)}),
            "");
  EXPECT_EQ(refused({fill(0), fork_step, call, aside(overwrite()), join_step, check(0)}),
            "case.program[3].kind");
  EXPECT_EQ(refused({fill(0), fork_step, aside(poison()), call, join_step, check(0)}),
            "case.program[3].kind");
  EXPECT_EQ(refused({fill(0), aside(poison(1)), call, check(0)}), "case.program[1].aside");
  EXPECT_EQ(refused({fill(0), fork_step, aside(fill(1, 1)), join_step, call, check(0)}),
            "case.program[2].queued");
  EXPECT_EQ(refused({fill(0), fork_step, aside(call), join_step, check(0)}),
            "case.program[2].aside");
  EXPECT_EQ(refused({fill(0), fork_step, fork_step}), "case.program[2].kind");
  EXPECT_EQ(refused({fill(0), join_step}), "case.program[1].kind");
  EXPECT_EQ(refused({fill(0), fork_step, call}), "case.program");
  EXPECT_EQ(refused({fill(0), fork_step, call, check(0)}), "case.program[3].kind");
  EXPECT_EQ(refused({capture, fork_step, call, end_capture}), "case.program[3].kind");
  EXPECT_EQ(refused({fork_step, capture}), "case.program[1].kind");
}

TEST(ProgramRegistration, AlternatesAndComesBeforeReallocation) {
  EXPECT_EQ(refused({deregister, fill(0), call, check(0), register_step, call, check(0)}), "");
  EXPECT_EQ(refused({deregister, reallocate, register_step, fill(0), call, check(0)}), "");
  EXPECT_EQ(refused({register_step}), "case.program[0].buffer");
  EXPECT_EQ(refused({deregister, deregister}), "case.program[1].buffer");
  EXPECT_EQ(refused({reallocate}), "case.program[0].buffer");
  EXPECT_EQ(refused({fill(0), call, sync, deregister, check(0)}), "case.program[3].kind");
  EXPECT_EQ(refused({deregister, fill(0), call, reallocate, check(0)}), "case.program[3].kind");
  EXPECT_EQ(refused({fill(0), deregister, reallocate, call, check(0)}), "case.program[3].kind")
      << "its input is gone";
  EXPECT_EQ(refused({capture, call, end_capture, deregister, reallocate}), "case.program[4].buffer")
      << "the graph still uses it";
  EXPECT_EQ(refused({capture, call, end_capture, deregister, destroy, reallocate, fill(0), call,
                     check(0)}),
            "");
}

TEST(ProgramRegistration, NeedsACommunicator) {
  ProgramSetting alone = setting();
  alone.communicator = false;
  EXPECT_EQ(refused({capture, call, end_capture, replay(0), check(0)}, alone), "");
  for (const Step& step :
       {register_step, deregister, reconnect, Step{.kind = StepKind::seed_epochs}}) {
    EXPECT_EQ(refused({step, fill(0), call, check(0)}, alone), "case.program[0].kind");
  }
}

TEST(ProgramCommunicator, IsMadeAnewWhenNothingHoldsIt) {
  EXPECT_EQ(refused({fill(0), call, check(0), reconnect, fill(1), call, check(1)}), "");
  EXPECT_EQ(refused({fill(0), call, sync, reconnect, check(0)}), "case.program[3].kind");
  EXPECT_EQ(refused({capture, call, end_capture, reconnect}), "case.program[3].kind");
  EXPECT_EQ(refused({deregister, reconnect, register_step}), "case.program[2].buffer")
      << "a new one knows every buffer";
}

TEST(ProgramCommunicator, TakesAnyEpochWhenNothingIsUnderWay) {
  const auto seed = [](std::int64_t epoch) {
    return Step{.kind = StepKind::seed_epochs, .amount = epoch};
  };
  EXPECT_EQ(refused({seed(kEpochMax), fill(0), call, check(0), seed(0), call, check(0)}), "");
  EXPECT_EQ(refused({seed(kEpochMax + 1), fill(0), call, check(0)}), "case.program[0].amount");
  EXPECT_EQ(refused({seed(-1), fill(0), call, check(0)}), "case.program[0].amount");
  EXPECT_EQ(refused({fill(0), call, seed(1), check(0)}), "case.program[2].kind");
}

TEST(ProgramStreams, AreSwitchedWithCallsUnderWay) {
  const Step switched{.kind = StepKind::stream, .stream = 1};
  EXPECT_EQ(refused({fill(0), call, switched, fill(1), call, check(1)}), "");
  EXPECT_EQ(refused({queued(fill(0)), switched, call, check(0)}), "case.program[1].kind")
      << "no call has told the communicator of its stream";
  ProgramSetting empty = setting();
  empty.shapes[0].count = 0;
  EXPECT_EQ(refused({fill(0), call, switched, fill(1), call, check(1)}, empty),
            "case.program[2].kind");
  EXPECT_EQ(refused({fill(0), {.kind = StepKind::stream, .stream = 2}, call, check(0)}),
            "case.program[1].stream");
}

TEST(ProgramDelays, NameARankAndASpan) {
  EXPECT_EQ(refused({fill(0), delay(3, 1), queued(delay(0, kDelayNanosecondsMax)), call, check(0)}),
            "");
  EXPECT_EQ(refused({delay(4, 1)}), "case.program[0].rank");
  EXPECT_EQ(refused({delay(-1, 1)}), "case.program[0].rank");
  EXPECT_EQ(refused({delay(0, 0)}), "case.program[0].amount");
  EXPECT_EQ(refused({delay(0, kDelayNanosecondsMax + 1)}), "case.program[0].amount");
}

TEST(ProgramFields, StandOnlyWhereTheyMeanSomething) {
  Step step = sync;
  step.stream = 1;
  EXPECT_EQ(refused({fill(0), call, step, check(0)}), "case.program[2].stream");
  step = call;
  step.queued = true;
  const auto violation = check_program({fill(0), step, check(0)}, setting());
  EXPECT_EQ(violation ? violation->message : "",
            "case.program[1].queued: 1 is not allowed; call takes no queued");
  step = fork_step;
  step.amount = 7;
  EXPECT_EQ(refused({step}), "case.program[0].amount");
}

TEST(ProgramModel, PredictsWhatEachBufferHolds) {
  ProgramModel model(setting());
  for (const Step& step : {fill(3), capture, call_of(1), overwrite(1), end_capture}) {
    ASSERT_TRUE(model.can(step));
    ASSERT_FALSE(model.next(step));
  }
  EXPECT_EQ(model.buffer(0).input_round, 3);
  EXPECT_EQ(model.buffer(1).output_round, -1);
  EXPECT_TRUE(model.graph(0).live);
  EXPECT_TRUE(model.quiet());
  ASSERT_FALSE(model.next(replay(4, 3)));
  EXPECT_EQ(model.buffer(1).output_round, 6);
  EXPECT_EQ(model.buffer(1).input_round, -1);
  EXPECT_EQ(model.calls(), 3);
  EXPECT_TRUE(model.is_filled(5));
  EXPECT_FALSE(model.quiet());
  EXPECT_EQ(model.missing(), "check after the last call");
  // A refused step leaves the model as it is.
  EXPECT_TRUE(model.next(check(5, 1)));
  EXPECT_FALSE(model.next(check(6, 1)));
  EXPECT_EQ(model.missing(), "");
  EXPECT_TRUE(model.quiet());
}

}  // namespace
}  // namespace rankle
