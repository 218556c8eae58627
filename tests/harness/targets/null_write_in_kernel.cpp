// A kernel that writes through a null pointer in one thread.
#include "tests/harness/targets/misbehaving_target.h"

namespace rankle {
namespace {

__global__ void null_write_kernel(int* nowhere, int rank) {
  if (rank == misbehaving::kBadRank && blockIdx.x == 1 && threadIdx.x == 5) {
    *nowhere = rank;
  }
}

const Contract kContract =
    misbehaving::contract_of("test_null_write", "writes through a null pointer in a kernel");

hipError_t launch(const Call& call, Launched& launched) {
  launched = {"test_null_write", 2, 64, ""};
  int* volatile nowhere = nullptr;
  hipLaunchKernelGGL(null_write_kernel, dim3(2), dim3(64), 0, call.stream, nowhere, call.rank);
  return hipGetLastError();
}

const Target kTarget{&kContract, misbehaving::scratch_bytes, launch};

}  // namespace
}  // namespace rankle

RANKLE_REGISTER_TARGET(rankle::kTarget)
