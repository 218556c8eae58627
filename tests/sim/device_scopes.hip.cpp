// What order and scope each atomic function and fence carries: this file's calls go to a recorder
// in place of the simulator.
#define rankle_sim_atomic_rmw recorder_atomic_rmw
#define rankle_sim_atomic_cas recorder_atomic_cas
#define rankle_sim_fence recorder_fence
#include "tests/sim/atomic_kernels.h"

namespace {

std::vector<rankle::sim::testing::RecordedAtomic> g_recorded;

}  // namespace

extern "C" {
std::uint64_t recorder_atomic_rmw(volatile void*, std::uint64_t, int bytes, int operation,
                                  int order, int scope) {
  g_recorded.push_back({operation, bytes, order, scope});
  return 0;
}
std::uint64_t recorder_atomic_cas(volatile void*, std::uint64_t, std::uint64_t, int bytes,
                                  int success, int, int scope) {
  g_recorded.push_back({100, bytes, success, scope});
  return 0;
}
void recorder_fence(int order, int scope) { g_recorded.push_back({200, 0, order, scope}); }
}

namespace rankle::sim::testing {

std::vector<RecordedAtomic> recorded_atomics() {
  g_recorded.clear();
  unsigned u = 0;
  double d = 0;
  unsigned long long ull = 0;
  atomicAdd(&u, 1);
  atomicAdd_block(&u, 1);
  atomicAdd_system(&d, 1);
  atomicMin_system(&ull, 1);
  atomicDec_block(&u, 1);
  atomicCAS(&u, 1, 1);
  atomicCAS_block(&ull, 1, 1);
  atomicCAS_system(&u, 1, 1);
  __threadfence_block();
  __threadfence();
  __threadfence_system();
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");
  return g_recorded;
}

}  // namespace rankle::sim::testing
