// Target allreduce/two_stage_naive. Its mutants are this file again, compiled against a patched
// copy of kernels/.
#include "kernels/allreduce/two_stage_naive.h"

#include "harness/target.h"
#include "harness/targets/allreduce/two_stage_target.h"

namespace rankle {
namespace {

const Contract kContract = two_stage::contract_of(
    "two_stage_naive", "Two-stage all-reduce; every thread sums and copies packs on its own.",
    "two_stage_uniform");

hipError_t launch(const Call& call, Launched& launched) {
  const auto plan =
      kernels::plan_two_stage_naive(allreduce::bytes_of(call), call.world, call.threads,
                                    allreduce::alignment_of(call), call.blocks);
  return allreduce::run(call, kContract, "two_stage_naive", plan, launched,
                        [&]<typename T, typename Sum, int kWorld>(const kernels::Grid& grid) {
                          return kernels::launch_two_stage_naive<T, Sum>(
                              two_stage::args_of<kWorld>(call), grid, call.stream);
                        });
}

const Target kTarget{&kContract, two_stage::workspace, launch};

}  // namespace
}  // namespace rankle

RANKLE_REGISTER_TARGET(rankle::kTarget)
