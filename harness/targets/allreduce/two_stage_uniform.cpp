// Target allreduce/two_stage_uniform. Its mutants are this file again, compiled against a patched
// copy of kernels/.
#include "kernels/allreduce/two_stage_uniform.h"

#include "harness/target.h"
#include "harness/targets/allreduce/two_stage_target.h"

namespace rankle {
namespace {

const Contract kContract =
    two_stage::contract_of("two_stage_uniform",
                           "Two-stage all-reduce; the shared-memory loop has a uniform trip count "
                           "and masks the partial tile.",
                           "two_stage_tail");

hipError_t launch(const Call& call, Launched& launched) {
  return two_stage::run(
      call, kContract, kernels::Algorithm::two_stage_uniform, false, launched,
      [&]<typename T, typename Sum, int kWorld>(const kernels::TwoStageArgs<kWorld>& args,
                                                const kernels::TwoStagePlan& plan) {
        return kernels::launch_two_stage_uniform<T, Sum>(args, plan, call.stream);
      });
}

const Target kTarget{&kContract, two_stage::scratch_bytes, launch, &kCommunicatorCalls,
                     kernels::launch_delay};

}  // namespace
}  // namespace rankle

RANKLE_REGISTER_TARGET(rankle::kTarget)
