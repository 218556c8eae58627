// The way from a Call to a kernel's arguments, with a recorder in the place of the kernel.
#include "harness/targets/allreduce/two_stage_target.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

namespace rankle::two_stage {
namespace {

struct Recorded {
  int world = 0;
  bool is_bf16 = false;
  std::int64_t packs = 0;
  const void* last_input = nullptr;
  kernels::TwoStagePlan plan;
};

const Contract kContract = contract_of("two_stage_tail", "A summary.", "two_stage_uniform");

Call call_of(std::int64_t count) {
  Call call;
  call.world = 4;
  call.dtype = DType::bf16;
  call.threads = 512;
  call.count = count;
  call.output = reinterpret_cast<void*>(0x10000);
  for (int rank = 0; rank < call.world; ++rank) {
    call.peer_inputs[rank] = reinterpret_cast<void*>(0x20000 + 0x1000 * std::uintptr_t(rank));
  }
  return call;
}

// The result of a run, and what reached the kernel.
struct Outcome {
  hipError_t error = hipSuccess;
  Launched launched;
  std::optional<Recorded> recorded;
};

Outcome run_recorded(const Call& call, bool tail_variants = true) {
  Outcome outcome;
  outcome.error =
      run(call, kContract, "two_stage_tail", tail_variants, outcome.launched,
          [&]<typename T, typename Sum, int kWorld>(const kernels::TwoStageArgs<kWorld>& args,
                                                    const kernels::TwoStagePlan& plan) {
            outcome.recorded = Recorded{kWorld, std::is_same_v<T, kernels::bf16>, args.packs,
                                        args.inputs.at[kWorld - 1], plan};
            return hipSuccess;
          });
  return outcome;
}

TEST(TwoStageTarget, HandsTheCallToTheKernelOfItsTypeAndWorld) {
  const Outcome outcome = run_recorded(call_of(4096));
  ASSERT_EQ(outcome.error, hipSuccess);
  ASSERT_TRUE(outcome.recorded.has_value());
  EXPECT_EQ(outcome.recorded->world, 4);
  EXPECT_TRUE(outcome.recorded->is_bf16);
  EXPECT_EQ(outcome.recorded->packs, 512);
  EXPECT_EQ(outcome.recorded->last_input, reinterpret_cast<void*>(0x23000));
  EXPECT_EQ(outcome.launched.variant, "two_stage_tail<has_tail=false>");
  EXPECT_EQ(outcome.launched.blocks, 1);
  EXPECT_EQ(outcome.launched.threads, 512);
}

TEST(TwoStageTarget, SumsInTheElementTypeIfAskedTo) {
  const auto sum_is_bf16 = [](Accum accum) {
    Call call = call_of(4096);
    call.accum = accum;
    std::optional<bool> is_bf16;
    Launched launched;
    const auto record = [&]<typename T, typename Sum, int kWorld>(const auto&, const auto&) {
      is_bf16 = std::is_same_v<Sum, kernels::bf16>;
      return hipSuccess;
    };
    EXPECT_EQ(run(call, kContract, "two_stage_tail", true, launched, record), hipSuccess);
    return is_bf16;
  };
  EXPECT_EQ(sum_is_bf16(Accum::native), true);
  EXPECT_EQ(sum_is_bf16(Accum::fp32), false);
}

TEST(TwoStageTarget, NamesTheVariantThatRuns) {
  EXPECT_EQ(run_recorded(call_of(4104)).launched.variant, "two_stage_tail<has_tail=true>");
  EXPECT_EQ(run_recorded(call_of(4104), false).launched.variant, "two_stage_tail");
}

TEST(TwoStageTarget, LaunchesNothingForAnEmptyMessage) {
  const Outcome outcome = run_recorded(call_of(0));
  EXPECT_EQ(outcome.error, hipSuccess);
  EXPECT_FALSE(outcome.recorded.has_value());
  EXPECT_EQ(outcome.launched.variant, "two_stage_tail<empty>");
  EXPECT_EQ(outcome.launched.blocks, 0);
}

void expect_refused(const Call& call) {
  const Outcome outcome = run_recorded(call);
  EXPECT_EQ(outcome.error, hipErrorInvalidValue);
  EXPECT_FALSE(outcome.recorded.has_value());
}

TEST(TwoStageTarget, RefusesWhatItsContractForbids) {
  const auto with = [](auto change) {
    Call call = call_of(4096);
    change(call);
    return call;
  };
  expect_refused(call_of(4095));
  expect_refused(call_of(-8));
  expect_refused(call_of(allreduce::kBytesMax / 2 + 8));
  expect_refused(with([](Call& c) { c.world = 9; }));
  expect_refused(with([](Call& c) { c.world = 1; }));
  expect_refused(with([](Call& c) { c.threads = 63; }));
  expect_refused(with([](Call& c) { c.threads = 513; }));
  expect_refused(with([](Call& c) { c.blocks = 81; }));
  expect_refused(with([](Call& c) { c.dtype = DType::fp64, c.accum = Accum::fp32; }));
  expect_refused(with([](Call& c) { c.dtype = DType::int32, c.accum = Accum::fp32; }));
  expect_refused(with([](Call& c) { c.count = 0, c.world = 9; }));
  expect_refused(with([](Call& c) { c.output = reinterpret_cast<void*>(0x10008); }));
  expect_refused(with([](Call& c) { c.peer_outputs[2] = reinterpret_cast<void*>(0x30004); }));
  expect_refused(with([](Call& c) { c.peer_inputs[3] = reinterpret_cast<void*>(0x20002); }));
}

TEST(TwoStageTarget, AsksForScratchOfTheLargestPart) {
  const WorkspaceSize size = workspace(4, 23 * kernels::kPackBytes);
  EXPECT_EQ(size.scratch_bytes, 8u * 16);
  EXPECT_EQ(size.signal_bytes, sizeof(kernels::Signals));
  EXPECT_EQ(workspace(4, 0).scratch_bytes, 0u);
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
