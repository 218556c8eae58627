// Every kernel header, instantiated once or twice for a real device. Compiled by tests only
// (scripts/compile-kernels), never linked.
#include <hip/hip_runtime.h>

#include "kernels/allreduce/one_stage.h"
#include "kernels/allreduce/one_stage_naive.h"
#include "kernels/allreduce/selection.h"
#include "kernels/allreduce/two_stage_naive.h"
#include "kernels/allreduce/two_stage_tail.h"
#include "kernels/allreduce/two_stage_uniform.h"
#include "kernels/allreduce/two_stage_write.h"
#include "kernels/communicator/communicator.h"
#include "kernels/delay.h"

namespace rankle::kernels {

template hipError_t launch_one_stage<fp16, fp16>(const OneStageArgs<6>&, const Grid&, hipStream_t);
template hipError_t launch_one_stage_naive<std::int8_t, std::int8_t>(
    OneStageNaiveArgs<std::int8_t, 4>, const NaivePlan&, hipStream_t);
template hipError_t launch_one_stage_naive<bf16, float>(OneStageNaiveArgs<bf16, 3>,
                                                        const NaivePlan&, hipStream_t);
template hipError_t launch_two_stage_naive<double, double>(const TwoStageArgs<5>&, const Grid&,
                                                           hipStream_t);
template hipError_t launch_two_stage_uniform<bf16, float>(const TwoStageArgs<4>&,
                                                          const TwoStagePlan&, hipStream_t);
template hipError_t launch_two_stage_tail<fp16, float>(const TwoStageArgs<8>&, const TwoStagePlan&,
                                                       hipStream_t);
template hipError_t launch_two_stage_tail<std::int32_t, std::int32_t>(const TwoStageArgs<3>&,
                                                                      const TwoStagePlan&,
                                                                      hipStream_t);
template hipError_t launch_two_stage_write<std::int64_t, std::int64_t>(const TwoStageWriteArgs<2>&,
                                                                       const Grid&, hipStream_t);
template hipError_t launch_two_stage_write<bf16, bf16>(const TwoStageWriteArgs<8>&, const Grid&,
                                                       hipStream_t);

// The host half of the communicator.
hipError_t one_call(RankGroup& group, const CallRequest& request) {
  std::unique_ptr<Communicator> communicator;
  FirstError result;
  result.note(Communicator::create(group, {.staging_bytes = 1 << 20}, communicator));
  result.note(communicator->run(request, communicator->route(request),
                                [](const CallBuffers&) { return hipSuccess; }));
  result.note(communicator->switch_stream(request.stream));
  result.note(communicator->seed_epochs(0));
  result.note(launch_delay(1000, request.stream));
  result.note(communicator->destroy());
  return result.result();
}

__global__ void every_atomic(unsigned* word) {
  fence<Order::acq_rel, Scope::system>();
  fence<Order::acquire, Scope::device>();
  fence<Order::release, Scope::block>();
  fence<Order::seq_cst, Scope::wave>();
  const unsigned old = fetch_add<Order::acq_rel, Scope::device>(word + 1, 1u);
  store<Order::release, Scope::system>(word, old + load<Order::acquire, Scope::system>(word));
}

}  // namespace rankle::kernels
