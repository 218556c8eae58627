// A kernel that executes an illegal instruction in one thread: the process dies of SIGILL.
#include "tests/harness/targets/misbehaving_target.h"

namespace rankle {
namespace {

__global__ void trap_kernel(int rank) {
  if (rank == misbehaving::kBadRank && blockIdx.x == 1 && threadIdx.x == 5) {
    __builtin_trap();
  }
}

const Contract kContract = misbehaving::contract_of("test_trap", "dies of SIGILL in a kernel");

hipError_t launch(const Call& call, Launched& launched) {
  launched = {"test_trap", 2, 64, ""};
  hipLaunchKernelGGL(trap_kernel, dim3(2), dim3(64), 0, call.stream, call.rank);
  return hipGetLastError();
}

const Target kTarget{&kContract, misbehaving::scratch_bytes, launch};

}  // namespace
}  // namespace rankle

RANKLE_REGISTER_TARGET(rankle::kTarget)
