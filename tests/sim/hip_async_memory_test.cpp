// Stream-ordered allocation, use after free, pinned memory, and what frees must not do.
#include "tests/sim/fixture.h"
#include "tests/sim/hip_kernels.h"

#include <set>

namespace rankle::sim::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

hipStream_t new_stream() {
  hipStream_t stream = nullptr;
  EXPECT_EQ(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), hipSuccess);
  return stream;
}

// Words that the call has returned before its turn in the stream.
std::uint32_t* async_array(std::size_t count, hipStream_t stream) {
  std::uint32_t* pointer = nullptr;
  EXPECT_EQ(hipMallocAsync(&pointer, count * 4, stream), hipSuccess);
  return pointer;
}

TEST(HipAsyncMemory, InTheOrderOfItsStreamMemoryIsUsableFromAllocationToFree) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    auto* const sink = zeroed_array<std::uint32_t>(4);
    auto* const a = async_array(4, stream);
    ASSERT_NE(a, nullptr);
    EXPECT_EQ(hipMemsetD32Async(a, 3, 4, stream), hipSuccess);
    launch_add(a, 4, sink, 4, stream);
    EXPECT_EQ(hipFreeAsync(a, stream), hipSuccess);
    EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
    EXPECT_THAT(host_copy(sink, 4), ElementsAre(7U, 7U, 7U, 7U));
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipAsyncMemory, AnotherStreamMustNotUseItBeforeItsTurn) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    auto* const flag = zeroed_array<std::uint32_t>(1);
    launch_wait(flag, 1, stream);
    auto* const a = async_array(4, stream);
    launch_write_at(a, 1);  // on the default stream, which does not wait for this one
    EXPECT_EQ(hipMemset(a, 0, 16), hipSuccess);
    launch_signal(flag, 1, new_stream());
    EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
    launch_write_at(a, 1);
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  });
  EXPECT_THAT(kinds_of(r), ElementsAre(ReportKind::use_after_free, ReportKind::use_after_free));
  EXPECT_THAT(r.reports[0].message, HasSubstr("before the hipMallocAsync of the memory"));
  EXPECT_EQ(r.reports[0].sites[0].function, "write_at");
  EXPECT_THAT(r.reports[1].message, HasSubstr("fill of 16 bytes"));
  EXPECT_THAT(r.reports[1].message, HasSubstr("not yet allocated"));
}

TEST(HipAsyncMemory, AfterTheFreeInStreamOrderAUseIsAUseAfterFree) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    auto* const a = async_array(4, stream);
    launch_add(a, 0, a, 0, nullptr);  // no threads: refused, not a use
    EXPECT_EQ(hipGetLastError(), hipErrorInvalidConfiguration);
    EXPECT_EQ(hipMemsetAsync(a, 0, 16, stream), hipSuccess);
    EXPECT_EQ(hipFreeAsync(a, stream), hipSuccess);
    launch_add(a, 1, a, 4, stream);
    EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
  });
  EXPECT_THAT(kinds_of(r), ElementsAre(ReportKind::use_after_free));
  EXPECT_THAT(r.reports[0].message, HasSubstr("of freed memory"));
}

TEST(HipAsyncMemory, FreeingTwiceIsAnApiErrorHoweverItIsDone) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    auto* const a = async_array(4, stream);
    EXPECT_EQ(hipFreeAsync(a, stream), hipSuccess);
    EXPECT_EQ(hipFreeAsync(a, stream), hipErrorInvalidValue);
    EXPECT_EQ(hipFree(a), hipErrorInvalidDevicePointer);
    EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
    EXPECT_EQ(hipFree(a), hipErrorInvalidDevicePointer);
    EXPECT_EQ(hipFreeAsync(nullptr, stream), hipErrorInvalidValue);
    EXPECT_EQ(hipFree(nullptr), hipSuccess);
    auto* const b = async_array(4, stream);
    EXPECT_EQ(hipFree(b), hipSuccess);  // hipFree may end what hipMallocAsync began
  });
  EXPECT_EQ(r.reports.size(), 3U);
  for (const Report& report : r.reports) EXPECT_EQ(report.kind, ReportKind::api_error);
  EXPECT_THAT(r.reports[0].message, HasSubstr("which a hipFreeAsync already frees"));
}

TEST(HipAsyncMemory, APointerIntoAnAllocationCannotBeFreed) {
  const Result r = run_one([] {
    auto* const a = device_array<std::uint32_t>(16);
    EXPECT_EQ(hipFree(a + 1), hipErrorInvalidDevicePointer);
    EXPECT_EQ(hipFree(a), hipSuccess);
  });
  EXPECT_THAT(kinds_of(r), ElementsAre(ReportKind::api_error));
  EXPECT_THAT(r.reports[0].message, HasSubstr("byte 4 of an allocation (64 bytes on device 0)"));
}

TEST(HipAsyncMemory, AFreeUnderACopyOfAnotherDeviceIsAnApiError) {
  const Result r = run_ranks(2, [](int rank) {
    if (rank != 0) return;
    auto* const a = zeroed_array<std::uint32_t>(16);
    EXPECT_EQ(hipSetDevice(1), hipSuccess);
    const hipStream_t other = new_stream();
    auto* const b = zeroed_array<std::uint32_t>(16);
    auto* const flag = zeroed_array<std::uint32_t>(1);
    launch_wait(flag, 1, other);
    EXPECT_EQ(hipMemcpyPeerAsync(b, 1, a, 0, 64, other), hipSuccess);
    EXPECT_EQ(hipFree(a), hipSuccess);  // waits for device 0 only
    launch_signal(flag, 1, nullptr);
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  });
  EXPECT_THAT(kinds_of(r), ElementsAre(ReportKind::api_error, ReportKind::use_after_free));
  EXPECT_THAT(r.reports[0].message, HasSubstr("which an operation of rank 0 still uses"));
}

TEST(HipAsyncMemory, AddressesAreNotGivenOutTwiceInARun) {
  run_one([] {
    std::set<void*> seen;
    for (int i = 0; i < 100; ++i) {
      void* pointer = nullptr;
      ASSERT_EQ(hipMalloc(&pointer, 4096), hipSuccess);
      EXPECT_TRUE(seen.insert(pointer).second) << i;
      EXPECT_EQ(hipFree(pointer), hipSuccess);
    }
  });
}

TEST(HipHostMemory, HostAndDeviceReachPinnedMemoryUnderOneAddress) {
  const Result r = run_one([] {
    std::uint32_t* pinned = nullptr;
    ASSERT_EQ(hipHostMalloc(&pinned, 64, hipHostMallocCoherent), hipSuccess);
    for (std::uint32_t i = 0; i < 16; ++i) pinned[i] = i;
    std::uint32_t* device = nullptr;
    EXPECT_EQ(hipHostGetDevicePointer(&device, pinned, 0), hipSuccess);
    EXPECT_EQ(device, pinned);
    launch_add(device, 100, device, 16, nullptr);
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_EQ(pinned[0], 100U);
    EXPECT_EQ(pinned[15], 115U);
    unsigned flags = 0;
    EXPECT_EQ(hipHostGetFlags(&flags, pinned), hipSuccess);
    EXPECT_EQ(flags, hipHostMallocCoherent);
    launch_write_at(pinned, 16);
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_EQ(hipHostFree(pinned), hipSuccess);
  });
  EXPECT_THAT(kinds_of(r), ElementsAre(ReportKind::out_of_bounds));
  EXPECT_THAT(r.reports[0].message, HasSubstr("in pinned host memory"));
}

TEST(HipHostMemory, TheHostReleasesAWaitingKernelThroughPinnedMemory) {
  const Result r = run_one([] {
    std::uint32_t* flag = nullptr;
    ASSERT_EQ(hipHostMalloc(&flag, 4), hipSuccess);
    *flag = 0;
    const hipStream_t stream = new_stream();
    launch_wait(flag, 1, stream);
    EXPECT_EQ(hipStreamQuery(stream), hipErrorNotReady);
    *flag = 1;  // by code that is not compiled for the simulator
    EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipHostMemory, FlagsAndWrongPointersAreRefused) {
  const Result r = run_one([] {
    void* pinned = &pinned;
    EXPECT_EQ(hipHostMalloc(&pinned, 0), hipSuccess);
    EXPECT_EQ(pinned, nullptr);
    EXPECT_EQ(hipHostMalloc(&pinned, 64, 0x8), hipErrorInvalidValue);
    EXPECT_EQ(hipHostMalloc(&pinned, 64, hipHostMallocCoherent | hipHostMallocNonCoherent),
              hipErrorInvalidValue);
    ASSERT_EQ(hipHostMalloc(&pinned, 64), hipSuccess);
    EXPECT_EQ(hipFree(pinned), hipErrorInvalidDevicePointer);
    auto* const device = device_array<std::uint32_t>(4);
    EXPECT_EQ(hipHostFree(device), hipErrorInvalidValue);
    void* out = nullptr;
    EXPECT_EQ(hipHostGetDevicePointer(&out, device, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipHostFree(nullptr), hipSuccess);
    EXPECT_EQ(hipHostFree(pinned), hipSuccess);
    EXPECT_EQ(hipHostFree(pinned), hipErrorInvalidValue);
  });
  EXPECT_THAT(kinds_of(r),
              ElementsAre(ReportKind::api_error, ReportKind::api_error, ReportKind::api_error));
}

TEST(HipHostMemory, OnlyAPageableCopyWaits) {
  const Result r = run_one([] {
    const hipStream_t stream = new_stream();
    auto* const flag = zeroed_array<std::uint32_t>(1);
    auto* const a = zeroed_array<std::uint32_t>(4);
    std::uint32_t* pinned = nullptr;
    ASSERT_EQ(hipHostMalloc(&pinned, 16), hipSuccess);
    std::vector<std::uint32_t> registered(4, 9);
    ASSERT_EQ(hipHostRegister(registered.data(), 16, hipHostRegisterDefault), hipSuccess);
    pinned[0] = 1;
    launch_wait(flag, 1, stream);
    EXPECT_EQ(hipMemcpyAsync(pinned, a, 16, hipMemcpyDeviceToHost, stream), hipSuccess);
    EXPECT_EQ(hipMemcpyAsync(registered.data(), a, 16, hipMemcpyDeviceToHost, stream), hipSuccess);
    EXPECT_EQ(hipStreamQuery(stream), hipErrorNotReady);
    EXPECT_EQ(pinned[0], 1U);  // the copies have not run
    EXPECT_EQ(registered[0], 9U);
    launch_signal(flag, 1, nullptr);
    std::vector<std::uint32_t> pageable(4, 9);
    EXPECT_EQ(hipMemcpyAsync(pageable.data(), a, 16, hipMemcpyDeviceToHost, stream), hipSuccess);
    EXPECT_EQ(pageable[0], 0U);
    EXPECT_EQ(pinned[0], 0U);
    EXPECT_EQ(hipHostUnregister(registered.data()), hipSuccess);
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipHostMemory, RegisteringTwiceOrNotAtAllIsAnError) {
  run_one([] {
    std::vector<std::uint32_t> memory(16);
    void* out = nullptr;
    EXPECT_EQ(hipHostGetDevicePointer(&out, memory.data(), 0), hipErrorInvalidValue);
    EXPECT_EQ(hipHostUnregister(memory.data()), hipErrorHostMemoryNotRegistered);
    EXPECT_EQ(hipHostRegister(memory.data(), 64, 0), hipSuccess);
    EXPECT_EQ(hipHostRegister(memory.data() + 4, 16, 0), hipErrorHostMemoryAlreadyRegistered);
    EXPECT_EQ(hipHostRegister(nullptr, 64, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipHostGetDevicePointer(&out, memory.data(), 0), hipSuccess);
    EXPECT_EQ(out, memory.data());
    EXPECT_EQ(hipHostUnregister(memory.data()), hipSuccess);
  });
}

TEST(HipExtMalloc, TakesTheDocumentedKindsOfMemory) {
  run_one([] {
    for (const unsigned flags :
         {hipDeviceMallocDefault, hipDeviceMallocFinegrained, hipDeviceMallocUncached}) {
      std::uint32_t* a = nullptr;
      ASSERT_EQ(hipExtMallocWithFlags(&a, 64, flags), hipSuccess) << flags;
      launch_write_at(a, 3);
      EXPECT_EQ(host_copy(a + 3, 1)[0], 7U);
      hipPointerAttribute_t attributes;
      EXPECT_EQ(hipPointerGetAttributes(&attributes, a), hipSuccess);
      EXPECT_EQ(attributes.allocationFlags, flags);
      EXPECT_EQ(hipFree(a), hipSuccess);
    }
    void* a = nullptr;
    EXPECT_EQ(hipExtMallocWithFlags(&a, 8, hipMallocSignalMemory), hipSuccess);
    EXPECT_EQ(hipExtMallocWithFlags(&a, 64, hipMallocSignalMemory), hipErrorInvalidValue);
    EXPECT_EQ(hipExtMallocWithFlags(&a, 64, 4), hipErrorInvalidValue);
  });
}

}  // namespace
}  // namespace rankle::sim::testing
