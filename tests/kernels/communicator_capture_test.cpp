// Calls in graphs: their buffers become known to the peers after the capture, every call has slots
// of its own, and a graph may be replayed any number of times, between eager calls too.
#include <gtest/gtest.h>

#include <functional>

#include "kernels/communicator/communicator.h"
#include "tests/kernels/communicator_fixture.h"

namespace rankle::testing {
namespace {

using kernels::Capacity;
using kernels::Path;

constexpr std::size_t kCount = 40;
constexpr std::size_t kBytes = kCount * 4;
constexpr Capacity kRoomy{.staging_bytes = 4096, .slots = 16};

// A graph of one rank, and what it holds of the communicator.
struct Captured {
  hipGraphExec_t exec = nullptr;
  int capture = -1;
};

hipGraphExec_t record_graph(hipStream_t stream, const std::function<void()>& calls) {
  hipGraph_t graph = nullptr;
  hipGraphExec_t exec = nullptr;
  EXPECT_EQ(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal), hipSuccess);
  calls();
  EXPECT_EQ(hipStreamEndCapture(stream, &graph), hipSuccess);
  EXPECT_EQ(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0), hipSuccess);
  EXPECT_EQ(hipGraphDestroy(graph), hipSuccess);
  return exec;
}

Captured capture(Rank& r, const std::function<void()>& calls) {
  Captured captured;
  EXPECT_EQ(r.communicator().begin_capture(), hipSuccess);
  captured.exec = record_graph(r.stream(), calls);
  EXPECT_EQ(r.communicator().end_capture(captured.capture), hipSuccess);
  return captured;
}

void release(Rank& r, const Captured& captured) {
  EXPECT_EQ(hipStreamSynchronize(r.stream()), hipSuccess);
  EXPECT_EQ(r.communicator().release_capture(captured.capture), hipSuccess);
  EXPECT_EQ(hipGraphExecDestroy(captured.exec), hipSuccess);
}

// Element i becomes base + i, in the order of the stream.
void refill(Rank& r, std::int32_t* memory, std::int32_t base) {
  Ints values(kCount);
  std::iota(values.begin(), values.end(), base);
  EXPECT_EQ(hipMemcpyAsync(memory, values.data(), kBytes, hipMemcpyHostToDevice, r.stream()),
            hipSuccess);
}

std::int32_t base_of(const Rank& r) { return 100 * (r.rank() + 1); }

// sums() where every rank's input begins `more` higher.
Ints sums_of(int world, std::int32_t more) {
  Ints expected = sums(world, kCount);
  for (std::int32_t& element : expected) element += world * more;
  return expected;
}

TEST(CapturedCalls, ReadBuffersThatWereNeverRegisteredAtEveryReplay) {
  for (const int world : {2, 3}) {
    const std::string reports = run_ranks(world, {}, [&](Rank& r) {
      const int before = r.communicator().mappings().open_count();
      std::int32_t* const input = r.allocate(kCount + 4) + 4;
      std::int32_t* const output = r.allocate(kCount);
      const Captured graph = capture(r, [&] {
        EXPECT_EQ(r.sum(r.request(input, output, kCount), Path::captured), hipSuccess);
      });
      EXPECT_EQ(r.communicator().mappings().open_count(), before + world - 1);
      for (int replay = 0; replay < 5; ++replay) {
        refill(r, input, base_of(r) + 1000 * replay);
        EXPECT_EQ(hipMemsetAsync(output, 0xfb, kBytes, r.stream()), hipSuccess);
        EXPECT_EQ(hipGraphLaunch(graph.exec, r.stream()), hipSuccess);
        EXPECT_EQ(hipMemsetAsync(input, 0xfb, kBytes, r.stream()), hipSuccess);
        EXPECT_EQ(r.read(output, kCount), sums_of(world, 1000 * replay));
      }
      release(r, graph);
      EXPECT_EQ(r.communicator().mappings().open_count(), before);
    });
    EXPECT_EQ(reports, "");
  }
}

TEST(CapturedCalls, HaveSlotsOfTheirOwnInOneGraphAndInTwo) {
  const std::string reports = run_ranks(2, {}, [&](Rank& r) {
    std::int32_t* const input = r.filled(kCount, base_of(r));
    std::int32_t* const between = r.allocate(kCount);
    std::int32_t* const output = r.allocate(kCount);
    std::int32_t* const last = r.allocate(kCount);
    const Captured twice = capture(r, [&] {
      EXPECT_EQ(r.sum(r.request(input, between, kCount), Path::captured), hipSuccess);
      EXPECT_EQ(r.sum(r.request(between, output, kCount), Path::captured), hipSuccess);
    });
    const Captured once = capture(
        r, [&] { EXPECT_EQ(r.sum(r.request(output, last, kCount), Path::captured), hipSuccess); });
    Ints expected = sums(2, kCount);
    for (int replay = 0; replay < 3; ++replay) {
      EXPECT_EQ(hipGraphLaunch(twice.exec, r.stream()), hipSuccess);
      EXPECT_EQ(hipGraphLaunch(once.exec, r.stream()), hipSuccess);
      const Ints sum = r.read(between, kCount);
      EXPECT_EQ(sum, expected);
      for (std::size_t i = 0; i < kCount; ++i) {
        EXPECT_EQ(r.read(output, kCount)[i], 2 * sum[i]);
        EXPECT_EQ(r.read(last, kCount)[i], 4 * sum[i]);
      }
    }
    release(r, once);
    release(r, twice);
  });
  EXPECT_EQ(reports, "");
}

// An odd number of calls in the graph, and eager calls of both kinds between its replays.
TEST(CapturedCalls, KeepTheirEpochsInStepWithEagerCalls) {
  const std::string reports = run_ranks(2, kRoomy, [&](Rank& r) {
    std::int32_t* const input = r.filled(kCount, base_of(r));
    std::int32_t* const known = r.filled(kCount, base_of(r));
    std::int32_t* const output = r.allocate(kCount);
    ASSERT_EQ(r.share(known, kCount), hipSuccess);
    ASSERT_EQ(r.communicator().seed_epochs(0xfffffff0U), hipSuccess);
    const Captured graph = capture(r, [&] {
      for (int call = 0; call < 3; ++call) {
        EXPECT_EQ(r.sum(r.request(input, output, kCount), Path::captured), hipSuccess);
      }
    });
    for (int round = 0; round < 4; ++round) {
      EXPECT_EQ(hipGraphLaunch(graph.exec, r.stream()), hipSuccess);
      EXPECT_EQ(r.read(output, kCount), sums(2, kCount));
      EXPECT_EQ(hipMemsetAsync(output, 0xfb, kBytes, r.stream()), hipSuccess);
      if (round % 2 == 0) {
        EXPECT_EQ(r.sum(r.request(input, output, kCount), Path::staged), hipSuccess);
      } else {
        EXPECT_EQ(r.sum(r.request(known, output, kCount), Path::registered), hipSuccess);
      }
      EXPECT_EQ(r.read(output, kCount), sums(2, kCount));
    }
    release(r, graph);
  });
  EXPECT_EQ(reports, "");
}

TEST(CapturedCalls, WorkBeforeDuringAndAfterTheCapture) {
  const std::string reports = run_ranks(2, kRoomy, [&](Rank& r) {
    std::int32_t* const input = r.filled(kCount, base_of(r));
    std::int32_t* const output = r.allocate(kCount);
    EXPECT_EQ(r.communicator().begin_capture(), hipSuccess);
    EXPECT_EQ(r.sum(r.request(input, output, kCount), Path::staged), hipSuccess);  // a warm-up
    EXPECT_EQ(r.read(output, kCount), sums(2, kCount));
    EXPECT_EQ(hipMemset(output, 0, kBytes), hipSuccess);
    Captured graph;
    graph.exec = record_graph(r.stream(), [&] {
      EXPECT_EQ(r.sum(r.request(input, output, kCount), Path::captured), hipSuccess);
    });
    EXPECT_EQ(r.read(output, kCount), Ints(kCount));  // recorded, not carried out
    EXPECT_EQ(r.communicator().end_capture(graph.capture), hipSuccess);
    EXPECT_EQ(hipGraphLaunch(graph.exec, r.stream()), hipSuccess);
    EXPECT_EQ(r.read(output, kCount), sums(2, kCount));
    release(r, graph);
  });
  EXPECT_EQ(reports, "");
}

TEST(CapturedCalls, DoNotDependOnWhatARankHappensToKnow) {
  const std::string reports = run_ranks(2, {}, [&](Rank& r) {
    std::int32_t* const known = r.filled(kCount, base_of(r));
    std::int32_t* const fresh = r.filled(kCount, base_of(r));
    std::int32_t* const output = r.allocate(kCount);
    ASSERT_EQ(r.share(known, kCount), hipSuccess);
    std::int32_t* const input = r.rank() == 0 ? known : fresh;
    const Captured graph = capture(
        r, [&] { EXPECT_EQ(r.sum(r.request(input, output, kCount), Path::captured), hipSuccess); });
    // What was captured does not hang on the registration.
    EXPECT_EQ(r.communicator().deregister_buffer(known), hipSuccess);
    EXPECT_EQ(hipGraphLaunch(graph.exec, r.stream()), hipSuccess);
    EXPECT_EQ(r.read(output, kCount), sums(2, kCount));
    release(r, graph);
  });
  EXPECT_EQ(reports, "");
}

TEST(CapturedCalls, StageBuffersThatAreNotAtAPackOnOneRankAlone) {
  const std::string reports = run_ranks(2, kRoomy, [&](Rank& r) {
    const int shift = r.rank();
    std::int32_t* const input = r.allocate(kCount + 1) + shift;
    std::int32_t* const output = r.allocate(kCount + 1) + shift;
    const Captured graph = capture(r, [&] {
      const kernels::CallRequest request = r.request(input, output, kCount);
      const kernels::Route route = r.communicator().route(request);
      EXPECT_EQ(route.alignment, kernels::kPackBytes);
      const auto launch = [&](const kernels::CallBuffers& buffers) {
        EXPECT_EQ(buffers.input == input, shift == 0);
        EXPECT_EQ(buffers.output == output, shift == 0);
        return launch_sum(r.communicator(), buffers, kCount, r.stream());
      };
      EXPECT_EQ(r.communicator().run(request, route, launch), hipSuccess);
    });
    for (int replay = 0; replay < 3; ++replay) {
      refill(r, input, base_of(r) + replay);
      EXPECT_EQ(hipGraphLaunch(graph.exec, r.stream()), hipSuccess);
      EXPECT_EQ(r.read(output, kCount), sums_of(2, replay));
    }
    release(r, graph);
  });
  EXPECT_EQ(reports, "");
}

TEST(CapturedCalls, LetPeersWriteOutputsThatWereNeverRegistered) {
  const std::string reports = run_ranks(3, {}, [&](Rank& r) {
    std::int32_t* const output = r.allocate(3);
    kernels::CallRequest request = r.request(output, output, 3);
    request.peers_read_input = false;
    request.peers_write_output = true;
    const Captured graph = capture(r, [&] {
      const kernels::Route route = r.communicator().route(request);
      EXPECT_TRUE(route.peers_know_output);
      const auto launch = [&](const kernels::CallBuffers& buffers) {
        return launch_write_to_all(r.communicator(), buffers, 7 * (r.rank() + 1), r.stream());
      };
      EXPECT_EQ(r.communicator().run(request, route, launch), hipSuccess);
    });
    for (int replay = 0; replay < 2; ++replay) {
      EXPECT_EQ(hipMemsetAsync(output, 0, 12, r.stream()), hipSuccess);
      EXPECT_EQ(hipGraphLaunch(graph.exec, r.stream()), hipSuccess);
      EXPECT_EQ(r.read(output, 3), (Ints{7, 14, 21}));
    }
    release(r, graph);
  });
  EXPECT_EQ(reports, "");
}

TEST(CapturedCalls, AreRefusedOutsideOfBeginCaptureAndOnASecondStream) {
  const std::string reports = run_ranks(2, kRoomy, [&](Rank& r) {
    std::int32_t* const input = r.filled(kCount, base_of(r));
    std::int32_t* const output = r.allocate(kCount);
    const hipGraphExec_t empty = record_graph(r.stream(), [&] {
      EXPECT_EQ(r.sum(r.request(input, output, kCount), Path::captured), hipErrorInvalidValue);
    });
    EXPECT_EQ(hipGraphExecDestroy(empty), hipSuccess);
    hipStream_t other = nullptr;
    hipEvent_t forked = nullptr;
    hipEvent_t joined = nullptr;
    ASSERT_EQ(hipStreamCreateWithFlags(&other, hipStreamNonBlocking), hipSuccess);
    ASSERT_EQ(hipEventCreate(&forked), hipSuccess);
    ASSERT_EQ(hipEventCreate(&joined), hipSuccess);
    const Captured graph = capture(r, [&] {
      EXPECT_EQ(r.sum(r.request(input, output, kCount), Path::captured), hipSuccess);
      EXPECT_EQ(hipEventRecord(forked, r.stream()), hipSuccess);
      EXPECT_EQ(hipStreamWaitEvent(other, forked, 0), hipSuccess);
      kernels::CallRequest parallel = r.request(input, output, kCount);
      parallel.stream = other;
      EXPECT_EQ(r.sum(parallel, Path::captured), hipErrorInvalidValue);
      EXPECT_EQ(hipEventRecord(joined, other), hipSuccess);
      EXPECT_EQ(hipStreamWaitEvent(r.stream(), joined, 0), hipSuccess);
    });
    EXPECT_EQ(hipGraphLaunch(graph.exec, r.stream()), hipSuccess);
    EXPECT_EQ(r.read(output, kCount), sums(2, kCount));
    release(r, graph);
    EXPECT_EQ(hipEventDestroy(forked), hipSuccess);
    EXPECT_EQ(hipEventDestroy(joined), hipSuccess);
    EXPECT_EQ(hipStreamDestroy(other), hipSuccess);
  });
  EXPECT_EQ(reports, "");
}

TEST(CapturedCalls, FailOnAllRanksIfOneHasRecordedFewer) {
  constexpr Capacity kFew{.slots = 2};
  const std::string reports = run_ranks(2, kFew, [&](Rank& r) {
    std::int32_t* const input = r.filled(kCount, base_of(r));
    std::int32_t* const output = r.allocate(kCount);
    const auto record = [&](int calls) {
      EXPECT_EQ(r.communicator().begin_capture(), hipSuccess);
      return record_graph(r.stream(), [&] {
        for (int call = 0; call < calls; ++call) {
          EXPECT_EQ(r.sum(r.request(input, output, kCount), Path::captured), hipSuccess);
        }
      });
    };
    Captured graph;
    graph.exec = record(r.rank() == 0 ? 2 : 1);
    EXPECT_EQ(r.communicator().end_capture(graph.capture), hipErrorInvalidValue);
    EXPECT_EQ(hipGraphExecDestroy(graph.exec), hipSuccess);
    graph.exec = record(2);  // their slots have come back
    EXPECT_EQ(r.communicator().end_capture(graph.capture), hipSuccess);
    EXPECT_EQ(hipGraphLaunch(graph.exec, r.stream()), hipSuccess);
    EXPECT_EQ(r.read(output, kCount), sums(2, kCount));
    release(r, graph);
  });
  EXPECT_EQ(reports, "");
}

}  // namespace
}  // namespace rankle::testing
