// Properties, occupancy, cooperative launches, errors, fills, symbols, streams that are gone, and
// calls outside of the subset.
#include <set>

#include "tests/sim/fixture.h"
#include "tests/sim/hip_kernels.h"

namespace rankle::sim::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(HipProperties, FollowTheConfiguration) {
  for (const int wave : {32, 64}) {
    Config config;
    config.wave = wave;
    config.bytes_max = 1 << 20;
    run_one(
        [&] {
          hipDeviceProp_t p;
          ASSERT_EQ(hipGetDeviceProperties(&p, 0), hipSuccess);
          EXPECT_EQ(p.warpSize, wave);
          EXPECT_EQ(std::string(p.gcnArchName).substr(0, 5), wave == 64 ? "gfx94" : "gfx11");
          EXPECT_EQ(p.maxThreadsPerBlock, 1024);
          EXPECT_EQ(p.sharedMemPerBlock, 65536U);
          EXPECT_EQ(p.totalGlobalMem, 1U << 20);
          EXPECT_EQ(p.multiProcessorCount, 304);
          EXPECT_EQ(p.cooperativeLaunch, 1);
          int value = 0;
          EXPECT_EQ(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0), hipSuccess);
          EXPECT_EQ(value, wave);
          EXPECT_EQ(hipDeviceGetAttribute(&value, hipDeviceAttributeMultiprocessorCount, 0),
                    hipSuccess);
          EXPECT_EQ(value, 304);
          EXPECT_EQ(hipDeviceGetAttribute(&value, hipDeviceAttributeMaxThreadsPerBlock, 0),
                    hipSuccess);
          EXPECT_EQ(value, 1024);
          EXPECT_EQ(hipDeviceGetAttribute(&value, hipDeviceAttribute_t(9000), 0),
                    hipErrorInvalidValue);
          EXPECT_EQ(hipGetDeviceProperties(&p, 1), hipErrorInvalidDevice);
          EXPECT_EQ(hipGetDeviceProperties(nullptr, 0), hipErrorInvalidValue);
          std::size_t free_bytes = 0;
          std::size_t total = 0;
          device_array<std::uint8_t>(8192);
          EXPECT_EQ(hipMemGetInfo(&free_bytes, &total), hipSuccess);
          EXPECT_EQ(total, 1U << 20);
          EXPECT_EQ(free_bytes, (1U << 20) - 8192U);
          int version = 0;
          EXPECT_EQ(hipRuntimeGetVersion(&version), hipSuccess);
          EXPECT_EQ(version / 10'000'000, 6);
          EXPECT_EQ(hipDriverGetVersion(nullptr), hipErrorInvalidValue);
        },
        config);
  }
}

TEST(HipOccupancy, CountsThreadsSharedMemoryAndRoom) {
  run_one([] {
    EXPECT_EQ(occupancy_of_add(1024, 0), 2);
    EXPECT_EQ(occupancy_of_add(256, 0), 8);
    EXPECT_EQ(occupancy_of_add(257, 0), 6);  // five waves of 64
    EXPECT_EQ(occupancy_of_add(64, 0), 32);
    EXPECT_EQ(occupancy_of_add(64, 40000), 1);
    EXPECT_EQ(occupancy_of_add(2048, 0), 0);
    EXPECT_EQ(occupancy_of_add(0, 0), -hipErrorInvalidValue);
    int blocks = 0;
    int threads = 0;
    best_block_of_add(&blocks, &threads);
    EXPECT_EQ(threads, 1024);
    EXPECT_EQ(blocks, 608);
  });
  for (const int resident : {1, 3, 304, 700}) {
    Config config;
    config.resident_blocks = resident;
    run_one(
        [&] {
          hipDeviceProp_t p;
          ASSERT_EQ(hipGetDeviceProperties(&p, 0), hipSuccess);
          const int at_once = occupancy_of_add(64, 0) * p.multiProcessorCount;
          EXPECT_GT(at_once, 0);
          EXPECT_LE(at_once, resident);
        },
        config);
  }
}

TEST(HipLaunch, ArgumentsMayComeAsPointers) {
  const Result r = run_one([] {
    auto* const a = zeroed_array<std::uint32_t>(64);
    EXPECT_EQ(launch_add_with_pointers(a, 3, a, 64, false, nullptr), hipSuccess);
    EXPECT_EQ(launch_add_with_pointers(a, 4, a, 64, true, nullptr), hipSuccess);
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_EQ(host_copy(a, 64)[63], 7U);
    EXPECT_EQ(launch_add_with_pointers(a, 3, a, 2000, false, nullptr),
              hipErrorInvalidConfiguration);
    EXPECT_EQ(hipGetLastError(), hipErrorInvalidConfiguration);
    EXPECT_EQ(hipGetLastError(), hipSuccess);
    EXPECT_EQ(launch_without_types(), hipErrorNotSupported);
  });
  EXPECT_THAT(kinds_of(r), ElementsAre(ReportKind::api_error));
  EXPECT_THAT(r.reports[0].message, HasSubstr("hipLaunchKernel of a kernel as `const void*`"));
}

TEST(HipLaunch, ACooperativeGridThatDoesNotFitAtOnceIsRefused) {
  Config config;
  config.resident_blocks = 4;
  const Result r = run_one(
      [] {
        auto* const counter = zeroed_array<std::uint32_t>(1);
        EXPECT_EQ(launch_grid_wait(5, counter, 0), hipErrorCooperativeLaunchTooLarge);
        EXPECT_EQ(launch_grid_wait(4, counter, 0), hipSuccess);
        EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
        EXPECT_EQ(host_copy(counter, 1)[0], 4U);
      },
      config);
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipLaunch, ACooperativeGridWaitsUntilAllOfItsBlocksHaveRoom) {
  Config config;
  config.resident_blocks = 4;
  config.detect_races = false;  // the copy below sets the flag under the eyes of the waiting kernel
  const Result r = run_one(
      [] {
        auto* const flag = zeroed_array<std::uint32_t>(1);
        auto* const counter = zeroed_array<std::uint32_t>(1);
        hipStream_t other = nullptr;
        EXPECT_EQ(hipStreamCreateWithFlags(&other, hipStreamNonBlocking), hipSuccess);
        launch_wait(flag, 1, other);  // takes the room of one block
        EXPECT_EQ(launch_grid_wait(4, counter, 0), hipSuccess);
        const std::uint32_t one = 1;
        hipStream_t third = nullptr;
        EXPECT_EQ(hipStreamCreateWithFlags(&third, hipStreamNonBlocking), hipSuccess);
        EXPECT_EQ(hipMemcpyAsync(flag, &one, 4, hipMemcpyHostToDevice, third), hipSuccess);
        EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
        EXPECT_EQ(host_copy(counter, 1)[0], 4U);
      },
      config);
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipError, TheLastErrorStaysUntilItIsTaken) {
  run_one([] {
    EXPECT_EQ(hipGetLastError(), hipSuccess);
    EXPECT_EQ(hipSetDevice(7), hipErrorInvalidDevice);
    EXPECT_EQ(hipSetDevice(0), hipSuccess);  // a success does not wipe it out
    EXPECT_EQ(hipPeekAtLastError(), hipErrorInvalidDevice);
    EXPECT_EQ(hipMalloc(static_cast<void**>(nullptr), 4), hipErrorInvalidValue);
    EXPECT_EQ(hipPeekAtLastError(), hipErrorInvalidValue);
    EXPECT_EQ(hipGetLastError(), hipErrorInvalidValue);
    EXPECT_EQ(hipGetLastError(), hipSuccess);
  });
}

TEST(HipError, BelongsToOneRank) {
  run_ranks(2, [](int rank) {
    if (rank == 0) EXPECT_EQ(hipSetDevice(7), hipErrorInvalidDevice);
    host_barrier();
    EXPECT_EQ(hipGetLastError(), rank == 0 ? hipErrorInvalidDevice : hipSuccess);
  });
}

TEST(HipError, AFailedKernelIsForEver) {
  Config config;
  const Result r = run(config, [](int) {
    auto* const a = zeroed_array<std::uint32_t>(4);
    launch_write_at(a, 4);
    EXPECT_EQ(hipDeviceSynchronize(), hipErrorLaunchFailure);
    EXPECT_EQ(hipGetLastError(), hipErrorLaunchFailure);
    EXPECT_EQ(hipGetLastError(), hipErrorLaunchFailure);
    EXPECT_EQ(hipFree(a), hipErrorLaunchFailure);
    hipEvent_t event = nullptr;
    EXPECT_EQ(hipEventCreate(&event), hipErrorLaunchFailure);
    void* pointer = nullptr;
    EXPECT_EQ(hipHostMalloc(&pointer, 4), hipErrorLaunchFailure);
  });
  EXPECT_THAT(kinds_of(r), ElementsAre(ReportKind::out_of_bounds));  // and no leak of a stopped run
}

TEST(HipError, EveryCodeHasItsNameAndText) {
  EXPECT_STREQ(hipGetErrorName(hipErrorCooperativeLaunchTooLarge),
               "hipErrorCooperativeLaunchTooLarge");
  EXPECT_STREQ(hipGetErrorString(hipErrorInvalidValue), "invalid argument");
  std::set<std::string> names;
  for (const hipError_t code : {hipSuccess,
                                hipErrorInvalidValue,
                                hipErrorOutOfMemory,
                                hipErrorNotInitialized,
                                hipErrorInvalidConfiguration,
                                hipErrorInvalidSymbol,
                                hipErrorInvalidDevicePointer,
                                hipErrorInvalidDevice,
                                hipErrorInvalidContext,
                                hipErrorMapFailed,
                                hipErrorInvalidHandle,
                                hipErrorNotReady,
                                hipErrorPeerAccessAlreadyEnabled,
                                hipErrorPeerAccessNotEnabled,
                                hipErrorContextIsDestroyed,
                                hipErrorHostMemoryAlreadyRegistered,
                                hipErrorHostMemoryNotRegistered,
                                hipErrorLaunchFailure,
                                hipErrorCooperativeLaunchTooLarge,
                                hipErrorNotSupported}) {
    EXPECT_TRUE(names.insert(hipGetErrorName(code)).second) << code;
    EXPECT_STRNE(hipGetErrorString(code), "unknown error") << code;
  }
  EXPECT_STREQ(hipGetErrorName(hipError_t(12345)), "hipErrorUnknown");
}

TEST(HipFill, PatternsOfOneTwoAndFourBytes) {
  run_one([] {
    auto* const a = zeroed_array<std::uint32_t>(4);
    EXPECT_EQ(hipMemsetD32(a, 0x12345678, 3), hipSuccess);
    EXPECT_EQ(hipMemsetD16(a + 1, 0xabcd, 1), hipSuccess);
    EXPECT_EQ(hipMemsetD8(a + 2, 0xee, 1), hipSuccess);
    EXPECT_EQ(host_copy(a, 4), (std::vector<std::uint32_t>{0x12345678, 0x1234abcd, 0x123456ee, 0}));
    EXPECT_EQ(hipMemsetD32(reinterpret_cast<char*>(a) + 2, 1, 1), hipErrorInvalidValue);
    EXPECT_EQ(hipMemsetD32Async(a, 9, 4, nullptr), hipSuccess);
    EXPECT_EQ(host_copy(a, 4)[3], 9U);
  });
}

TEST(HipPeerCopy, NamesItsDevices) {
  run_ranks(2, [](int rank) {
    if (rank != 0) return;
    auto* const a = device_array<std::uint32_t>(4, {1, 2, 3, 4});
    EXPECT_EQ(hipSetDevice(1), hipSuccess);
    auto* const b = device_array<std::uint32_t>(4);
    EXPECT_EQ(hipMemcpyPeer(b, 1, a, 0, 16), hipSuccess);
    EXPECT_THAT(host_copy(b, 4), ElementsAre(1U, 2U, 3U, 4U));
    EXPECT_EQ(hipMemcpyPeer(b, 2, a, 0, 16), hipErrorInvalidDevice);
    EXPECT_EQ(hipMemcpyPeerAsync(b, 1, a, 0, 16, nullptr), hipSuccess);
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  });
}

TEST(HipSymbol, CopiesReachWhatKernelsRead) {
  run_one([] {
    const std::uint32_t values[4] = {4, 3, 2, 1};
    EXPECT_EQ(write_symbol(values, 16, 0), hipSuccess);
    EXPECT_EQ(write_symbol(values, 4, 12), hipSuccess);
    auto* const sink = zeroed_array<std::uint32_t>(4);
    launch_read_symbol(sink);
    EXPECT_THAT(host_copy(sink, 4), ElementsAre(4U, 3U, 2U, 4U));
    std::uint32_t read[2] = {};
    EXPECT_EQ(read_symbol(read, 8, 4), hipSuccess);
    EXPECT_THAT(read, ElementsAre(3U, 2U));
    EXPECT_EQ(write_symbol(values, 16, 4), hipErrorInvalidValue);
  });
}

TEST(HipStream, TellsItsFlagsPriorityAndDevice) {
  run_ranks(2, [](int rank) {
    hipStream_t stream = nullptr;
    int least = 0;
    int greatest = 0;
    EXPECT_EQ(hipDeviceGetStreamPriorityRange(&least, &greatest), hipSuccess);
    EXPECT_LT(greatest, least);
    ASSERT_EQ(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, -100), hipSuccess);
    unsigned flags = 9;
    EXPECT_EQ(hipStreamGetFlags(stream, &flags), hipSuccess);
    EXPECT_EQ(flags, hipStreamNonBlocking);
    EXPECT_EQ(hipStreamGetFlags(nullptr, &flags), hipSuccess);
    EXPECT_EQ(flags, hipStreamDefault);
    int value = 9;
    EXPECT_EQ(hipStreamGetPriority(stream, &value), hipSuccess);
    EXPECT_EQ(value, greatest);
    EXPECT_EQ(hipStreamGetDevice(stream, &value), hipSuccess);
    EXPECT_EQ(value, rank);
    hipStreamCaptureStatus capturing = hipStreamCaptureStatusInvalidated;
    EXPECT_EQ(hipStreamIsCapturing(stream, &capturing), hipSuccess);
    EXPECT_EQ(capturing, hipStreamCaptureStatusNone);
    EXPECT_EQ(hipStreamIsCapturing(stream, nullptr), hipErrorInvalidValue);
    EXPECT_EQ(hipStreamCreateWithFlags(&stream, 2), hipErrorInvalidValue);
    EXPECT_EQ(hipStreamDestroy(nullptr), hipErrorInvalidHandle);
  });
}

TEST(HipStream, ADestroyedStreamTakesNoWork) {
  const Result r = run_one([] {
    hipStream_t stream = nullptr;
    ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
    auto* const a = zeroed_array<std::uint32_t>(4);
    EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
    launch_add(a, 1, a, 4, stream);
    EXPECT_EQ(hipGetLastError(), hipErrorContextIsDestroyed);
    EXPECT_EQ(hipMemsetAsync(a, 0, 16, stream), hipErrorContextIsDestroyed);
    EXPECT_EQ(hipStreamSynchronize(stream), hipErrorInvalidHandle);
    EXPECT_EQ(hipStreamDestroy(stream), hipErrorInvalidHandle);
  });
  ASSERT_EQ(r.reports.size(), 4U);
  EXPECT_THAT(r.reports[0].message, HasSubstr("a kernel launch on a stream that does not exist"));
}

TEST(HipStream, DestroyingOneThatHasWorkIsAnApiError) {
  const Result r = run_one([] {
    hipStream_t stream = nullptr;
    ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
    auto* const a = zeroed_array<std::uint32_t>(4);
    launch_add(a, 1, a, 4, stream);
    EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
    EXPECT_EQ(host_copy(a, 1)[0], 1U);
  });
  EXPECT_THAT(kinds_of(r), ElementsAre(ReportKind::api_error));
  EXPECT_THAT(r.reports[0].message, HasSubstr("a stream with 1 operations that have not ended"));
}

TEST(HipUnsupported, EveryNameIsReportedByItself) {
  int count = 0;
  const UnsupportedCall* const calls = unsupported_calls(&count);
  ASSERT_GT(count, 60);
  std::set<std::string> names;
  for (int i = 0; i < count; ++i) {
    EXPECT_TRUE(names.insert(calls[i].name).second) << calls[i].name;
    const Result r = run_one([&] { EXPECT_EQ(calls[i].call(), hipErrorNotSupported); });
    ASSERT_EQ(r.reports.size(), 1U) << calls[i].name;
    EXPECT_EQ(r.reports[0].kind, ReportKind::api_error);
    EXPECT_EQ(r.reports[0].message, std::string(calls[i].name) +
                                        " is not in the subset of HIP that the simulator provides");
  }
}

}  // namespace
}  // namespace rankle::sim::testing
