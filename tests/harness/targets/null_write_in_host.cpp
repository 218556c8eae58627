// Host code of a target that writes through a null pointer: the process dies of SIGSEGV.
#include "tests/harness/targets/misbehaving_target.h"

namespace rankle {
namespace {

[[gnu::noinline]] void write_null() {
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
}

const Contract kContract =
    misbehaving::contract_of("test_host_null_write", "writes through a null pointer in host code");

hipError_t launch(const Call& call, Launched& launched) {
  launched = {"test_host_null_write", 1, 64, ""};
  if (call.rank == misbehaving::kBadRank) {
    write_null();
  }
  return hipSuccess;
}

const Target kTarget{&kContract, misbehaving::scratch_bytes, launch};

}  // namespace
}  // namespace rankle

RANKLE_REGISTER_TARGET(rankle::kTarget)
