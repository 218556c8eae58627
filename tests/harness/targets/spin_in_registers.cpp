// A kernel that spins for ever without touching memory: no hook is called, so only a clock sees it.
#include "tests/harness/targets/misbehaving_target.h"

namespace rankle {
namespace {

__global__ void spin_kernel(int rank) {
  unsigned x = threadIdx.x;
  while (rank == misbehaving::kBadRank && blockIdx.x == 1 && x == 5) {
    asm volatile("" : "+r"(x));  // x might change, says this; it does not
  }
}

const Contract kContract = misbehaving::contract_of("test_spin", "spins in registers in a kernel");

hipError_t launch(const Call& call, Launched& launched) {
  launched = {"test_spin", 2, 64, ""};
  hipLaunchKernelGGL(spin_kernel, dim3(2), dim3(64), 0, call.stream, call.rank);
  return hipGetLastError();
}

const Target kTarget{&kContract, misbehaving::scratch_bytes, launch};

}  // namespace
}  // namespace rankle

RANKLE_REGISTER_TARGET(rankle::kTarget)
