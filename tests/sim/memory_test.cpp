// Memory: bounds, initialised bytes, peers, copies and fills.
#include "sim/memory.h"

#include "tests/sim/fixture.h"

namespace rankle::sim::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Memory, AReadPastTheEndNamesTheAllocationAndTheLine) {
  const Result r = run_one([] {
    auto* const a = zeroed_array<std::uint32_t>(100);
    auto* const sink = device_array<std::uint32_t>(1);
    label(a, "payload");
    launch_read_at(a, 100, sink);
    hipDeviceSynchronize();
  });
  ASSERT_EQ(kinds_of(r).front(), ReportKind::out_of_bounds);
  EXPECT_THAT(r.reports[0].message,
              HasSubstr("0 bytes past the end of 'payload' (400 bytes on device 0)"));
  EXPECT_EQ(r.reports[0].sites[0].function, "read_at");
  EXPECT_EQ(r.reports[0].sites[0].file, "tests/sim/kernels.hip.cpp");
  EXPECT_GT(r.reports[0].sites[0].line, 0);
  EXPECT_EQ(r.reports[0].threads[0].rank, 0);
  EXPECT_EQ(r.reports[0].threads[0].thread, 0);
}

TEST(Memory, WritesBeforeTheStartAndFarAwayAreOutOfBounds) {
  for (const std::int64_t index : {std::int64_t{-1}, std::int64_t{100'000'000}}) {
    const Result r = run_one([&] {
      auto* const a = zeroed_array<std::uint32_t>(100);
      launch_write_at(a, index);
      hipDeviceSynchronize();
    });
    EXPECT_THAT(kinds_of(r), ElementsAre(ReportKind::out_of_bounds)) << index;
  }
}

TEST(Memory, TheFirstAndLastElementsAreInBounds) {
  const Result r = run_one([] {
    auto* const a = zeroed_array<std::uint32_t>(100);
    launch_write_at(a, 0);
    launch_write_at(a, 99);
    hipDeviceSynchronize();
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(Memory, AReadOfFreshMemoryIsUninitialisedAndGivesPoison) {
  std::vector<std::uint32_t> read;
  const Result r = run_one([&] {
    auto* const a = device_array<std::uint32_t>(16);
    auto* const sink = device_array<std::uint32_t>(1);
    launch_write_at(a, 2);
    launch_read_at(a, 2, sink);
    launch_read_at(a, 3, sink);
    read = host_copy(sink, 1);
  });
  EXPECT_THAT(kinds_of(r), ElementsAre(ReportKind::uninitialised_read));
  EXPECT_THAT(r.reports[0].message, HasSubstr("reads 4 bytes that nobody has written: byte 12"));
  EXPECT_EQ(read[0], 0xfdfdfdfdU);
}

TEST(Memory, ForgottenMemoryIsUninitialisedAgain) {
  const Result r = run_one([] {
    auto* const a = zeroed_array<std::uint32_t>(16);
    auto* const sink = device_array<std::uint32_t>(1);
    forget(a + 4, 8);
    EXPECT_EQ(uninitialised_bytes(a, 64), 8U);
    launch_read_at(a, 3, sink);
    launch_read_at(a, 5, sink);
    hipDeviceSynchronize();
  });
  EXPECT_THAT(kinds_of(r), ElementsAre(ReportKind::uninitialised_read));
}

TEST(Memory, ACopyCarriesWhatIsInitialised) {
  run_one([] {
    auto* const a = device_array<std::uint32_t>(64);
    auto* const b = zeroed_array<std::uint32_t>(64);
    hipMemset(a, 1, 100);
    hipMemcpy(b, a, 256, hipMemcpyDeviceToDevice);
    EXPECT_EQ(uninitialised_bytes(b, 256), 156U);
    EXPECT_EQ(host_copy(b, 1)[0], 0x01010101U);
  });
}

TEST(Memory, MisalignedAccessesAreReported) {
  const Result r = run_one([] {
    auto* const a = zeroed_array<std::uint32_t>(16);
    auto* const sink = device_array<std::uint32_t>(1);
    launch_misaligned_read(a, 4, sink);
    launch_misaligned_read(a, 8, sink);
    hipDeviceSynchronize();
  });
  EXPECT_THAT(kinds_of(r), ElementsAre(ReportKind::misaligned));
}

TEST(Memory, FreedMemoryCannotBeUsedOrFreedAgain) {
  const Result r = run_one([] {
    auto* const a = zeroed_array<std::uint32_t>(16);
    hipFree(a);
    launch_write_at(a, 1);
    hipDeviceSynchronize();
    EXPECT_EQ(hipFree(a), hipErrorInvalidDevicePointer);
  });
  EXPECT_THAT(kinds_of(r), ElementsAre(ReportKind::use_after_free, ReportKind::api_error));
}

TEST(Memory, SharedVariablesHaveBounds) {
  for (const auto& [index, faults] :
       {std::pair{63, false}, std::pair{64, true}, std::pair{70, true}}) {
    const Result r = run_one([&, at = index] {
      launch_shared_write_at(at, device_array<std::uint32_t>(1));
      hipDeviceSynchronize();
    });
    EXPECT_EQ(!r.reports.empty(), faults) << index;
    if (faults) EXPECT_EQ(r.reports[0].kind, ReportKind::out_of_bounds);
  }
}

TEST(Memory, APeerIsOutOfReachUntilAccessIsEnabled) {
  for (const bool enable : {false, true}) {
    std::uint32_t* of_rank_1 = nullptr;
    const Result r = run_ranks(2, [&](int rank) {
      if (rank == 1) of_rank_1 = zeroed_array<std::uint32_t>(16);
      host_barrier();
      if (rank == 0) {
        if (enable) EXPECT_EQ(hipDeviceEnablePeerAccess(1, 0), hipSuccess);
        launch_write_at(of_rank_1, 3);
        hipDeviceSynchronize();
      }
      host_barrier();
    });
    if (enable) {
      EXPECT_EQ(texts_of(r), "");
    } else {
      EXPECT_THAT(kinds_of(r), ElementsAre(ReportKind::peer_access));
    }
  }
}

TEST(Memory, PeerAccessErrorsAreHips) {
  run_ranks(2, [](int rank) {
    if (rank != 0) return;
    int can = -1;
    EXPECT_EQ(hipDeviceCanAccessPeer(&can, 0, 1), hipSuccess);
    EXPECT_EQ(can, 1);
    EXPECT_EQ(hipDeviceCanAccessPeer(&can, 0, 0), hipSuccess);
    EXPECT_EQ(can, 0);
    EXPECT_EQ(hipDeviceEnablePeerAccess(0, 0), hipErrorInvalidDevice);
    EXPECT_EQ(hipDeviceEnablePeerAccess(2, 0), hipErrorInvalidDevice);
    EXPECT_EQ(hipDeviceEnablePeerAccess(1, 0), hipSuccess);
    EXPECT_EQ(hipDeviceEnablePeerAccess(1, 0), hipErrorPeerAccessAlreadyEnabled);
    EXPECT_EQ(hipDeviceDisablePeerAccess(1), hipSuccess);
    EXPECT_EQ(hipDeviceDisablePeerAccess(1), hipErrorPeerAccessNotEnabled);
  });
}

TEST(Memory, AllocationsBeyondTheCapFail) {
  Config config;
  config.bytes_max = 1 << 20;
  run_one(
      [] {
        void* p = nullptr;
        EXPECT_EQ(hipMalloc(&p, (1 << 20) + 1), hipErrorOutOfMemory);
        EXPECT_EQ(p, nullptr);
        EXPECT_EQ(hipMalloc(&p, 1 << 20), hipSuccess);
        EXPECT_EQ(hipFree(p), hipSuccess);
        EXPECT_EQ(hipMalloc(&p, 1 << 20), hipSuccess);
      },
      config);
}

TEST(Memory, AFreedAddressComesBackIfItIsPreferredAndNeverOtherwise) {
  const Result r = run_one([] {
    auto* const first = zeroed_array<std::uint32_t>(100);
    EXPECT_EQ(hipFree(first), hipSuccess);
    prefer_address(first);
    auto* const larger = device_array<std::uint32_t>(101);
    EXPECT_NE(larger, first);
    auto* const late = device_array<std::uint32_t>(100);
    EXPECT_NE(late, first);  // the preference was for the allocation before
    prefer_address(first);
    auto* const again = device_array<std::uint32_t>(100);
    EXPECT_EQ(again, first);
    EXPECT_EQ(uninitialised_bytes(again, 400), 400U);
    prefer_address(again);  // is not free
    EXPECT_NE(device_array<std::uint32_t>(100), again);
    EXPECT_EQ(hipFree(again), hipSuccess);
  });
  EXPECT_THAT(r.reports, IsEmpty());
}

TEST(Memory, CopiesOutsideAnAllocationAreReported) {
  const Result r = run_one([] {
    auto* const a = zeroed_array<std::uint32_t>(16);
    std::vector<std::uint32_t> host(17);
    hipMemcpy(host.data(), a, 68, hipMemcpyDeviceToHost);
  });
  EXPECT_THAT(kinds_of(r), ElementsAre(ReportKind::out_of_bounds));
}

TEST(Memory, AResetForgetsWhatAnEarlierRunWrote) {
  run_one([] { zeroed_array<std::uint32_t>(4096); });
  const Result r = run_one([] {
    auto* const a = device_array<std::uint32_t>(4096);
    EXPECT_EQ(uninitialised_bytes(a, 16384), 16384U);
  });
  EXPECT_THAT(r.reports, IsEmpty());
}

}  // namespace
}  // namespace rankle::sim::testing
