// Target allreduce/one_stage_naive. Its mutants are this file again, compiled against a patched
// copy of kernels/.
#include "kernels/allreduce/one_stage_naive.h"

#include "harness/target.h"
#include "harness/targets/allreduce/family.h"

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

WorkspaceSize workspace(int /*world*/, std::int64_t /*bytes*/) {
  return {sizeof(kernels::Signals), 0};
}

hipError_t launch(const Call& call, Launched& launched) {
  const auto plan = kernels::plan_one_stage_naive(
      allreduce::bytes_of(call), element_bytes(call.dtype), call.world, call.threads,
      allreduce::alignment_of(call), call.blocks);
  const bool in_packs = plan && plan->in_packs;
  return allreduce::run(
      call, kContract, in_packs ? "one_stage_naive<packs>" : "one_stage_naive<elements>", plan,
      launched, [&]<typename T, typename Sum, int kWorld>(const kernels::NaivePlan& planned) {
        const kernels::OneStageNaiveArgs<T, kWorld> args{
            allreduce::per_rank<T, kWorld>(call.peer_inputs),
            allreduce::per_rank<kernels::Signals, kWorld>(call.peer_signals),
            static_cast<T*>(call.output),
            call.rank,
            call.count,
            0};
        return kernels::launch_one_stage_naive<T, Sum>(args, planned, call.stream);
      });
}

const Target kTarget{&kContract, workspace, launch};

}  // namespace
}  // namespace rankle

RANKLE_REGISTER_TARGET(rankle::kTarget)
