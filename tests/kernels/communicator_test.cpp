// The communicator on the simulator: which way inputs go, what is opened and closed, what is
// refused and by whom, and that nothing is left behind. In every test ranks stand for processes.
#include "kernels/communicator/communicator.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/kernels/communicator_fixture.h"

namespace rankle::testing {
namespace {

using kernels::Capacity;
using kernels::Path;

constexpr std::size_t kCount = 40;
constexpr std::int64_t kBytes = kCount * 4;
constexpr Capacity kRoomy{.scratch_bytes = 64, .staging_bytes = 4096, .slots = 8};

std::int32_t base_of(const Rank& r) { return 100 * (r.rank() + 1); }

TEST(Communicator, StagesAnInputThatNobodyKnowsAndLeavesItFreeAtOnce) {
  for (const int world : {2, 3}) {
    const std::string reports = run_ranks(world, kRoomy, [&](Rank& r) {
      std::int32_t* const input = r.filled(kCount, base_of(r));
      std::int32_t* const output = r.allocate(kCount);
      for (int call = 0; call < 3; ++call) {
        EXPECT_EQ(r.sum(r.request(input, output, kCount), Path::staged), hipSuccess);
      }
      // Behind the copy in the stream; peers may not have read anything yet.
      EXPECT_EQ(hipMemsetAsync(input, 0xfb, kCount * 4, r.stream()), hipSuccess);
      EXPECT_EQ(r.read(output, kCount), sums(world, kCount));
    });
    EXPECT_EQ(reports, "");
  }
}

TEST(Communicator, StagesBuffersThatAreNotAtAPackOnOneRankAlone) {
  const std::string reports = run_ranks(2, kRoomy, [&](Rank& r) {
    const std::size_t shift = r.rank() == 1 ? 1 : 0;
    std::int32_t* const input = r.filled(kCount + 1, base_of(r) - 1) + 1;
    std::int32_t* const output = r.allocate(kCount + 1) + shift;
    const kernels::CallRequest request = r.request(input, output, kCount);
    EXPECT_EQ(r.communicator().route(request).alignment, kernels::kPackBytes);
    const auto launch = [&](const kernels::CallBuffers& buffers) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffers.output) % kernels::kPackBytes, 0U);
      EXPECT_EQ(buffers.output == output, shift == 0);
      EXPECT_EQ(buffers.outputs, nullptr);
      return launch_sum(r.communicator(), buffers, kCount, r.stream());
    };
    EXPECT_EQ(r.communicator().run(request, r.communicator().route(request), launch), hipSuccess);
    EXPECT_EQ(r.read(output, kCount), sums(2, kCount));
  });
  EXPECT_EQ(reports, "");
}

TEST(Communicator, ReadsRegisteredBuffersWhereTheyLieInTheirAllocations) {
  const std::string reports = run_ranks(3, {}, [&](Rank& r) {
    // Another place in the allocation on every rank.
    const int offset = 4 * r.rank() + 4;
    std::int32_t* const allocation = r.filled(kCount + 16, base_of(r) - offset);
    std::int32_t* const input = allocation + offset;
    std::int32_t* const output = r.allocate(kCount);
    ASSERT_EQ(r.share(input, kCount), hipSuccess);
    EXPECT_EQ(r.communicator().mappings().open_count(), 2 * 2);  // signals and inputs of two peers
    EXPECT_EQ(r.sum(r.request(input, output, kCount), Path::registered), hipSuccess);
    EXPECT_EQ(r.read(output, kCount), sums(3, kCount));
  });
  EXPECT_EQ(reports, "");
}

TEST(Communicator, OpensAnAllocationOnceForAllItsBuffersAndClosesItWithTheLast) {
  const std::string reports = run_ranks(2, kRoomy, [&](Rank& r) {
    kernels::Communicator& communicator = r.communicator();
    const int before = communicator.mappings().open_count();
    std::int32_t* const first = r.filled(2 * kCount, base_of(r));
    std::int32_t* const second = first + kCount;
    const std::array<kernels::BufferRange, 2> both{{{first, kBytes}, {second, kBytes}}};
    ASSERT_EQ(communicator.register_buffers(both), hipSuccess);
    EXPECT_EQ(communicator.mappings().open_count(), before + 1);
    std::int32_t* const output = r.allocate(kCount);
    EXPECT_EQ(r.sum(r.request(second, output, kCount), Path::registered), hipSuccess);
    EXPECT_EQ(r.read(output, 1)[0], 300 + 2 * static_cast<int>(kCount));
    EXPECT_EQ(communicator.deregister_buffer(second), hipSuccess);
    EXPECT_EQ(communicator.mappings().open_count(), before + 1);
    EXPECT_EQ(r.sum(r.request(first, output, kCount), Path::registered), hipSuccess);
    EXPECT_EQ(r.read(output, kCount), sums(2, kCount));
    EXPECT_EQ(communicator.deregister_buffer(first), hipSuccess);
    EXPECT_EQ(communicator.mappings().open_count(), before);
    EXPECT_EQ(r.sum(r.request(first, output, kCount), Path::staged), hipSuccess);
    EXPECT_EQ(r.read(output, kCount), sums(2, kCount));
  });
  EXPECT_EQ(reports, "");
}

TEST(Communicator, MemoryMayBeFreedOnceItIsDeregistered) {
  const std::string reports = run_ranks(2, {}, [](Rank& r) {
    for (int round = 0; round < 3; ++round) {
      std::int32_t* memory = nullptr;
      ASSERT_EQ(hipMalloc(&memory, kBytes), hipSuccess);
      ASSERT_EQ(r.share(memory, kCount), hipSuccess);
      EXPECT_EQ(r.communicator().deregister_buffer(memory), hipSuccess);
      EXPECT_EQ(hipFree(memory), hipSuccess);
    }
  });
  EXPECT_EQ(reports, "");
}

TEST(Communicator, TellsTheAlignmentAndSizeOfTheLeastOfAllRanks) {
  const std::string reports = run_ranks(3, kRoomy, [](Rank& r) {
    std::int32_t* const memory = r.allocate(kCount + 8);
    std::int32_t* const input = memory + (r.rank() == 2 ? 1 : r.rank() == 1 ? 4 : 0);
    ASSERT_EQ(r.share(input, r.rank() == 0 ? kCount - 4 : kCount), hipSuccess);
    const kernels::Route route = r.communicator().route(r.request(input, memory, kCount - 4));
    EXPECT_EQ(route.path, Path::registered);
    EXPECT_EQ(route.alignment, 4);
    // Rank 0 has registered less than this, so it is not registered for anybody.
    EXPECT_EQ(r.communicator().route(r.request(input, memory, kCount)).path, Path::staged);
  });
  EXPECT_EQ(reports, "");
}

TEST(Communicator, LetsPeersWriteOutputsThatAllHaveRegistered) {
  const std::string reports = run_ranks(3, {}, [](Rank& r) {
    std::int32_t* const input = r.allocate(3);
    std::int32_t* const output = r.allocate(3);
    ASSERT_EQ(r.share(input, 3), hipSuccess);
    EXPECT_FALSE(r.communicator().route(r.request(input, output, 3)).peers_know_output);
    ASSERT_EQ(r.share(output, 3), hipSuccess);
    const kernels::CallRequest request = r.request(input, output, 3);
    const kernels::Route route = r.communicator().route(request);
    EXPECT_TRUE(route.peers_know_output);
    const auto launch = [&](const kernels::CallBuffers& buffers) {
      return launch_write_to_all(r.communicator(), buffers, 7 * (r.rank() + 1), r.stream());
    };
    EXPECT_EQ(r.communicator().run(request, route, launch), hipSuccess);
    EXPECT_EQ(r.read(output, 3), (Ints{7, 14, 21}));
  });
  EXPECT_EQ(reports, "");
}

TEST(Communicator, RefusesAMessageThatDoesNotFitItsStagingMemory) {
  constexpr Capacity kExact{.staging_bytes = kBytes};
  const std::string reports = run_ranks(2, kExact, [&](Rank& r) {
    std::int32_t* const input = r.filled(kCount + 1, base_of(r));
    std::int32_t* const output = r.allocate(kCount + 1);
    EXPECT_TRUE(fits_staging(r.communicator().capacity(), kBytes));
    EXPECT_FALSE(fits_staging(r.communicator().capacity(), kBytes + 1));
    EXPECT_EQ(r.sum(r.request(input, output, kCount + 1), Path::staged), hipErrorInvalidValue);
    EXPECT_EQ(hipStreamQuery(r.stream()), hipSuccess);  // nothing was enqueued
    EXPECT_EQ(r.sum(r.request(input, output, kCount), Path::staged), hipSuccess);
    EXPECT_EQ(r.read(output, kCount), sums(2, kCount));
  });
  EXPECT_EQ(reports, "");
}

TEST(Communicator, RefusesAnotherStreamUntilItIsTold) {
  const std::string reports = run_ranks(2, kRoomy, [&](Rank& r) {
    std::int32_t* const input = r.filled(kCount, base_of(r));
    std::int32_t* const output = r.allocate(kCount);
    hipStream_t other = nullptr;
    ASSERT_EQ(hipStreamCreateWithFlags(&other, hipStreamNonBlocking), hipSuccess);
    kernels::CallRequest request = r.request(input, output, kCount);
    EXPECT_EQ(r.sum(request, Path::staged), hipSuccess);
    request.stream = other;
    EXPECT_EQ(r.sum(request, Path::staged), hipErrorInvalidValue);
    EXPECT_EQ(r.communicator().switch_stream(other), hipSuccess);
    EXPECT_EQ(r.sum(request, Path::staged), hipSuccess);
    EXPECT_EQ(hipStreamSynchronize(other), hipSuccess);
    EXPECT_EQ(r.read(output, kCount), sums(2, kCount));
    EXPECT_EQ(hipStreamDestroy(other), hipSuccess);
  });
  EXPECT_EQ(reports, "");
}

TEST(Communicator, CallsGoOnPastTheWrapOfTheirEpochs) {
  const std::string reports = run_ranks(2, kRoomy, [&](Rank& r) {
    std::int32_t* const input = r.filled(kCount, base_of(r));
    std::int32_t* const output = r.allocate(kCount);
    for (const std::uint32_t epoch : {0xfffffffdU, 0x7ffffffeU}) {
      EXPECT_EQ(r.communicator().seed_epochs(epoch), hipSuccess);
      for (int call = 0; call < 4; ++call) {
        EXPECT_EQ(hipMemsetAsync(output, 0, kBytes, r.stream()), hipSuccess);
        EXPECT_EQ(r.sum(r.request(input, output, kCount), Path::staged), hipSuccess);
        EXPECT_EQ(r.read(output, kCount), sums(2, kCount));
      }
    }
    std::uint32_t count = 0;
    const auto* const own =
        static_cast<const kernels::Signals*>(r.communicator().workspace().own_signals().begin);
    EXPECT_EQ(hipMemcpy(&count, &own->count[1], 4, hipMemcpyDeviceToHost), hipSuccess);
    EXPECT_EQ(count, 0x7ffffffeU + 4 * 2);
    EXPECT_EQ(hipMemcpy(&count, &own->count[2], 4, hipMemcpyDeviceToHost), hipSuccess);
    EXPECT_EQ(count, 0x7ffffffeU);  // no block of this number has run
  });
  EXPECT_EQ(reports, "");
}

// A wrapper that clears its signals after it has told peers of them loses their first arrival.
TEST(Communicator, ACallRightAfterCreationMeetsAPeerThatIsLate) {
  for (int late = 0; late < 3; ++late) {
    const std::string reports = run_ranks(3, kRoomy, [&](Rank& r) {
      std::int32_t* const input = r.filled(kCount, base_of(r));
      std::int32_t* const output = r.allocate(kCount);
      if (r.rank() == late) {
        for (int i = 0; i < 50; ++i) EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
      }
      EXPECT_EQ(r.sum(r.request(input, output, kCount), Path::staged), hipSuccess);
      EXPECT_EQ(r.read(output, kCount), sums(3, kCount));
    });
    EXPECT_EQ(reports, "");
  }
}

TEST(Communicator, CarriesOutCallsOfAStreamThatIsNotCapturedDuringACapture) {
  const std::string reports = run_ranks(2, kRoomy, [&](Rank& r) {
    std::int32_t* const input = r.filled(kCount, base_of(r));
    std::int32_t* const output = r.allocate(kCount);
    int capture = -1;
    EXPECT_EQ(r.communicator().begin_capture(), hipSuccess);
    EXPECT_EQ(r.communicator().begin_capture(), hipErrorInvalidValue);
    EXPECT_EQ(r.sum(r.request(input, output, kCount), Path::staged), hipSuccess);
    EXPECT_EQ(r.communicator().end_capture(capture), hipSuccess);
    EXPECT_EQ(r.read(output, kCount), sums(2, kCount));
    EXPECT_EQ(r.communicator().release_capture(capture), hipSuccess);
    EXPECT_EQ(r.communicator().release_capture(capture), hipErrorInvalidValue);
  });
  EXPECT_EQ(reports, "");
}

TEST(Communicator, ThatIsNotDestroyedIsALeak) {
  const sim::Result result = on_ranks(2, [](kernels::RankGroup& group) {
    std::unique_ptr<kernels::Communicator> communicator;
    EXPECT_EQ(kernels::Communicator::create(group, {}, communicator), hipSuccess);
  });
  ASSERT_GE(result.reports.size(), 2U);
  for (const sim::Report& report : result.reports) {
    EXPECT_EQ(report.kind, sim::ReportKind::leak) << report.message;
  }
}

}  // namespace
}  // namespace rankle::testing
