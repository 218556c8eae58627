// IPC handles, what pointers are said to point to, and ranks as processes.
#include <cstring>

#include "tests/sim/fixture.h"
#include "tests/sim/hip_kernels.h"

namespace rankle::sim::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

void* open_handle(const hipIpcMemHandle_t& handle) {
  void* pointer = nullptr;
  EXPECT_EQ(hipIpcOpenMemHandle(&pointer, handle, hipIpcMemLazyEnablePeerAccess), hipSuccess);
  return pointer;
}

// Rank 0 allocates 16 words and exports them; rank 1 runs `use` with the handle; then rank 0 runs
// `after`.
struct Exchange {
  std::uint32_t* owners = nullptr;
  hipIpcMemHandle_t handle{};
};
using Step = std::function<void(Exchange&)>;

Result exchange(const Step& use, const Step& after = {}, const Config& config = {}) {
  Exchange shared;
  return run_ranks(
      2,
      [&](int rank) {
        if (rank == 0) {
          shared.owners = device_array<std::uint32_t>(16, std::vector<std::uint32_t>(16, 5));
          label(shared.owners, "payload");
          EXPECT_EQ(hipIpcGetMemHandle(&shared.handle, shared.owners), hipSuccess);
        }
        host_barrier();
        if (rank == 1) use(shared);
        host_barrier();
        if (rank == 0 && after) after(shared);
        host_barrier();
      },
      config);
}

TEST(HipIpc, AnOpenedHandleShowsTheOwnersMemoryAtAnotherAddress) {
  const Result r = exchange(
      [](Exchange& e) {
        auto* const mine = static_cast<std::uint32_t*>(open_handle(e.handle));
        ASSERT_NE(mine, nullptr);
        EXPECT_NE(mine, e.owners);
        auto* const sink = zeroed_array<std::uint32_t>(16);
        launch_add(mine, 1, sink, 16, nullptr);
        EXPECT_EQ(host_copy(sink, 16)[15], 6U);
        launch_add(sink, 10, mine, 16, nullptr);
        EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
        EXPECT_EQ(host_copy(mine, 16)[3], 16U);
        EXPECT_EQ(hipMemsetD32(mine, 77, 2), hipSuccess);
      },
      [](Exchange& e) {
        EXPECT_EQ(host_copy(e.owners, 3), (std::vector<std::uint32_t>{77, 77, 16}));
      });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipIpc, AHandleIsOfTheAllocationWhereverThePointerLies) {
  const Result r = run_ranks(2, [](int rank) {
    static hipIpcMemHandle_t of_base;
    static hipIpcMemHandle_t of_middle;
    if (rank == 0) {
      auto* const a = zeroed_array<std::uint32_t>(16);
      EXPECT_EQ(hipIpcGetMemHandle(&of_base, a), hipSuccess);
      EXPECT_EQ(hipIpcGetMemHandle(&of_middle, a + 7), hipSuccess);
      EXPECT_EQ(std::memcmp(&of_base, &of_middle, sizeof of_base), 0);
    }
    host_barrier();
    if (rank == 1) {
      void* const mine = open_handle(of_middle);
      EXPECT_EQ(open_handle(of_base), mine);
      void* base = nullptr;
      auto* const inside = static_cast<std::uint32_t*>(mine) + 9;
      EXPECT_EQ(hipPointerGetAttribute(&base, HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR, inside),
                hipSuccess);
      EXPECT_EQ(base, mine);
      EXPECT_EQ(hipIpcCloseMemHandle(mine), hipSuccess);  // opened twice: still there
      launch_write_at(static_cast<std::uint32_t*>(mine), 1);
      EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
      EXPECT_EQ(hipIpcCloseMemHandle(mine), hipSuccess);
    }
    host_barrier();
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipIpc, BoundsAndInitialisedBytesAreTheOwners) {
  const Result r = exchange([](Exchange& e) {
    auto* const mine = static_cast<std::uint32_t*>(open_handle(e.handle));
    launch_write_at(mine, 16);
    auto* const sink = zeroed_array<std::uint32_t>(1);
    forget(e.owners + 2, 4);
    launch_read_at(mine, 2, sink);
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  });
  EXPECT_THAT(kinds_of(r), ElementsAre(ReportKind::out_of_bounds, ReportKind::uninitialised_read));
  EXPECT_THAT(r.reports[0].message, HasSubstr("past the end of 'payload' (64 bytes on device 0)"));
  EXPECT_THAT(r.reports[1].message, HasSubstr("byte 8 of 'payload'"));
}

TEST(HipIpc, AClosedMappingIsAUseAfterFree) {
  const Result r = exchange([](Exchange& e) {
    auto* const mine = static_cast<std::uint32_t*>(open_handle(e.handle));
    EXPECT_EQ(hipIpcCloseMemHandle(mine), hipSuccess);
    launch_write_at(mine, 3);
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_EQ(hipMemset(mine, 0, 4), hipSuccess);
    EXPECT_EQ(hipIpcCloseMemHandle(mine), hipErrorInvalidValue);
  });
  EXPECT_THAT(kinds_of(r), ElementsAre(ReportKind::use_after_free, ReportKind::use_after_free,
                                       ReportKind::api_error));
  EXPECT_THAT(r.reports[0].message, HasSubstr("through an IPC mapping that was closed"));
  EXPECT_THAT(r.reports[0].message, HasSubstr("byte 12 of 'payload'"));
}

TEST(HipIpc, WhereNothingWasOpenedIsOutOfBounds) {
  const Result r = exchange([](Exchange& e) {
    auto* const mine = static_cast<std::uint32_t*>(open_handle(e.handle));
    launch_write_at(mine, 1 << 20);
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  });
  EXPECT_THAT(kinds_of(r), ElementsAre(ReportKind::out_of_bounds));
  EXPECT_THAT(r.reports[0].message, HasSubstr("no IPC handle was ever opened"));
}

TEST(HipIpc, WhatTheOwnerFreedIsGoneForAll) {
  Exchange shared;
  const Result r = run_ranks(2, [&](int rank) {
    std::uint32_t* mine = nullptr;
    if (rank == 0) {
      shared.owners = zeroed_array<std::uint32_t>(16);
      EXPECT_EQ(hipIpcGetMemHandle(&shared.handle, shared.owners), hipSuccess);
    }
    host_barrier();
    if (rank == 1) mine = static_cast<std::uint32_t*>(open_handle(shared.handle));
    host_barrier();
    if (rank == 0) EXPECT_EQ(hipFree(shared.owners), hipSuccess);
    host_barrier();
    if (rank == 1) {
      launch_write_at(mine, 0);
      EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
      void* again = nullptr;
      EXPECT_EQ(hipIpcOpenMemHandle(&again, shared.handle, hipIpcMemLazyEnablePeerAccess),
                hipErrorMapFailed);
    }
  });
  EXPECT_THAT(kinds_of(r), ElementsAre(ReportKind::api_error, ReportKind::use_after_free,
                                       ReportKind::api_error));
  EXPECT_THAT(r.reports[0].message, HasSubstr("which rank 1 has open through its IPC handle"));
}

// The mapping was made for the memory, not for the address.
TEST(HipIpc, AMappingFromBeforeTheFreeDoesNotShowWhatIsAllocatedThereNext) {
  Exchange shared;
  const Result r = run_ranks(2, [&](int rank) {
    std::uint32_t* stale = nullptr;
    if (rank == 0) {
      shared.owners = zeroed_array<std::uint32_t>(16);
      EXPECT_EQ(hipIpcGetMemHandle(&shared.handle, shared.owners), hipSuccess);
    }
    host_barrier();
    if (rank == 1) stale = static_cast<std::uint32_t*>(open_handle(shared.handle));
    host_barrier();
    if (rank == 0) {
      EXPECT_EQ(hipFree(shared.owners), hipSuccess);
      prefer_address(shared.owners);
      EXPECT_EQ(zeroed_array<std::uint32_t>(16), shared.owners);
    }
    host_barrier();
    if (rank == 1) {
      launch_write_at(stale, 0);
      EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
      std::uint32_t* const afresh = static_cast<std::uint32_t*>(open_handle(shared.handle));
      launch_write_at(afresh, 0);
      EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
      EXPECT_EQ(hipIpcCloseMemHandle(afresh), hipSuccess);
      EXPECT_EQ(hipIpcCloseMemHandle(stale), hipSuccess);
    }
    host_barrier();
    if (rank == 0) EXPECT_EQ(hipFree(shared.owners), hipSuccess);
  });
  ASSERT_THAT(kinds_of(r), ElementsAre(ReportKind::api_error, ReportKind::use_after_free));
  EXPECT_THAT(r.reports[1].message, HasSubstr("before its owner freed the memory"));
}

TEST(HipIpc, WrongHandlesAndFlagsAreRefused) {
  const Result r = exchange(
      [](Exchange& e) {
        void* pointer = nullptr;
        hipIpcMemHandle_t garbage{};
        EXPECT_EQ(hipIpcOpenMemHandle(&pointer, garbage, hipIpcMemLazyEnablePeerAccess),
                  hipErrorInvalidHandle);
        EXPECT_EQ(hipIpcOpenMemHandle(&pointer, e.handle, 0), hipErrorInvalidValue);
        EXPECT_EQ(hipIpcOpenMemHandle(nullptr, e.handle, hipIpcMemLazyEnablePeerAccess),
                  hipErrorInvalidValue);
        hipIpcMemHandle_t handle;
        EXPECT_EQ(hipIpcGetMemHandle(&handle, nullptr), hipErrorInvalidValue);
        EXPECT_EQ(hipIpcGetMemHandle(&handle, &handle), hipErrorInvalidDevicePointer);
      },
      [](Exchange& e) {
        void* pointer = nullptr;
        EXPECT_EQ(hipIpcOpenMemHandle(&pointer, e.handle, hipIpcMemLazyEnablePeerAccess),
                  hipErrorInvalidContext);  // the owner's own
      });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipIpc, AWaitThroughAMappingEndsWhenTheOwnerWrites) {
  const Result r = run_ranks(2, [](int rank) {
    static hipIpcMemHandle_t handle;
    static std::uint32_t* flag;
    if (rank == 0) {
      flag = zeroed_array<std::uint32_t>(1);
      EXPECT_EQ(hipIpcGetMemHandle(&handle, flag), hipSuccess);
    }
    host_barrier();
    if (rank == 1) launch_wait(static_cast<std::uint32_t*>(open_handle(handle)), 1, nullptr);
    host_barrier();
    if (rank == 0) launch_signal(flag, 1, nullptr);
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipIpc, ARawPointerOfAnotherProcessIsPeerAccessThereAndOnlyThere) {
  for (const bool processes : {false, true}) {
    Config config;
    config.separate_address_spaces = processes;
    const Result r = exchange(
        [](Exchange& e) {
          EXPECT_EQ(hipDeviceEnablePeerAccess(0, 0), hipSuccess);
          launch_write_at(e.owners, 3);
          EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
          std::vector<std::uint32_t> host(1);
          hipMemcpy(host.data(), e.owners, 4, hipMemcpyDeviceToHost);
        },
        {}, config);
    if (!processes) {
      EXPECT_EQ(texts_of(r), "");
      continue;
    }
    ASSERT_THAT(kinds_of(r), ElementsAre(ReportKind::peer_access, ReportKind::peer_access));
    EXPECT_THAT(r.reports[0].message, HasSubstr("through a raw pointer of rank 0's process"));
    EXPECT_THAT(r.reports[1].message, HasSubstr("copy from of 4 bytes"));
  }
}

TEST(HipIpc, ProcessesReachTheirOwnMemoryAndOpenHandles) {
  Config config;
  config.separate_address_spaces = true;
  const Result r = exchange(
      [](Exchange& e) {
        auto* const mine = static_cast<std::uint32_t*>(open_handle(e.handle));
        auto* const own = zeroed_array<std::uint32_t>(16);
        std::uint32_t* pinned = nullptr;
        ASSERT_EQ(hipHostMalloc(&pinned, 64), hipSuccess);
        launch_add(mine, 1, own, 16, nullptr);
        launch_add(own, 1, pinned, 16, nullptr);
        EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
        EXPECT_EQ(pinned[0], 7U);
        EXPECT_EQ(hipIpcCloseMemHandle(mine), hipSuccess);
      },
      [](Exchange& e) { EXPECT_EQ(hipFree(e.owners), hipSuccess); }, config);
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipIpc, MappingsDoNotOutliveTheRun) {
  for (int run = 0; run < 3; ++run) {
    const Result r = exchange([](Exchange& e) {
      auto* const mine = static_cast<std::uint32_t*>(open_handle(e.handle));
      EXPECT_EQ(host_copy(mine, 1)[0], 5U);
      launch_write_at(mine, 0);
      EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    });
    EXPECT_EQ(texts_of(r), "");
  }
}

TEST(HipPointer, AttributesTellTypeDeviceAndAddresses) {
  run_ranks(2, [](int rank) {
    if (rank != 1) return;
    auto* const a = device_array<std::uint32_t>(16);
    hipPointerAttribute_t t;
    ASSERT_EQ(hipPointerGetAttributes(&t, a + 2), hipSuccess);
    EXPECT_EQ(t.type, hipMemoryTypeDevice);
    EXPECT_EQ(t.device, 1);
    EXPECT_EQ(t.devicePointer, a + 2);
    EXPECT_EQ(t.hostPointer, nullptr);
    EXPECT_EQ(t.isManaged, 0);
    void* pinned = nullptr;
    ASSERT_EQ(hipHostMalloc(&pinned, 64), hipSuccess);
    ASSERT_EQ(hipPointerGetAttributes(&t, pinned), hipSuccess);
    EXPECT_EQ(t.type, hipMemoryTypeHost);
    EXPECT_EQ(t.device, 1);
    EXPECT_EQ(t.devicePointer, pinned);
    EXPECT_EQ(t.hostPointer, pinned);
    int local = 0;
    EXPECT_EQ(hipPointerGetAttributes(&t, &local), hipErrorInvalidValue);
    EXPECT_EQ(t.type, hipMemoryTypeUnregistered);
    EXPECT_EQ(hipFree(a), hipSuccess);
    EXPECT_EQ(hipPointerGetAttributes(&t, a), hipErrorInvalidValue);
  });
}

TEST(HipPointer, RangesAreThoseOfTheAllocation) {
  run_one([] {
    auto* const a = device_array<std::uint32_t>(25);
    void* base = nullptr;
    std::size_t bytes = 0;
    EXPECT_EQ(hipMemGetAddressRange(&base, &bytes, a + 24), hipSuccess);
    EXPECT_EQ(base, a);
    EXPECT_EQ(bytes, 100U);
    EXPECT_EQ(hipMemGetAddressRange(&base, &bytes, a + 25), hipErrorInvalidDevicePointer);
    base = nullptr;
    EXPECT_EQ(hipPointerGetAttribute(&base, HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR, a + 7),
              hipSuccess);
    EXPECT_EQ(base, a);
    EXPECT_EQ(hipPointerGetAttribute(&bytes, HIP_POINTER_ATTRIBUTE_RANGE_SIZE, a + 7), hipSuccess);
    EXPECT_EQ(bytes, 100U);
    int device = -1;
    EXPECT_EQ(hipPointerGetAttribute(&device, HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, a), hipSuccess);
    EXPECT_EQ(device, 0);
    EXPECT_EQ(hipPointerGetAttribute(&base, HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR, &device),
              hipErrorInvalidValue);
    EXPECT_EQ(hipPointerGetAttribute(&base, HIP_POINTER_ATTRIBUTE_HOST_POINTER, a),
              hipErrorInvalidValue);
  });
}

}  // namespace
}  // namespace rankle::sim::testing
