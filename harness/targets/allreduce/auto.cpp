// Target allreduce/auto: the family behind one entry, as a communicator calls it. The table of
// kernels/allreduce/selection.h picks the algorithm. Types are few, because every kernel is
// instantiated here once more.
#define RANKLE_INSTANTIATE_DTYPES DType::bf16, DType::int32
#define RANKLE_INSTANTIATE_WORLDS 2, 4, 6, 8

#include <algorithm>

#include "harness/target.h"
#include "harness/targets/allreduce/family.h"
#include "harness/targets/allreduce/one_stage_target.h"
#include "harness/targets/allreduce/two_stage_target.h"
#include "harness/targets/allreduce/write_target.h"
#include "kernels/allreduce/selection.h"
#include "kernels/allreduce/two_stage_naive.h"
#include "kernels/allreduce/two_stage_tail.h"

namespace rankle {
namespace {

Contract contract_of_auto() {
  Contract contract = allreduce::contract_of(
      "auto", "All-reduce by the algorithm that a table picks from bytes, world and alignment.");
  contract.in_place = false;
  contract.count_multiple_bytes = 1;
  contract.alignment_bytes = 1;
  contract.thresholds_bytes = kernels::selection_thresholds();
  return contract;
}

const Contract kContract = contract_of_auto();

std::int64_t scratch_bytes(int world, std::int64_t bytes) {
  return std::max(two_stage::scratch_bytes(world, bytes), write_mode::scratch_bytes(world, bytes));
}

hipError_t launch(const Call& call, Launched& launched) {
  if (!allreduce::accepts(kContract, call)) return hipErrorInvalidValue;
  const kernels::Route route = call.communicator->route(allreduce::request_of(call));
  switch (kernels::select_algorithm(allreduce::bytes_of(call), call.world, route.alignment)) {
    case kernels::Algorithm::one_stage:
      return one_stage::launch(call, kContract, launched);
    case kernels::Algorithm::one_stage_naive:
      return one_stage::launch_naive(call, kContract, launched);
    case kernels::Algorithm::two_stage_tail:
      return two_stage::launch_tail(call, kContract, launched);
    case kernels::Algorithm::two_stage_naive:
      return two_stage::launch_naive(call, kContract, launched);
    case kernels::Algorithm::two_stage_write:
      return write_mode::launch(call, kContract, launched);
    case kernels::Algorithm::two_stage_uniform:
      break;
  }
  return hipErrorInvalidValue;
}

const Target kTarget{&kContract, scratch_bytes, launch, &kCommunicatorCalls, kernels::launch_delay};

}  // namespace
}  // namespace rankle

RANKLE_REGISTER_TARGET(rankle::kTarget)
