// What the two-stage targets in read mode have in common: contract, scratch, and the kernels'
// arguments.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>
#include <string>

#include "harness/targets/allreduce/family.h"
#include "kernels/allreduce/two_stage.h"
#include "kernels/allreduce/two_stage_naive.h"
#include "kernels/allreduce/two_stage_tail.h"

namespace rankle::two_stage {

// `algorithm` and `reference` are names such as "two_stage_tail"; no mutant suffix.
inline Contract contract_of(const std::string& algorithm, const std::string& summary,
                            const std::string& reference) {
  Contract contract = allreduce::contract_of(algorithm, summary);
  // At 512 threads: one tile in every part, and the size from which blocks take a second one.
  const std::int64_t tiles = kernels::kThreadsMax * kernels::kPackBytes;
  contract.thresholds_bytes = {tiles, tiles * kernels::kBlocksMax};
  contract.same_bits_as = "allreduce/" + reference;
  return contract;
}

inline std::int64_t scratch_bytes(int world, std::int64_t bytes) {
  return kernels::scratch_bytes(kernels::Algorithm::two_stage_tail, bytes, world);
}

template <int kWorld>
kernels::TwoStageArgs<kWorld> args_of(const Call& call, const kernels::CallBuffers& buffers) {
  return {{buffers.inputs},
          call.communicator->signals<kWorld>(),
          call.communicator->scratch<uint4, kWorld>(),
          static_cast<uint4*>(buffers.output),
          call.rank,
          allreduce::bytes_of(call) / kernels::kPackBytes};
}

// Plans `call`, fills `launched` and runs `launch.operator()<T, Sum, world>(args, plan)`.
// `tail_variants` says whether the algorithm has a kernel of its own for messages without a tail.
template <typename Launch>
hipError_t run(const Call& call, const Contract& contract, kernels::Algorithm algorithm,
               bool tail_variants, Launched& launched, Launch launch) {
  const allreduce::Course course = allreduce::course_of(call, algorithm);
  const auto plan = kernels::plan_two_stage(allreduce::bytes_of(call), call.world, call.threads,
                                            course.route.alignment, call.blocks);
  std::string variant(name_of(algorithm));
  if (plan && plan->blocks == 0) {
    variant += "<empty>";
  } else if (plan && tail_variants) {
    variant += plan->has_tail ? "<has_tail=true>" : "<has_tail=false>";
  }
  return allreduce::run(
      call, contract, course, variant, plan, launched,
      [&]<typename T, typename Sum, int kWorld>(const kernels::CallBuffers& buffers,
                                                const kernels::TwoStagePlan& planned) {
        return launch.template operator()<T, Sum, kWorld>(args_of<kWorld>(call, buffers), planned);
      });
}

// Templates on the contract's type only so that a target which does not call one does not compile
// its kernels.
template <typename AnyContract>
hipError_t launch_tail(const Call& call, const AnyContract& contract, Launched& launched) {
  return run(call, contract, kernels::Algorithm::two_stage_tail, true, launched,
             [&]<typename T, typename Sum, int kWorld>(const kernels::TwoStageArgs<kWorld>& args,
                                                       const kernels::TwoStagePlan& plan) {
               return kernels::launch_two_stage_tail<T, Sum>(args, plan, call.stream);
             });
}

template <typename AnyContract>
hipError_t launch_naive(const Call& call, const AnyContract& contract, Launched& launched) {
  const allreduce::Course course = allreduce::course_of(call, kernels::Algorithm::two_stage_naive);
  const auto plan = kernels::plan_two_stage_naive(
      allreduce::bytes_of(call), call.world, call.threads, course.route.alignment, call.blocks);
  return allreduce::run(call, contract, course, "two_stage_naive", plan, launched,
                        [&]<typename T, typename Sum, int kWorld>(
                            const kernels::CallBuffers& buffers, const kernels::Grid& grid) {
                          return kernels::launch_two_stage_naive<T, Sum>(
                              args_of<kWorld>(call, buffers), grid, call.stream);
                        });
}

}  // namespace rankle::two_stage
