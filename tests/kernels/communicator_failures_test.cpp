// What goes wrong on one rank fails on all of them, with the same error and with nothing left
// behind: a rank that went on alone would wait for the others for ever.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "kernels/communicator/communicator.h"
#include "tests/kernels/communicator_fixture.h"

namespace rankle::testing {
namespace {

using kernels::Capacity;

constexpr std::size_t kCount = 16;

TEST(CommunicatorFailures, MemoryThatOneRankCannotExportIsRegisteredNowhere) {
  const std::string reports = run_ranks(3, {}, [](Rank& r) {
    const int before = r.communicator().mappings().open_count();
    std::int32_t* const device = r.allocate(kCount);
    std::int32_t* pinned = nullptr;
    ASSERT_EQ(hipHostMalloc(&pinned, kCount * 4), hipSuccess);
    std::int32_t* const mine = r.rank() == 1 ? pinned : device;
    EXPECT_EQ(r.share(mine, kCount), hipErrorInvalidDevicePointer);
    EXPECT_EQ(r.communicator().mappings().open_count(), before);
    EXPECT_EQ(r.communicator().route(r.request(mine, device, kCount)).path, kernels::Path::staged);
    EXPECT_EQ(hipHostFree(pinned), hipSuccess);
  });
  EXPECT_EQ(reports, "");
}

TEST(CommunicatorFailures, ARangeThatLeavesItsAllocationIsRegisteredNowhere) {
  const std::string reports = run_ranks(2, {}, [](Rank& r) {
    std::int32_t* const memory = r.allocate(kCount);
    EXPECT_EQ(r.share(memory + (r.rank() == 0 ? 1 : 0), kCount), hipErrorInvalidValue);
    EXPECT_EQ(r.share(memory + 1, kCount - 1), hipSuccess);
  });
  EXPECT_EQ(reports, "");
}

TEST(CommunicatorFailures, RanksThatComeWithDifferentNumbersOfBuffersAllFail) {
  const std::string reports = run_ranks(2, {}, [](Rank& r) {
    std::int32_t* const memory = r.allocate(2 * kCount);
    const std::array<kernels::BufferRange, 2> two{
        {{memory, kCount * 4}, {memory + kCount, kCount * 4}}};
    const std::span<const kernels::BufferRange> own(two.data(), r.rank() == 0 ? 2 : 1);
    EXPECT_EQ(r.communicator().register_buffers(own), hipErrorInvalidValue);
  });
  EXPECT_EQ(reports, "");
}

TEST(CommunicatorFailures, ABufferThatOneRankDoesNotKnowStaysRegistered) {
  const std::string reports = run_ranks(2, {}, [](Rank& r) {
    std::int32_t* const memory = r.allocate(kCount);
    ASSERT_EQ(r.share(memory, kCount), hipSuccess);
    std::int32_t* const named = r.rank() == 0 ? memory + 1 : memory;
    EXPECT_EQ(r.communicator().deregister_buffer(named), hipErrorInvalidValue);
    EXPECT_EQ(r.communicator().deregister_buffer(memory), hipSuccess);
  });
  EXPECT_EQ(reports, "");
}

TEST(CommunicatorFailures, SlotsComeBackWhenBuffersLeave) {
  constexpr Capacity kFew{.slots = 3};
  const std::string reports = run_ranks(2, kFew, [](Rank& r) {
    kernels::Communicator& communicator = r.communicator();
    std::int32_t* const memory = r.allocate(4 * kCount);
    for (int i = 0; i < 3; ++i) ASSERT_EQ(r.share(memory + i * kCount, kCount), hipSuccess);
    EXPECT_EQ(r.share(memory + 3 * kCount, kCount), hipErrorOutOfMemory);
    for (int again = 0; again < 10; ++again) {
      EXPECT_EQ(communicator.deregister_buffer(memory + kCount), hipSuccess);
      EXPECT_EQ(r.share(memory + kCount, kCount), hipSuccess);
    }
    EXPECT_EQ(communicator.deregister_buffer(memory), hipSuccess);
    EXPECT_EQ(r.share(memory + 3 * kCount, kCount), hipSuccess);
  });
  EXPECT_EQ(reports, "");
}

TEST(CommunicatorFailures, CapacitiesThatDifferAreRefusedByAllRanks) {
  const sim::Result result = on_ranks(3, [](kernels::RankGroup& group) {
    const Capacity capacity{.scratch_bytes = group.rank() == 2 ? 32 : 64};
    std::unique_ptr<kernels::Communicator> communicator;
    EXPECT_EQ(kernels::Communicator::create(group, capacity, communicator), hipErrorInvalidValue);
    EXPECT_EQ(communicator, nullptr);
  });
  EXPECT_TRUE(result.reports.empty());
}

TEST(CommunicatorFailures, MemoryThatIsNotThereFailsTheCreationWithoutALeak) {
  const sim::Result result = on_ranks(2, [](kernels::RankGroup& group) {
    const Capacity capacity{.scratch_bytes = std::int64_t{1} << 40};
    std::unique_ptr<kernels::Communicator> communicator;
    EXPECT_EQ(kernels::Communicator::create(group, capacity, communicator), hipErrorOutOfMemory);
  });
  EXPECT_TRUE(result.reports.empty());
}

}  // namespace
}  // namespace rankle::testing
