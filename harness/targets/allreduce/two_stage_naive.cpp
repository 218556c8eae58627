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
  return two_stage::launch_naive(call, kContract, launched);
}

const Target kTarget{&kContract, two_stage::scratch_bytes, launch, &kCommunicatorCalls,
                     kernels::launch_delay};

}  // namespace
}  // namespace rankle

RANKLE_REGISTER_TARGET(rankle::kTarget)
