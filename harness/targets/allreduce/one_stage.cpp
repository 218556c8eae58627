// Target allreduce/one_stage. Its mutants are this file again, compiled against a patched copy of
// kernels/.
#include "kernels/allreduce/one_stage.h"

#include "harness/target.h"
#include "harness/targets/allreduce/one_stage_target.h"

namespace rankle {
namespace {

Contract contract_of_one_stage() {
  Contract contract = allreduce::contract_of(
      "one_stage",
      "One-stage all-reduce; every rank sums all of every rank through a double-buffered tile.");
  contract.in_place = false;
  // At 512 threads, for 2 and 8 ranks: the size from which blocks take a second tile.
  const std::int64_t packs = std::int64_t{kernels::kThreadsMax} * kernels::kBlocksMax;
  contract.thresholds_bytes = {packs / 8 * kernels::kPackBytes, packs / 2 * kernels::kPackBytes};
  contract.same_bits_as = "allreduce/one_stage_naive";
  return contract;
}

const Contract kContract = contract_of_one_stage();

hipError_t launch(const Call& call, Launched& launched) {
  return one_stage::launch(call, kContract, launched);
}

const Target kTarget{&kContract, one_stage::scratch_bytes, launch, &kCommunicatorCalls,
                     kernels::launch_delay};

}  // namespace
}  // namespace rankle

RANKLE_REGISTER_TARGET(rankle::kTarget)
