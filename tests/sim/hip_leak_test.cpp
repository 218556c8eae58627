// What is left when a rank's function has returned.
#include "tests/sim/fixture.h"
#include "tests/sim/hip_kernels.h"

namespace rankle::sim::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

Result run_to_the_end(int devices, const std::function<void(int)>& f) {
  Config config;
  config.devices = devices;
  return run(config, f);
}

TEST(Leak, NamesTheAllocationAndTheLineThatMadeIt) {
  const Result r = run_to_the_end(1, [](int) {
    void* kept = nullptr;
    EXPECT_EQ(hipMalloc(&kept, 100), hipSuccess);
    label(kept, "workspace");
  });
  ASSERT_THAT(kinds_of(r), ElementsAre(ReportKind::leak));
  EXPECT_EQ(r.reports[0].message, "rank 0 has not freed 'workspace' (100 bytes on device 0)");
  EXPECT_THAT(r.reports[0].sites[0].file, EndsWith("tests/sim/hip_leak_test.cpp"));
  EXPECT_FALSE(r.stopped);  // the run itself was complete
}

TEST(Leak, EverythingThatCanBeOpenedCanLeak) {
  hipIpcMemHandle_t handle;
  const Result r = run_to_the_end(2, [&](int rank) {
    if (rank == 0) {
      auto* const exported = zeroed_array<std::uint32_t>(16);
      EXPECT_EQ(hipIpcGetMemHandle(&handle, exported), hipSuccess);
    }
    host_barrier();
    if (rank == 0) return;
    static std::vector<std::uint32_t> registered(16);
    hipStream_t stream = nullptr;
    hipEvent_t event = nullptr;
    void* pointer = nullptr;
    EXPECT_EQ(hipStreamCreate(&stream), hipSuccess);
    EXPECT_EQ(hipEventCreate(&event), hipSuccess);
    EXPECT_EQ(hipHostMalloc(&pointer, 64), hipSuccess);
    EXPECT_EQ(hipMallocAsync(&pointer, 32, stream), hipSuccess);
    EXPECT_EQ(hipHostRegister(registered.data(), 64, 0), hipSuccess);
    EXPECT_EQ(hipIpcOpenMemHandle(&pointer, handle, hipIpcMemLazyEnablePeerAccess), hipSuccess);
  });
  EXPECT_EQ(r.reports.size(), 7U) << texts_of(r);
  EXPECT_THAT(kinds_of(r), Each(ReportKind::leak));
  for (const char* text :
       {"rank 0 has not freed an allocation (64 bytes on device 0)",
        "rank 1 has not freed an allocation (64 bytes of pinned host memory)",
        "rank 1 has not freed an allocation (32 bytes on device 1)",
        "rank 1 has not closed its IPC mapping of byte 0 of an allocation (64 bytes on device 0)",
        "rank 1 has not unregistered 64 bytes of host memory",
        "rank 1 has not destroyed its stream 1", "rank 1 has not destroyed an event"}) {
    EXPECT_THAT(texts_of(r), HasSubstr(text));
  }
}

TEST(Leak, OneLineIsOneReport) {
  const Result r = run_to_the_end(1, [](int) {
    for (int i = 0; i < 20; ++i) {
      void* kept = nullptr;
      EXPECT_EQ(hipMalloc(&kept, 100), hipSuccess);
    }
  });
  ASSERT_THAT(kinds_of(r), ElementsAre(ReportKind::leak));
  ASSERT_EQ(r.reports[0].details.size(), 9U);
  EXPECT_EQ(r.reports[0].details.back(), "11 more from the same line");
}

TEST(Leak, ATidyRankLeaksNothing) {
  hipIpcMemHandle_t handle;
  const Result r = run_to_the_end(2, [&](int rank) {
    void* exported = nullptr;
    if (rank == 0) {
      EXPECT_EQ(hipMalloc(&exported, 64), hipSuccess);
      EXPECT_EQ(hipIpcGetMemHandle(&handle, exported), hipSuccess);
    }
    host_barrier();
    if (rank == 1) {
      void* pointer = nullptr;
      EXPECT_EQ(hipIpcOpenMemHandle(&pointer, handle, hipIpcMemLazyEnablePeerAccess), hipSuccess);
      EXPECT_EQ(hipIpcCloseMemHandle(pointer), hipSuccess);
    }
    host_barrier();
    hipStream_t stream = nullptr;
    hipEvent_t event = nullptr;
    void* pointer = nullptr;
    EXPECT_EQ(hipStreamCreate(&stream), hipSuccess);
    EXPECT_EQ(hipEventCreate(&event), hipSuccess);
    EXPECT_EQ(hipMallocAsync(&pointer, 32, stream), hipSuccess);
    EXPECT_EQ(hipFreeAsync(pointer, stream), hipSuccess);
    EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
    EXPECT_EQ(hipHostMalloc(&pointer, 64), hipSuccess);
    EXPECT_EQ(hipHostFree(pointer), hipSuccess);
    EXPECT_EQ(hipEventDestroy(event), hipSuccess);
    EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
    if (rank == 0) EXPECT_EQ(hipFree(exported), hipSuccess);
  });
  EXPECT_EQ(texts_of(r), "");
}

}  // namespace
}  // namespace rankle::sim::testing
