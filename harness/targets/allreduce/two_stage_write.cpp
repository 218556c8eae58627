// Target allreduce/two_stage_write. Its mutants are this file again, compiled against a patched
// copy of kernels/.
#include "kernels/allreduce/two_stage_write.h"

#include "harness/target.h"
#include "harness/targets/allreduce/write_target.h"

namespace rankle {
namespace {

Contract contract_of_write() {
  Contract contract = allreduce::contract_of(
      "two_stage_write",
      "Two-stage all-reduce in write mode; ranks push parts and sums, large sums straight into the "
      "peers' outputs.");
  const std::int64_t tiles = std::int64_t{kernels::kThreadsMax} * kernels::kPackBytes;
  contract.thresholds_bytes = {tiles, kernels::kBroadcastBytesMin, tiles * kernels::kBlocksMax};
  contract.same_bits_as = "allreduce/two_stage_uniform";
  return contract;
}

const Contract kContract = contract_of_write();

hipError_t launch(const Call& call, Launched& launched) {
  return write_mode::launch(call, kContract, launched);
}

const Target kTarget{&kContract, write_mode::scratch_bytes, launch, &kCommunicatorCalls,
                     kernels::launch_delay};

}  // namespace
}  // namespace rankle

RANKLE_REGISTER_TARGET(rankle::kTarget)
