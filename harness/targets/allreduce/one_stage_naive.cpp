// Target allreduce/one_stage_naive. Its mutants are this file again, compiled against a patched
// copy of kernels/.
#include "kernels/allreduce/one_stage_naive.h"

#include "harness/target.h"
#include "harness/targets/allreduce/one_stage_target.h"

namespace rankle {
namespace {

Contract contract_of_one_stage_naive() {
  Contract contract = allreduce::contract_of(
      "one_stage_naive",
      "One-stage all-reduce; every thread sums its pack or element of every rank; any count at any "
      "address.");
  contract.in_place = false;
  contract.count_multiple_bytes = 1;
  contract.alignment_bytes = 1;
  // At 512 threads: the size from which threads take a second pack.
  contract.thresholds_bytes = {std::int64_t{kernels::kThreadsMax} * kernels::kBlocksMax *
                               kernels::kPackBytes};
  return contract;
}

const Contract kContract = contract_of_one_stage_naive();

hipError_t launch(const Call& call, Launched& launched) {
  return one_stage::launch_naive(call, kContract, launched);
}

const Target kTarget{&kContract, one_stage::scratch_bytes, launch, &kCommunicatorCalls,
                     kernels::launch_delay};

}  // namespace
}  // namespace rankle

RANKLE_REGISTER_TARGET(rankle::kTarget)
