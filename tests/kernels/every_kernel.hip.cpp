// Every kernel header, instantiated once for a real device. Compiled by tests only, never linked.
#include <hip/hip_runtime.h>

#include "kernels/allreduce/two_stage_tail.h"
#include "kernels/allreduce/two_stage_uniform.h"

namespace rankle::kernels {

template hipError_t launch_two_stage_uniform<bf16, float>(const TwoStageArgs<4>&,
                                                          const TwoStagePlan&, hipStream_t);
template hipError_t launch_two_stage_tail<fp16, float>(const TwoStageArgs<8>&, const TwoStagePlan&,
                                                       hipStream_t);
template hipError_t launch_two_stage_tail<std::int32_t, std::int32_t>(const TwoStageArgs<3>&,
                                                                      const TwoStagePlan&,
                                                                      hipStream_t);

__global__ void every_atomic(unsigned* word) {
  fence<Order::acq_rel, Scope::system>();
  fence<Order::acquire, Scope::device>();
  fence<Order::release, Scope::block>();
  fence<Order::seq_cst, Scope::wave>();
  const unsigned old = fetch_add<Order::acq_rel, Scope::device>(word + 1, 1u);
  store<Order::release, Scope::system>(word, old + load<Order::acquire, Scope::system>(word));
}

}  // namespace rankle::kernels
