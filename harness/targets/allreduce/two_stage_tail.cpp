// Target allreduce/two_stage_tail. Its mutants are this file again, compiled against a patched copy
// of kernels/.
#include "kernels/allreduce/two_stage_tail.h"

#include "harness/target.h"
#include "harness/targets/allreduce/two_stage_target.h"

namespace rankle {
namespace {

const Contract kContract =
    two_stage::contract_of("two_stage_tail",
                           "Two-stage all-reduce; the shared-memory loop runs over complete tiles, "
                           "leftover packs are summed directly.",
                           "two_stage_uniform");

hipError_t launch(const Call& call, Launched& launched) {
  return two_stage::launch_tail(call, kContract, launched);
}

const Target kTarget{&kContract, two_stage::scratch_bytes, launch, &kCommunicatorCalls,
                     kernels::launch_delay};

}  // namespace
}  // namespace rankle

RANKLE_REGISTER_TARGET(rankle::kTarget)
