// Host code of a target that aborts, as a failed assertion in a launcher does.
#include <cstdlib>

#include "tests/harness/targets/misbehaving_target.h"

namespace rankle {
namespace {

const Contract kContract = misbehaving::contract_of("test_abort", "aborts in host code");

hipError_t launch(const Call& call, Launched& launched) {
  launched = {"test_abort", 1, 64, ""};
  if (call.rank == misbehaving::kBadRank) {
    std::abort();
  }
  return hipSuccess;
}

const Target kTarget{&kContract, misbehaving::scratch_bytes, launch};

}  // namespace
}  // namespace rankle

RANKLE_REGISTER_TARGET(rankle::kTarget)
