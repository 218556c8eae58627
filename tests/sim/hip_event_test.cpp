// Events and waiting streams, against what AMD's documentation of the event calls says.
#include "tests/sim/fixture.h"
#include "tests/sim/hip_kernels.h"

namespace rankle::sim::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

hipStream_t new_stream() {
  hipStream_t stream = nullptr;
  EXPECT_EQ(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), hipSuccess);
  return stream;
}

hipEvent_t new_event(unsigned flags = hipEventDefault) {
  hipEvent_t event = nullptr;
  EXPECT_EQ(hipEventCreateWithFlags(&event, flags), hipSuccess);
  return event;
}

TEST(HipEvent, AnEventThatWasNeverRecordedIsDoneAndHasNoTime) {
  const Result r = run_one([] {
    hipEvent_t event = nullptr;
    ASSERT_EQ(hipEventCreate(&event), hipSuccess);
    EXPECT_EQ(hipEventQuery(event), hipSuccess);
    EXPECT_EQ(hipEventSynchronize(event), hipSuccess);
    EXPECT_EQ(hipStreamWaitEvent(nullptr, event, 0), hipSuccess);
    float ms = -1;
    EXPECT_EQ(hipEventElapsedTime(&ms, event, event), hipErrorInvalidHandle);
    EXPECT_EQ(hipEventDestroy(event), hipSuccess);
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipEvent, ElapsedTimeIsThatOfTheWorkBetweenInEveryRun) {
  std::vector<float> times;
  for (int run = 0; run < 2; ++run) {
    run_one([&] {
      auto* const a = zeroed_array<std::uint32_t>(64);
      auto* const big = device_array<std::uint8_t>(1 << 20);
      const hipStream_t stream = new_stream();
      const hipEvent_t begin = new_event();
      const hipEvent_t middle = new_event();
      const hipEvent_t end = new_event();
      EXPECT_EQ(hipEventRecord(begin, stream), hipSuccess);
      launch_add(a, 1, a, 64, stream);
      EXPECT_EQ(hipEventRecord(middle, stream), hipSuccess);
      hipMemsetAsync(big, 0, 1 << 20, stream);
      EXPECT_EQ(hipEventRecord(end, stream), hipSuccess);
      float ms = -1;
      EXPECT_EQ(hipEventElapsedTime(&ms, begin, end), hipErrorNotReady);
      EXPECT_EQ(hipEventSynchronize(end), hipSuccess);
      EXPECT_EQ(hipEventElapsedTime(&ms, begin, begin), hipSuccess);
      EXPECT_EQ(ms, 0.0F);
      EXPECT_EQ(hipEventElapsedTime(&ms, begin, middle), hipSuccess);
      EXPECT_GE(ms, 0.001F);  // a microsecond to start a kernel
      times.push_back(ms);
      EXPECT_EQ(hipEventElapsedTime(&ms, middle, end), hipSuccess);
      EXPECT_NEAR(ms, 0.001 + (1 << 20) / 64 / 1e6, 1e-5);
      EXPECT_EQ(hipEventElapsedTime(nullptr, begin, end), hipErrorInvalidValue);
    });
  }
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[0], times[1]);
}

TEST(HipEvent, FlagsAreChecked) {
  const Result r = run_one([] {
    hipEvent_t event = nullptr;
    EXPECT_EQ(hipEventCreateWithFlags(&event, 0x1000), hipErrorInvalidValue);
    EXPECT_EQ(hipEventCreateWithFlags(nullptr, 0), hipErrorInvalidValue);
    EXPECT_EQ(hipEventCreateWithFlags(&event, hipEventInterprocess), hipErrorInvalidValue);
    const hipEvent_t timed = new_event();
    const hipEvent_t untimed = new_event(hipEventDisableTiming);
    EXPECT_EQ(hipEventRecord(timed, nullptr), hipSuccess);
    EXPECT_EQ(hipEventRecord(untimed, nullptr), hipSuccess);
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    float ms = -1;
    EXPECT_EQ(hipEventElapsedTime(&ms, timed, untimed), hipErrorInvalidHandle);
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipEvent, AStreamWaitsForTheRecordThatWasLatestWhenItAsked) {
  for (const bool record_again : {false, true}) {
    const Result r = run_one([&] {
      const hipStream_t producer = new_stream();
      const hipStream_t consumer = new_stream();
      const hipEvent_t event = new_event();
      auto* const flag = zeroed_array<std::uint32_t>(1);
      auto* const word = zeroed_array<std::uint32_t>(1);
      auto* const copy = zeroed_array<std::uint32_t>(1);
      launch_add(word, 5, word, 1, producer);
      EXPECT_EQ(hipEventRecord(event, producer), hipSuccess);
      EXPECT_EQ(hipStreamWaitEvent(consumer, event, 0), hipSuccess);
      if (record_again) {
        // This record comes after a wait that only the consumer can end: waiting for it would hang.
        launch_wait(flag, 1, producer);
        EXPECT_EQ(hipEventRecord(event, producer), hipSuccess);
      }
      launch_add(word, 0, copy, 1, consumer);
      launch_signal(flag, 1, consumer);
      EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
      EXPECT_EQ(host_copy(copy, 1)[0], 5U);
    });
    EXPECT_EQ(texts_of(r), "");
  }
}

TEST(HipEvent, WithoutAWaitStreamsAreUnordered) {
  std::vector<std::uint32_t> seen;
  for (const bool waits : {false, true}) {
    run_one([&] {
      const hipStream_t first = new_stream();
      const hipStream_t second = new_stream();
      const hipEvent_t event = new_event();
      auto* const flag = zeroed_array<std::uint32_t>(1);
      auto* const word = zeroed_array<std::uint32_t>(1);
      auto* const copy = zeroed_array<std::uint32_t>(1);
      launch_wait(flag, 1, first);
      launch_add(word, 5, word, 1, first);
      EXPECT_EQ(hipEventRecord(event, first), hipSuccess);
      if (waits) EXPECT_EQ(hipStreamWaitEvent(second, event, 0), hipSuccess);
      launch_add(word, 0, copy, 1, second);
      launch_signal(flag, 1, new_stream());
      EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
      seen.push_back(host_copy(copy, 1)[0]);
    });
  }
  EXPECT_THAT(seen, ElementsAre(0U, 5U));
}

TEST(HipEvent, AnEventOrdersTheStreamsOfTwoDevices) {
  hipEvent_t event = nullptr;
  std::uint32_t* word = nullptr;
  const Result r = run_ranks(2, [&](int rank) {
    EXPECT_EQ(hipDeviceEnablePeerAccess(1 - rank, 0), hipSuccess);
    if (rank == 0) {
      word = zeroed_array<std::uint32_t>(1);
      launch_add(word, 7, word, 1, nullptr);
      event = new_event();
      EXPECT_EQ(hipEventRecord(event, nullptr), hipSuccess);
    }
    host_barrier();
    if (rank == 1) {
      const hipStream_t stream = new_stream();
      auto* const copy = zeroed_array<std::uint32_t>(1);
      EXPECT_EQ(hipStreamWaitEvent(stream, event, 0), hipSuccess);
      launch_add(word, 1, copy, 1, stream);
      EXPECT_EQ(hipStreamSynchronize(stream), hipSuccess);
      EXPECT_EQ(host_copy(copy, 1)[0], 8U);
      EXPECT_EQ(hipEventRecord(event, stream), hipErrorInvalidHandle);  // of another device
    }
    host_barrier();
  });
  EXPECT_EQ(texts_of(r), "");
}

TEST(HipEvent, PollingGivesTheDeviceTimeToFinish) {
  int polls = 0;
  const Result r = run_one([&] {
    const hipStream_t stream = new_stream();
    const hipEvent_t event = new_event();
    auto* const a = zeroed_array<std::uint32_t>(64);
    launch_add(a, 1, a, 64, stream);
    EXPECT_EQ(hipEventRecord(event, stream), hipSuccess);
    EXPECT_EQ(hipStreamQuery(stream), hipErrorNotReady);
    hipError_t state = hipErrorNotReady;
    for (; state == hipErrorNotReady; ++polls) state = hipEventQuery(event);
    EXPECT_EQ(state, hipSuccess);
  });
  EXPECT_EQ(texts_of(r), "");
  EXPECT_LT(polls, 10);
}

TEST(HipEvent, PollingForWhatNeverComesIsADeadlock) {
  Config config;
  config.devices = 1;
  const Result r = run(config, [](int) {
    auto* const flag = zeroed_array<std::uint32_t>(1);
    launch_wait(flag, 1, nullptr);
    hipError_t state = hipErrorNotReady;
    while (state == hipErrorNotReady) state = hipStreamQuery(nullptr);
    EXPECT_EQ(state, hipErrorLaunchFailure);
  });
  EXPECT_THAT(kinds_of(r), ElementsAre(ReportKind::deadlock));
  EXPECT_TRUE(r.stopped);
}

TEST(HipEvent, ADestroyedEventCannotBeUsed) {
  const Result r = run_one([] {
    const hipEvent_t event = new_event();
    EXPECT_EQ(hipEventDestroy(event), hipSuccess);
    EXPECT_EQ(hipEventRecord(event, nullptr), hipErrorInvalidHandle);
    EXPECT_EQ(hipEventQuery(event), hipErrorInvalidHandle);
    EXPECT_EQ(hipEventSynchronize(event), hipErrorInvalidHandle);
    EXPECT_EQ(hipStreamWaitEvent(nullptr, event, 0), hipErrorInvalidHandle);
    EXPECT_EQ(hipEventDestroy(event), hipErrorInvalidHandle);
  });
  ASSERT_EQ(r.reports.size(), 5U);
  for (const Report& report : r.reports) EXPECT_EQ(report.kind, ReportKind::api_error);
  EXPECT_THAT(r.reports[0].message, HasSubstr("hipEventRecord of an event that"));
}

TEST(HipEvent, ANullEventIsAnInvalidHandle) {
  const Result r = run_one([] {
    float ms = 0;
    EXPECT_EQ(hipEventRecord(nullptr, nullptr), hipErrorInvalidHandle);
    EXPECT_EQ(hipEventQuery(nullptr), hipErrorInvalidHandle);
    EXPECT_EQ(hipEventSynchronize(nullptr), hipErrorInvalidHandle);
    EXPECT_EQ(hipEventDestroy(nullptr), hipErrorInvalidHandle);
    EXPECT_EQ(hipEventElapsedTime(&ms, nullptr, nullptr), hipErrorInvalidHandle);
    EXPECT_EQ(hipGetLastError(), hipErrorInvalidHandle);
  });
  EXPECT_EQ(texts_of(r), "");
}

}  // namespace
}  // namespace rankle::sim::testing
