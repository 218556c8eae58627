// What a capture allows and forbids, and how it ends: HIP's error codes.
#include "tests/sim/graph_fixture.h"

namespace rankle::sim::testing {
namespace {

using ::testing::ElementsAre;

hipStreamCaptureStatus status_of(hipStream_t stream) {
  hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
  EXPECT_EQ(hipStreamIsCapturing(stream, &status), hipSuccess);
  return status;
}

hipError_t end(hipStream_t stream) {
  hipGraph_t graph = reinterpret_cast<hipGraph_t>(1);
  const hipError_t error = hipStreamEndCapture(stream, &graph);
  EXPECT_EQ(graph == nullptr, error != hipSuccess);
  return error;
}

// What `call` answers while `stream` captures, and how the capture ends after it.
struct Outcome {
  hipError_t call;
  hipError_t end;
  bool operator==(const Outcome&) const = default;
};

void PrintTo(const Outcome& outcome, std::ostream* out) {
  *out << hipGetErrorName(outcome.call) << ", end: " << hipGetErrorName(outcome.end);
}

Outcome during_capture(hipStream_t stream, hipStreamCaptureMode mode,
                       const std::function<hipError_t()>& call) {
  EXPECT_EQ(hipStreamBeginCapture(stream, mode), hipSuccess);
  const hipError_t answer = call();
  return {answer, end(stream)};
}

constexpr Outcome kAllowed{hipSuccess, hipSuccess};
constexpr Outcome kUnsupported{hipErrorStreamCaptureUnsupported, hipErrorStreamCaptureInvalidated};
constexpr Outcome kImplicit{hipErrorStreamCaptureImplicit, hipErrorStreamCaptureInvalidated};

TEST(HipCapture, RecordsAndRunsNothing) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    auto* const a = zeroed_array<std::uint32_t>(4);
    EXPECT_EQ(status_of(stream), hipStreamCaptureStatusNone);
    EXPECT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
    EXPECT_EQ(status_of(stream), hipStreamCaptureStatusActive);
    launch_add(a, 1, a, 4, stream);
    EXPECT_EQ(hipMemsetD32Async(a + 1, 9, 1, stream), hipSuccess);
    EXPECT_EQ(hipMemcpyAsync(a + 2, a, 4, hipMemcpyDeviceToDevice, stream), hipSuccess);
    EXPECT_EQ(launch_add_with_pointers(a, 1, a, 4, false, stream), hipSuccess);
    EXPECT_EQ(launch_add_with_pointers(a, 1, a, 4, true, stream), hipSuccess);
    hipGraph_t graph = nullptr;
    EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
    EXPECT_EQ(status_of(stream), hipStreamCaptureStatusNone);
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_THAT(host_copy(a, 4), ElementsAre(0U, 0U, 0U, 0U));
    EXPECT_THAT(types_of(graph),
                ElementsAre(hipGraphNodeTypeKernel, hipGraphNodeTypeMemset, hipGraphNodeTypeMemcpy,
                            hipGraphNodeTypeKernel, hipGraphNodeTypeKernel));
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipCapture, BeginAndEndCheckWhatTheyAreGiven) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    hipGraph_t graph = nullptr;
    EXPECT_EQ(hipStreamBeginCapture(nullptr, hipStreamCaptureModeGlobal),
              hipErrorStreamCaptureUnsupported);
    EXPECT_EQ(hipStreamBeginCapture(stream, static_cast<hipStreamCaptureMode>(3)),
              hipErrorInvalidValue);
    EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipErrorIllegalState);
    EXPECT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
    EXPECT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipErrorIllegalState);
    EXPECT_EQ(hipStreamEndCapture(stream, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(hipStreamEndCapture(nullptr, &graph), hipErrorInvalidValue);
    EXPECT_EQ(end(stream), hipSuccess);
    EXPECT_EQ(hipGetLastError(), hipErrorInvalidValue);
    EXPECT_STREQ(hipGetErrorName(hipErrorStreamCaptureUnjoined), "hipErrorStreamCaptureUnjoined");
    EXPECT_STREQ(hipGetErrorString(hipErrorStreamCaptureUnjoined),
                 "capturing stream has unjoined work");
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipCapture, InfoNamesTheCaptureAndWhatTheNextNodeComesBehind) {
  const Result r = run_ranks(2, [](int rank) {
    const hipStream_t stream = new_stream();
    auto* const a = zeroed_array<std::uint32_t>(4);
    hipStreamCaptureStatus status = hipStreamCaptureStatusActive;
    unsigned long long id = 77;
    EXPECT_EQ(hipStreamGetCaptureInfo(stream, &status, &id), hipSuccess);
    EXPECT_EQ(status, hipStreamCaptureStatusNone);
    EXPECT_EQ(id, 77U);
    for (const unsigned long long expected : {1ULL, 2ULL}) {
      EXPECT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal), hipSuccess);
      launch_add(a, 1, a, 4, stream);
      launch_add(a, 1, a, 4, stream);
      hipGraph_t graph = nullptr;
      hipGraph_t ended = nullptr;
      const hipGraphNode_t* dependencies = nullptr;
      std::size_t count = 0;
      EXPECT_EQ(hipStreamGetCaptureInfo_v2(stream, &status, &id, &graph, &dependencies, &count),
                hipSuccess);
      EXPECT_EQ(status, hipStreamCaptureStatusActive);
      EXPECT_EQ(id, static_cast<unsigned long long>(rank) << 32 | expected);
      ASSERT_EQ(count, 1U);
      const hipGraphNode_t last = dependencies[0];
      EXPECT_EQ(hipStreamEndCapture(stream, &ended), hipSuccess);
      EXPECT_EQ(ended, graph);
      EXPECT_EQ(nodes_of(graph)[1], last);
    }
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipCapture, WaitingForACapturingStreamOrItsDeviceInvalidatesIt) {
  const Result r = run_one([] {
    const hipStream_t s = new_stream();
    const auto relaxed = hipStreamCaptureModeRelaxed;
    EXPECT_EQ(during_capture(s, relaxed, [&] { return hipStreamSynchronize(s); }), kUnsupported);
    EXPECT_EQ(during_capture(s, relaxed, [&] { return hipStreamQuery(s); }), kUnsupported);
    EXPECT_EQ(during_capture(s, relaxed, [&] { return hipStreamDestroy(s); }), kUnsupported);
    EXPECT_EQ(during_capture(s, relaxed, [&] { return hipDeviceSynchronize(); }), kUnsupported);
    auto* const a = zeroed_array<std::uint32_t>(2);
    EXPECT_EQ(during_capture(
                  s, relaxed,
                  [&] { return hipMemcpyWithStream(a, a + 1, 4, hipMemcpyDeviceToDevice, s); }),
              kUnsupported);
    const hipStream_t other = new_stream();
    EXPECT_EQ(during_capture(s, relaxed, [&] { return hipStreamSynchronize(other); }), kAllowed);
    EXPECT_EQ(during_capture(s, relaxed, [&] { return hipStreamSynchronize(nullptr); }), kAllowed);
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipCapture, AnInvalidatedCaptureRefusesEverythingUntilItEnds) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    auto* const a = zeroed_array<std::uint32_t>(4);
    const hipEvent_t event = new_event();
    EXPECT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess);
    EXPECT_EQ(hipStreamSynchronize(stream), hipErrorStreamCaptureUnsupported);
    EXPECT_EQ(status_of(stream), hipStreamCaptureStatusInvalidated);
    static_cast<void>(hipGetLastError());
    launch_add(a, 1, a, 4, stream);
    EXPECT_EQ(hipGetLastError(), hipErrorStreamCaptureInvalidated);
    EXPECT_EQ(hipMemsetAsync(a, 1, 4, stream), hipErrorStreamCaptureInvalidated);
    EXPECT_EQ(hipEventRecord(event, stream), hipErrorStreamCaptureInvalidated);
    EXPECT_EQ(hipStreamWaitEvent(stream, event, 0), hipErrorStreamCaptureInvalidated);
    EXPECT_EQ(end(stream), hipErrorStreamCaptureInvalidated);
    launch_add(a, 1, a, 4, stream);
    EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
    EXPECT_THAT(host_copy(a, 4), ElementsAre(1U, 1U, 1U, 1U));
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipCapture, UnsafeCallsAreAllowedInRelaxedModeOnly) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    const hipEvent_t event = new_event();
    const std::function<hipError_t()> calls[] = {
        [] { return hipMalloc(std::make_unique<Words>().get(), 4); },
        [] { return hipExtMallocWithFlags(std::make_unique<Words>().get(), 4, 0); },
        [] { return hipHostMalloc(std::make_unique<Words>().get(), 4); },
        [a = device_array<std::uint32_t>(1)]() mutable {
          return hipFree(std::exchange(a, nullptr));  // a second time that of nothing
        },
        [event] { return hipEventQuery(event); },
        [event] { return hipEventSynchronize(event); },
    };
    for (const auto& call : calls) {
      EXPECT_EQ(during_capture(stream, hipStreamCaptureModeRelaxed, call), kAllowed);
    }
    auto* const a = device_array<std::uint32_t>(1);
    for (const auto mode : {hipStreamCaptureModeGlobal, hipStreamCaptureModeThreadLocal}) {
      for (const int i : {0, 1, 2, 4, 5}) {
        EXPECT_EQ(during_capture(stream, mode, calls[i]), kUnsupported) << i;
      }
      EXPECT_EQ(during_capture(stream, mode, [a] { return hipFree(a); }), kUnsupported);
    }
    hipStreamCaptureMode swapped = hipStreamCaptureModeRelaxed;
    EXPECT_EQ(hipThreadExchangeStreamCaptureMode(&swapped), hipSuccess);
    EXPECT_EQ(swapped, hipStreamCaptureModeGlobal);
    EXPECT_EQ(during_capture(stream, hipStreamCaptureModeGlobal, calls[0]), kAllowed);
    EXPECT_EQ(hipThreadExchangeStreamCaptureMode(&swapped), hipSuccess);
    EXPECT_EQ(swapped, hipStreamCaptureModeRelaxed);
    EXPECT_EQ(hipThreadExchangeStreamCaptureMode(nullptr), hipErrorInvalidValue);
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipCapture, TheDefaultStreamMustNotBeDrawnInBehindTheProgramsBack) {
  const Result r = run_one([] {
    const hipStream_t blocking = new_stream(hipStreamDefault);
    const hipStream_t apart = new_stream();
    auto* const a = zeroed_array<std::uint32_t>(4);
    const hipEvent_t event = new_event();
    std::uint32_t word = 0;
    const std::function<hipError_t()> calls[] = {
        [&] {
          launch_add(a, 0, a, 4, nullptr);
          return hipGetLastError();
        },
        [&] { return hipMemsetAsync(a, 0, 4, nullptr); },
        [&] { return hipEventRecord(event, nullptr); },
        [&] { return hipStreamWaitEvent(nullptr, event, 0); },
        [&] { return hipStreamSynchronize(nullptr); },
        [&] { return hipMemcpy(&word, a, 4, hipMemcpyDeviceToHost); },
        [&] { return hipMemset(a, 0, 4); },
    };
    const auto relaxed = hipStreamCaptureModeRelaxed;
    for (const auto& call : calls) {
      static_cast<void>(hipGetLastError());
      EXPECT_EQ(during_capture(blocking, relaxed, call), kImplicit) << &call - calls;
      static_cast<void>(hipGetLastError());
      EXPECT_EQ(during_capture(apart, relaxed, call), kAllowed) << &call - calls;
    }
    // HIP forbids synchronous copies during any capture in global mode.
    EXPECT_EQ(during_capture(apart, hipStreamCaptureModeGlobal, calls[5]), kImplicit);
    // Asking is not allowed either, but does no harm.
    hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
    EXPECT_EQ(
        during_capture(blocking, relaxed, [&] { return hipStreamIsCapturing(nullptr, &status); }),
        (Outcome{hipErrorStreamCaptureImplicit, hipSuccess}));
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipCapture, AForkHasToBeJoined) {
  const Result r = run_one([] {
    const hipStream_t origin = new_stream();
    const hipStream_t fork = new_stream();
    auto* const a = zeroed_array<std::uint32_t>(4);
    auto* const b = zeroed_array<std::uint32_t>(4);
    for (const bool joined : {false, true}) {
      EXPECT_EQ(hipStreamBeginCapture(origin, hipStreamCaptureModeGlobal), hipSuccess);
      launch_add(a, 1, a, 4, origin);
      order(origin, fork);
      EXPECT_EQ(status_of(fork), hipStreamCaptureStatusActive);
      launch_add(a, 1, b, 4, fork);
      if (joined) order(fork, origin);
      EXPECT_EQ(end(fork), hipErrorStreamCaptureUnmatched);
      EXPECT_EQ(end(origin), joined ? hipSuccess : hipErrorStreamCaptureUnjoined);
      EXPECT_EQ(status_of(fork), hipStreamCaptureStatusNone);
    }
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipCapture, EdgesFollowStreamsAndEvents) {
  const Result r = run_one([] {
    const hipStream_t origin = new_stream();
    const hipStream_t fork = new_stream();
    auto* const a = zeroed_array<std::uint32_t>(4);
    const hipGraph_t graph = captured(origin, [&] {
      launch_add(a, 1, a, 1, origin);  // 0
      order(origin, fork);
      launch_add(a, 1, a + 1, 1, fork);    // 1, behind 0
      launch_add(a, 1, a + 2, 1, origin);  // 2, behind 0
      order(fork, origin);
      launch_add(a + 1, 1, a + 3, 1, origin);  // 3, behind 2 and 1
    });
    const std::vector<hipGraphNode_t> nodes = nodes_of(graph);
    ASSERT_EQ(nodes.size(), 4U);
    std::size_t count = 0;
    EXPECT_EQ(hipGraphGetEdges(graph, nullptr, nullptr, &count), hipSuccess);
    EXPECT_EQ(count, 4U);
    count = 5;
    hipGraphNode_t from[5] = {};
    hipGraphNode_t to[5] = {nodes[0], nodes[0], nodes[0], nodes[0], nodes[0]};
    EXPECT_EQ(hipGraphGetEdges(graph, from, to, &count), hipSuccess);
    EXPECT_EQ(count, 4U);
    EXPECT_THAT(from, ElementsAre(nodes[0], nodes[0], nodes[2], nodes[1], nullptr));
    EXPECT_THAT(to, ElementsAre(nodes[1], nodes[2], nodes[3], nodes[3], nullptr));
    EXPECT_EQ(hipGraphGetEdges(graph, from, nullptr, &count), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphGetRootNodes(graph, from, &count), hipSuccess);
    EXPECT_EQ(count, 1U);
    EXPECT_EQ(from[0], nodes[0]);
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipCapture, TwoCapturesDoNotMerge) {
  const Result r = run_one([] {
    const hipStream_t a = new_stream();
    const hipStream_t b = new_stream();
    const hipEvent_t event = new_event();
    EXPECT_EQ(hipStreamBeginCapture(a, hipStreamCaptureModeGlobal), hipSuccess);
    EXPECT_EQ(hipStreamBeginCapture(b, hipStreamCaptureModeGlobal), hipSuccess);
    EXPECT_EQ(hipEventRecord(event, a), hipSuccess);
    EXPECT_EQ(hipStreamWaitEvent(b, event, 0), hipErrorStreamCaptureMerge);
    EXPECT_EQ(end(a), hipErrorStreamCaptureInvalidated);
    EXPECT_EQ(end(b), hipErrorStreamCaptureInvalidated);
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipCapture, WorkOutsideOfACaptureCannotOrderIt) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    const hipEvent_t before = new_event();
    const hipEvent_t never = new_event();
    const auto mode = hipStreamCaptureModeGlobal;
    EXPECT_EQ(hipEventRecord(before, stream), hipSuccess);
    EXPECT_EQ(during_capture(stream, mode, [&] { return hipStreamWaitEvent(stream, before, 0); }),
              (Outcome{hipErrorStreamCaptureIsolation, hipErrorStreamCaptureInvalidated}));
    EXPECT_EQ(during_capture(stream, mode, [&] { return hipStreamWaitEvent(stream, never, 0); }),
              kAllowed);
    // An event of a capture that has ended is no better.
    EXPECT_EQ(during_capture(stream, mode, [&] { return hipEventRecord(before, stream); }),
              kAllowed);
    EXPECT_EQ(during_capture(stream, mode, [&] { return hipStreamWaitEvent(stream, before, 0); }),
              (Outcome{hipErrorStreamCaptureIsolation, hipErrorStreamCaptureInvalidated}));
    EXPECT_EQ(hipStreamWaitEvent(stream, before, 0), hipErrorCapturedEvent);
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipCapture, AnEventRecordedInACaptureCannotBeWaitedForByTheHost) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    const hipEvent_t event = new_event();
    EXPECT_EQ(hipEventRecord(event, stream), hipSuccess);
    EXPECT_EQ(hipEventSynchronize(event), hipSuccess);
    float ms = 0;
    EXPECT_EQ(hipEventElapsedTime(&ms, event, event), hipSuccess);
    const Outcome refused{hipErrorCapturedEvent, hipErrorStreamCaptureInvalidated};
    for (hipError_t (*const call)(hipEvent_t) : {&hipEventSynchronize, &hipEventQuery}) {
      EXPECT_EQ(during_capture(stream, hipStreamCaptureModeRelaxed,
                               [&] {
                                 EXPECT_EQ(hipEventRecord(event, stream), hipSuccess);
                                 return call(event);
                               }),
                refused);
      EXPECT_EQ(call(event), hipErrorCapturedEvent);
      EXPECT_EQ(hipEventElapsedTime(&ms, event, event), hipErrorInvalidHandle);
    }
    EXPECT_EQ(hipEventRecord(event, stream), hipSuccess);
    EXPECT_EQ(hipEventSynchronize(event), hipSuccess);
    EXPECT_EQ(hipEventQuery(event), hipSuccess);
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipCapture, RanksCaptureEachForItself) {
  hipStream_t streams[2] = {};
  const Result r = run_ranks(2, [&](int rank) {
    streams[rank] = new_stream();
    EXPECT_EQ(hipStreamBeginCapture(streams[rank], rank == 0 ? hipStreamCaptureModeGlobal
                                                             : hipStreamCaptureModeRelaxed),
              hipSuccess);
    host_barrier();
    if (rank == 1) {
      void* pointer = nullptr;
      EXPECT_EQ(hipMalloc(&pointer, 4), hipSuccess);  // rank 0's capture does not mind
      EXPECT_EQ(end(streams[0]), hipErrorStreamCaptureWrongThread);
    }
    host_barrier();
    EXPECT_EQ(status_of(streams[rank]), hipStreamCaptureStatusActive);
    host_barrier();
    if (rank == 0) EXPECT_EQ(end(streams[1]), hipSuccess);  // relaxed: any thread may
    host_barrier();
    if (rank == 0) EXPECT_EQ(end(streams[0]), hipSuccess);
  });
  EXPECT_EQ(texts_of(r), "");
}

}  // namespace
}  // namespace rankle::sim::testing
