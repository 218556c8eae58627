// Scratch and launch of the one-stage targets. The launches are templates on the contract's type
// only so that a target which does not call one does not compile its kernels.
#pragma once

#include <hip/hip_runtime.h>

#include "harness/targets/allreduce/family.h"
#include "kernels/allreduce/one_stage.h"
#include "kernels/allreduce/one_stage_naive.h"

namespace rankle::one_stage {

inline std::int64_t scratch_bytes(int world, std::int64_t bytes) {
  return kernels::scratch_bytes(kernels::Algorithm::one_stage, bytes, world);
}

template <typename AnyContract>
hipError_t launch(const Call& call, const AnyContract& contract, Launched& launched) {
  const allreduce::Course course = allreduce::course_of(call, kernels::Algorithm::one_stage);
  const auto plan = kernels::plan_one_stage(allreduce::bytes_of(call), call.world, call.threads,
                                            course.route.alignment, call.blocks);
  return allreduce::run(call, contract, course, "one_stage", plan, launched,
                        [&]<typename T, typename Sum, int kWorld>(
                            const kernels::CallBuffers& buffers, const kernels::Grid& grid) {
                          const kernels::OneStageArgs<kWorld> args{
                              {buffers.inputs},
                              call.communicator->signals<kWorld>(),
                              static_cast<uint4*>(buffers.output),
                              call.rank,
                              allreduce::bytes_of(call) / kernels::kPackBytes};
                          return kernels::launch_one_stage<T, Sum>(args, grid, call.stream);
                        });
}

template <typename AnyContract>
hipError_t launch_naive(const Call& call, const AnyContract& contract, Launched& launched) {
  const allreduce::Course course = allreduce::course_of(call, kernels::Algorithm::one_stage_naive);
  const auto plan =
      kernels::plan_one_stage_naive(allreduce::bytes_of(call), element_bytes(call.dtype),
                                    call.world, call.threads, course.route.alignment, call.blocks);
  const bool in_packs = plan && plan->in_packs;
  return allreduce::run(
      call, contract, course, in_packs ? "one_stage_naive<packs>" : "one_stage_naive<elements>",
      plan, launched,
      [&]<typename T, typename Sum, int kWorld>(const kernels::CallBuffers& buffers,
                                                const kernels::NaivePlan& planned) {
        const kernels::OneStageNaiveArgs<T, kWorld> args{{buffers.inputs},
                                                         call.communicator->signals<kWorld>(),
                                                         static_cast<T*>(buffers.output),
                                                         call.rank,
                                                         call.count,
                                                         0};
        return kernels::launch_one_stage_naive<T, Sum>(args, planned, call.stream);
      });
}

}  // namespace rankle::one_stage
