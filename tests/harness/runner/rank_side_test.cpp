// What a rank provides for a target: room for the calls of the program and no more, poison in all
// that kernels may leave behind, and a communicator that refuses what its contract forbids.
#include "harness/runner/rank_side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "harness/runner/device_hooks.h"
#include "harness/runner/payload.h"
#include "harness/runner/rank_group.h"
#include "harness/runner/target_loader.h"
#include "sim/machine.h"

namespace rankle {
namespace {

constexpr std::int64_t kCount = 50;
constexpr std::size_t kBytes = kCount * 4;

struct Fixture {
  RankSide& side;
  const Case& c;
  const int rank;
  HipCalls& hip;

  // A call on buffer 0 of the whole message.
  hipError_t launch(hipStream_t stream, bool staged = false) const {
    Launched launched;
    return side.launch(c, rank, {shape_of(c, 0), 0, nullptr, staged, stream}, launched);
  }
};

hipStream_t make_stream() {
  hipStream_t stream = nullptr;
  EXPECT_EQ(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), hipSuccess);
  return stream;
}

void end_stream(hipStream_t stream) {
  EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
}

// Connects both ranks, runs `body` on each, and disconnects them.
void with_sides(bool staged, const std::function<void(const Fixture&)>& body) {
  Case c;
  c.target = "allreduce/testing_none";
  c.world = 2;
  c.shape = {kCount};
  c.geometry = {1, 64, 64};
  c.input_offset = {0, 0};
  c.output_offset = {0, 0};
  c.program = {{StepKind::fill, 0},  {StepKind::call, 0, staged},
               {StepKind::check, 0}, {StepKind::capture},
               {StepKind::call},     {StepKind::end_capture}};
  static TargetLoader loader({FAULTY_TARGETS});
  RankBoard board(c.world);
  const auto result = device_hooks::run_ranks(c, {}, [&](int rank) {
    std::string error;
    const Target* const target = loader.fresh(c.target, rank, error);
    ASSERT_NE(target, nullptr) << error;
    LocalRankGroup group(board, rank);
    HipCalls hip;
    RankSide side(*target, c.target, "");
    const ProgramPlan plan = plan_program(c);
    EXPECT_TRUE(side.allocate(hip, c, plan, rank));
    EXPECT_TRUE(side.connect(hip, c, plan, group));
    const std::vector<std::byte> zeroes(kBytes);
    EXPECT_TRUE(side.buffers(0).input().write(hip, zeroes));
    body({side, c, rank, hip});
    EXPECT_TRUE(side.disconnect(hip));
    side.release();
    EXPECT_EQ(hip.failure(), "");
  });
  EXPECT_THAT(result.findings, testing::IsEmpty());
  EXPECT_THAT(result.at_end, testing::IsEmpty());
}

TEST(RankSide, HasStagingMemoryOnlyForAProgramThatUsesIt) {
  with_sides(false, [](const Fixture& f) {
    EXPECT_EQ(f.side.memory().scratch.bytes, kBytes + 16);
    EXPECT_EQ(f.side.memory().staging.bytes, 0U);
  });
  with_sides(true, [](const Fixture& f) { EXPECT_GE(f.side.memory().staging.bytes, 2 * kBytes); });
}

TEST(RankSide, PoisonsScratchAndStagingMemory) {
  with_sides(true, [](const Fixture& f) {
    const auto [signals, scratch, staging, table] = f.side.memory();
    for (const kernels::BufferRange& range : {scratch, staging}) {
      EXPECT_EQ(sim::uninitialised_bytes(range.begin, range.bytes), range.bytes);
      EXPECT_EQ(hipMemset(range.begin, 1, range.bytes), hipSuccess);
      EXPECT_EQ(sim::uninitialised_bytes(range.begin, range.bytes), 0U);
    }
    EXPECT_TRUE(f.side.poison_scratch(f.hip, f.c.dtype));
    for (const kernels::BufferRange& range : {scratch, staging}) {
      EXPECT_EQ(sim::uninitialised_bytes(range.begin, range.bytes), range.bytes);
    }
    EXPECT_EQ(sim::uninitialised_bytes(signals.begin, signals.bytes), 0U);
    EXPECT_GT(table.bytes, 0U);
  });
}

TEST(RankSide, RefusesACallOnASecondStreamUntilItIsToldToSwitch) {
  with_sides(false, [](const Fixture& f) {
    const hipStream_t first = make_stream();
    const hipStream_t second = make_stream();
    EXPECT_EQ(f.launch(first), hipSuccess);
    EXPECT_EQ(f.launch(second), hipErrorInvalidValue);
    EXPECT_EQ(f.launch(first), hipSuccess);
    EXPECT_TRUE(f.side.switch_stream(f.hip, second));
    EXPECT_EQ(hipStreamQuery(first), hipSuccess);  // has been waited for
    EXPECT_EQ(f.launch(second), hipSuccess);
    EXPECT_EQ(f.launch(first), hipErrorInvalidValue);
    end_stream(second);
    end_stream(first);
  });
}

TEST(RankSide, RefusesACapturedCallOutsideOfACapture) {
  with_sides(false, [](const Fixture& f) {
    const hipStream_t stream = make_stream();
    const auto capture = [&](hipError_t expected) {
      hipGraph_t graph = nullptr;
      EXPECT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal), hipSuccess);
      EXPECT_EQ(f.launch(stream), expected);
      EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
      EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
    };
    capture(hipErrorInvalidValue);
    int id = -1;
    EXPECT_TRUE(f.side.begin_capture(f.hip));
    capture(hipSuccess);
    EXPECT_TRUE(f.side.end_capture(f.hip, id));
    capture(hipErrorInvalidValue);
    EXPECT_TRUE(f.side.release_capture(f.hip, id));
    end_stream(stream);
  });
}

TEST(RankSide, RefusesAStagedCallForWhichTheProgramGaveNoRoom) {
  with_sides(false, [](const Fixture& f) {
    const hipStream_t stream = make_stream();
    EXPECT_EQ(f.launch(stream, true), hipErrorInvalidValue);
    EXPECT_EQ(f.launch(stream), hipSuccess);
    end_stream(stream);
  });
}

TEST(RankSide, ReallocatesWhereTheBufferWas) {
  with_sides(false, [](const Fixture& f) {
    const void* const input = f.side.buffers(0).input().data();
    const void* const output = f.side.buffers(0).output().data();
    EXPECT_TRUE(f.side.deregister_buffer(f.hip, 0));
    EXPECT_TRUE(f.side.reallocate(f.hip, f.c, f.rank, 0));
    EXPECT_EQ(f.side.buffers(0).input().data(), input);
    EXPECT_EQ(f.side.buffers(0).output().data(), output);
    EXPECT_EQ(sim::uninitialised_bytes(input, kBytes), kBytes);
    EXPECT_TRUE(f.side.register_buffer(f.hip, 0));
  });
}

}  // namespace
}  // namespace rankle
