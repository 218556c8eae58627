// The way from a Call to a kernel's arguments, with a recorder in the place of the kernel. Four
// ranks have registered their buffers; rank 0 speaks.
#include "harness/targets/allreduce/two_stage_target.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "tests/kernels/ranks_on_sim.h"

namespace rankle::two_stage {
namespace {

constexpr int kWorld = 4;
constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

struct Recorded {
  int world = 0;
  bool is_bf16 = false;
  std::int64_t packs = 0;
  const void* own_input = nullptr;
  const void* output = nullptr;
  kernels::TwoStagePlan plan;
};

const Contract kContract = contract_of("two_stage_tail", "A summary.", "two_stage_uniform");

// The result of a run, and what reached the kernel.
struct Outcome {
  hipError_t error = hipSuccess;
  Launched launched;
  std::optional<Recorded> recorded;
};

Outcome run_recorded(const Call& call, bool tail_variants = true) {
  Outcome outcome;
  outcome.error =
      run(call, kContract, kernels::Algorithm::two_stage_tail, tail_variants, outcome.launched,
          [&]<typename T, typename Sum, int kRanks>(const kernels::TwoStageArgs<kRanks>& args,
                                                    const kernels::TwoStagePlan& plan) {
            kernels::PeerPointers inputs{};
            EXPECT_EQ(hipMemcpy(&inputs, args.inputs.entry, sizeof inputs, hipMemcpyDeviceToHost),
                      hipSuccess);
            outcome.recorded = Recorded{kRanks,      std::is_same_v<T, kernels::bf16>,
                                        args.packs,  inputs.at[args.rank],
                                        args.output, plan};
            return hipSuccess;
          });
  return outcome;
}

// Offsets of every rank's input and output from a boundary, in bytes.
struct Offsets {
  std::array<std::int64_t, kWorld> input{};
  std::array<std::int64_t, kWorld> output{};
};

// Runs `body` on rank 0 with a call of 4096 bf16 elements on registered buffers.
void with_call(const std::function<void(const Call&)>& body, const Offsets& offsets = {},
               std::int64_t scratch = kBufferBytes) {
  const sim::Result result = on_ranks(kWorld, [&](kernels::RankGroup& group) {
    const auto rank = static_cast<std::size_t>(group.rank());
    std::unique_ptr<kernels::Communicator> communicator;
    ASSERT_EQ(kernels::Communicator::create(group, {.scratch_bytes = scratch}, communicator),
              hipSuccess);
    std::byte* memory = nullptr;
    ASSERT_EQ(hipMalloc(&memory, 2 * kBufferBytes + 1024), hipSuccess);
    Call call;
    call.rank = group.rank();
    call.world = kWorld;
    call.dtype = DType::bf16;
    call.threads = 512;
    call.count = 4096;
    call.input = memory + offsets.input[rank];
    call.output = memory + kBufferBytes + 512 + offsets.output[rank];
    call.communicator = communicator.get();
    const std::array<kernels::BufferRange, 2> own{
        {{memory + offsets.input[rank], kBufferBytes}, {call.output, kBufferBytes}}};
    ASSERT_EQ(communicator->register_buffers(own), hipSuccess);
    if (group.rank() == 0) body(call);
    EXPECT_EQ(communicator->destroy(), hipSuccess);
    EXPECT_EQ(hipFree(memory), hipSuccess);
  });
  for (const sim::Report& report : result.reports) ADD_FAILURE() << report.message;
}

Call with_count(Call call, std::int64_t count) {
  call.count = count;
  return call;
}

TEST(TwoStageTarget, HandsTheCallToTheKernelOfItsTypeAndWorld) {
  with_call([](const Call& call) {
    const Outcome outcome = run_recorded(call);
    ASSERT_EQ(outcome.error, hipSuccess);
    ASSERT_TRUE(outcome.recorded.has_value());
    EXPECT_EQ(outcome.recorded->world, 4);
    EXPECT_TRUE(outcome.recorded->is_bf16);
    EXPECT_EQ(outcome.recorded->packs, 512);
    EXPECT_EQ(outcome.recorded->own_input, call.input);
    EXPECT_EQ(outcome.recorded->output, call.output);
    EXPECT_EQ(outcome.launched.variant, "two_stage_tail<has_tail=false>");
    EXPECT_EQ(outcome.launched.blocks, 1);
    EXPECT_EQ(outcome.launched.threads, 512);
    EXPECT_EQ(outcome.launched.path, "registered");
  });
}

TEST(TwoStageTarget, SumsInTheElementTypeIfAskedTo) {
  const auto sum_is_bf16 = [](Call call, Accum accum) {
    call.accum = accum;
    std::optional<bool> is_bf16;
    Launched launched;
    const auto record = [&]<typename T, typename Sum, int kRanks>(const auto&, const auto&) {
      is_bf16 = std::is_same_v<Sum, kernels::bf16>;
      return hipSuccess;
    };
    EXPECT_EQ(run(call, kContract, kernels::Algorithm::two_stage_tail, true, launched, record),
              hipSuccess);
    return is_bf16;
  };
  with_call([&](const Call& call) {
    EXPECT_EQ(sum_is_bf16(call, Accum::native), true);
    EXPECT_EQ(sum_is_bf16(call, Accum::fp32), false);
  });
}

TEST(TwoStageTarget, NamesTheVariantThatRuns) {
  with_call([](const Call& call) {
    const Call with_tail = with_count(call, 4104);
    EXPECT_EQ(run_recorded(with_tail).launched.variant, "two_stage_tail<has_tail=true>");
    EXPECT_EQ(run_recorded(with_tail, false).launched.variant, "two_stage_tail");
  });
}

TEST(TwoStageTarget, LaunchesNothingForAnEmptyMessage) {
  with_call([](const Call& call) {
    const Outcome outcome = run_recorded(with_count(call, 0));
    EXPECT_EQ(outcome.error, hipSuccess);
    EXPECT_FALSE(outcome.recorded.has_value());
    EXPECT_EQ(outcome.launched.variant, "two_stage_tail<empty>");
    EXPECT_EQ(outcome.launched.blocks, 0);
  });
}

void expect_refused(const Call& call) {
  const Outcome outcome = run_recorded(call);
  EXPECT_EQ(outcome.error, hipErrorInvalidValue);
  EXPECT_FALSE(outcome.recorded.has_value());
}

TEST(TwoStageTarget, RefusesWhatItsContractForbids) {
  with_call([](const Call& call) {
    const auto with = [&](auto change) {
      Call changed = call;
      change(changed);
      return changed;
    };
    expect_refused(with_count(call, 4095));
    expect_refused(with_count(call, -8));
    expect_refused(with_count(call, allreduce::kBytesMax / 2 + 8));
    expect_refused(with([](Call& c) { c.world = 9; }));
    expect_refused(with([](Call& c) { c.world = 2; }));  // not the communicator's
    expect_refused(with([](Call& c) { c.threads = 63; }));
    expect_refused(with([](Call& c) { c.threads = 513; }));
    expect_refused(with([](Call& c) { c.blocks = 81; }));
    expect_refused(with([](Call& c) { c.dtype = DType::fp64, c.accum = Accum::fp32; }));
    expect_refused(with([](Call& c) { c.dtype = DType::int32, c.accum = Accum::fp32; }));
    expect_refused(with([](Call& c) { c.count = 0, c.world = 9; }));
  });
}

TEST(TwoStageTarget, RefusesRegisteredBuffersThatAreNotAtPacksOnAnyRank) {
  with_call(expect_refused, {.input = {0, 0, 0, 2}});
  with_call(expect_refused, {.output = {8, 0, 0, 0}});
  with_call(expect_refused, {.output = {0, 0, 4, 0}});
  with_call([](const Call& call) { EXPECT_EQ(run_recorded(call).error, hipSuccess); },
            {.input = {16, 0, 48, 0}, .output = {0, 16, 0, 32}});
}

TEST(TwoStageTarget, RefusesAMessageWhoseSumsDoNotFitTheScratch) {
  // 512 packs: 128 on each rank.
  with_call([](const Call& call) { EXPECT_EQ(run_recorded(call).error, hipSuccess); }, {},
            128 * kernels::kPackBytes);
  with_call(expect_refused, {}, 128 * kernels::kPackBytes - 1);
}

TEST(TwoStageTarget, AsksForScratchOfTheLargestPart) {
  EXPECT_EQ(scratch_bytes(4, 23 * kernels::kPackBytes), 8 * 16);
  EXPECT_EQ(scratch_bytes(4, 0), 0);
}

TEST(TwoStageTarget, StatesItsContract) {
  EXPECT_EQ(kContract.target, "allreduce/two_stage_tail");
  EXPECT_EQ(kContract.same_bits_as, "allreduce/two_stage_uniform");
  EXPECT_EQ(kContract.dtypes, (std::vector{DType::fp64, DType::fp32, DType::fp16, DType::bf16,
                                           DType::int8, DType::int32, DType::int64}));
  EXPECT_EQ(kContract.accums, (std::vector{Accum::fp32, Accum::native}));
  EXPECT_EQ(kContract.worlds, (std::vector{2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(kContract.thresholds_bytes, (std::vector<std::int64_t>{8192, 655360}));
  EXPECT_TRUE(kContract.in_place);
  EXPECT_FALSE(kContract.is_mutant());
}

}  // namespace
}  // namespace rankle::two_stage
