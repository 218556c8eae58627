// Host code of a target that ends the process with status 0: success must not be taken for a pass.
#include <cstdlib>

#include "tests/harness/targets/misbehaving_target.h"

namespace rankle {
namespace {

const Contract kContract = misbehaving::contract_of("test_exit", "exits with status 0");

hipError_t launch(const Call& call, Launched& launched) {
  launched = {"test_exit", 1, 64, ""};
  if (call.rank == misbehaving::kBadRank) {
    std::exit(0);
  }
  return hipSuccess;
}

const Target kTarget{&kContract, misbehaving::scratch_bytes, launch};

}  // namespace
}  // namespace rankle

RANKLE_REGISTER_TARGET(rankle::kTarget)
