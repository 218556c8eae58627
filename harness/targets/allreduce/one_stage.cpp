// Target allreduce/one_stage. Its mutants are this file again, compiled against a patched copy of
// kernels/.
#include "kernels/allreduce/one_stage.h"

#include "harness/target.h"
#include "harness/targets/allreduce/family.h"

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

WorkspaceSize workspace(int /*world*/, std::int64_t /*bytes*/) {
  return {sizeof(kernels::Signals), 0};
}

hipError_t launch(const Call& call, Launched& launched) {
  const auto plan = kernels::plan_one_stage(allreduce::bytes_of(call), call.world, call.threads,
                                            allreduce::alignment_of(call), call.blocks);
  return allreduce::run(call, kContract, "one_stage", plan, launched,
                        [&]<typename T, typename Sum, int kWorld>(const kernels::Grid& grid) {
                          const kernels::OneStageArgs<kWorld> args{
                              allreduce::per_rank<uint4, kWorld>(call.peer_inputs),
                              allreduce::per_rank<kernels::Signals, kWorld>(call.peer_signals),
                              static_cast<uint4*>(call.output), call.rank,
                              allreduce::bytes_of(call) / kernels::kPackBytes};
                          return kernels::launch_one_stage<T, Sum>(args, grid, call.stream);
                        });
}

const Target kTarget{&kContract, workspace, launch};

}  // namespace
}  // namespace rankle

RANKLE_REGISTER_TARGET(rankle::kTarget)
