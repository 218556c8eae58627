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
  const auto plan = kernels::plan_two_stage_write(
      allreduce::bytes_of(call), call.world, call.threads, allreduce::alignment_of(call),
      call.blocks, allreduce::outputs_are_registered(call));
  const bool broadcast = plan && plan->broadcast;
  return allreduce::run(
      call, kContract, broadcast ? "two_stage_write<broadcast>" : "two_stage_write<temporary>",
      plan, launched, [&]<typename T, typename Sum, int kWorld>(const kernels::WritePlan& planned) {
        return kernels::launch_two_stage_write<T, Sum>(
            write_mode::args_of<kWorld>(call, planned.broadcast), planned.grid(), call.stream);
      });
}

const Target kTarget{&kContract, write_mode::workspace, launch};

}  // namespace
}  // namespace rankle

RANKLE_REGISTER_TARGET(rankle::kTarget)
