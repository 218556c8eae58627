// Workspace and launch of the one-stage targets. The launches are templates on the contract's type
// only so that a target which does not call one does not compile its kernels.
#pragma once

#include <hip/hip_runtime.h>

#include "harness/targets/allreduce/family.h"
#include "kernels/allreduce/one_stage.h"
#include "kernels/allreduce/one_stage_naive.h"

namespace rankle::one_stage {

inline WorkspaceSize workspace(int /*world*/, std::int64_t /*bytes*/) {
  return {sizeof(kernels::Signals), 0};
}

template <typename AnyContract>
hipError_t launch(const Call& call, const AnyContract& contract, Launched& launched) {
  const auto plan = kernels::plan_one_stage(allreduce::bytes_of(call), call.world, call.threads,
                                            allreduce::alignment_of(call), call.blocks);
  return allreduce::run(call, contract, "one_stage", plan, launched,
                        [&]<typename T, typename Sum, int kWorld>(const kernels::Grid& grid) {
                          const kernels::OneStageArgs<kWorld> args{
                              allreduce::per_rank<uint4, kWorld>(call.peer_inputs),
                              allreduce::per_rank<kernels::Signals, kWorld>(call.peer_signals),
                              static_cast<uint4*>(call.output), call.rank,
                              allreduce::bytes_of(call) / kernels::kPackBytes};
                          return kernels::launch_one_stage<T, Sum>(args, grid, call.stream);
                        });
}

template <typename AnyContract>
hipError_t launch_naive(const Call& call, const AnyContract& contract, Launched& launched) {
  const auto plan = kernels::plan_one_stage_naive(
      allreduce::bytes_of(call), element_bytes(call.dtype), call.world, call.threads,
      allreduce::alignment_of(call), call.blocks);
  const bool in_packs = plan && plan->in_packs;
  return allreduce::run(
      call, contract, in_packs ? "one_stage_naive<packs>" : "one_stage_naive<elements>", plan,
      launched, [&]<typename T, typename Sum, int kWorld>(const kernels::NaivePlan& planned) {
        const kernels::OneStageNaiveArgs<T, kWorld> args{
            allreduce::per_rank<T, kWorld>(call.peer_inputs),
            allreduce::per_rank<kernels::Signals, kWorld>(call.peer_signals),
            static_cast<T*>(call.output),
            call.rank,
            call.count,
            0};
        return kernels::launch_one_stage_naive<T, Sum>(args, planned, call.stream);
      });
}

}  // namespace rankle::one_stage
