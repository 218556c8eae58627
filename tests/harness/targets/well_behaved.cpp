// A target that is correct for zero elements and does nothing else: the good case after a bad one.
#include "tests/harness/targets/misbehaving_target.h"

namespace rankle {
namespace {

__global__ void empty_kernel() {}

const Contract kContract = misbehaving::contract_of("test_empty", "an empty kernel");

hipError_t launch(const Call& call, Launched& launched) {
  launched = {"test_empty", 1, 64, ""};
  hipLaunchKernelGGL(empty_kernel, dim3(1), dim3(64), 0, call.stream);
  return hipGetLastError();
}

const Target kTarget{&kContract, misbehaving::scratch_bytes, launch};

}  // namespace
}  // namespace rankle

RANKLE_REGISTER_TARGET(rankle::kTarget)
