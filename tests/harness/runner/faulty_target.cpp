// A plain one-stage all-reduce of fp32 with one fault chosen at compile time, to prove that each of
// the runner's findings is raised by its cause and by nothing else. FAULT is one of the enumerators
// below.
#include "harness/target.h"
#include "harness/targets/communicator_calls.h"
#include "kernels/communicator/communicator.h"
#include "kernels/delay.h"

namespace {

enum class Fault {
  none,
  lacks_rank,        // rank 1's input is left out
  writes_input,      // the first input element is overwritten
  writes_behind,     // one element behind the output
  reversed_order,    // adds from the last rank to the first
  refuses,           // rank 1's launch fails
  unlike_ranks,      // rank 1 reports another variant
  only_first_call,   // later calls leave the output alone
  skips_first_call,  // which leaves the output alone
  reads_scratch      // the first element is copied from scratch that nobody wrote
};
constexpr Fault kFault = Fault::FAULT;
constexpr int kThreads = 64;

namespace kernels = rankle::kernels;

template <int kWorld>
struct Pointers {
  kernels::PeerBuffers<const float, kWorld> inputs;
  kernels::PerRank<kernels::Signals, kWorld> signals;
  float* own_input;
  float* scratch;
  float* output;
};

template <int kWorld>
__global__ void sum(Pointers<kWorld> p, int rank, long count) {
  kernels::start_barrier(p.signals, rank);
  for (long i = threadIdx.x; i < count; i += kThreads) {
    float total = 0;
    for (int step = 0; step < kWorld; ++step) {
      const int from = kFault == Fault::reversed_order ? kWorld - 1 - step : step;
      if (kFault == Fault::lacks_rank && from == 1) continue;
      total = step == 0 ? p.inputs.of(from)[i] : total + p.inputs.of(from)[i];
    }
    if (kFault == Fault::reads_scratch && i == 0) total = p.scratch[0];
    p.output[i] = total;
  }
  kernels::end_barrier<kernels::Carries::data>(p.signals, rank);
  if (threadIdx.x != 0 || count == 0) return;
  if (kFault == Fault::writes_input) p.own_input[0] = 1e6f;
  if (kFault == Fault::writes_behind) p.output[count] = 1e6f;
}

rankle::Contract make_contract() {
  rankle::Contract c;
  c.target = "allreduce/testing_" FAULT_NAME;
  c.family = "allreduce";
  c.summary = "A one-stage all-reduce with a chosen fault, for the tests of the runner.";
  c.dtypes = {rankle::DType::fp32};
  c.accums = {rankle::Accum::fp32};
  c.worlds = {2, 3};
  c.count_multiple_bytes = 4;
  c.alignment_bytes = 4;
  c.bytes_max = 1 << 20;
  c.threads_min = c.threads_max = kThreads;
  c.blocks_max = 1;
  c.communicator = true;
  c.in_place = false;  // one stage: peers still read the input while the output is written
  c.same_bits_as = "allreduce/testing_none";
  return c;
}
const rankle::Contract kContract = make_contract();

std::int64_t scratch_bytes(int, std::int64_t bytes) { return bytes + 16; }

template <int kWorld>
hipError_t enqueue(const rankle::Call& call, const kernels::CallBuffers& buffers) {
  const kernels::Communicator& communicator = *call.communicator;
  const Pointers<kWorld> pointers{{buffers.inputs},
                                  communicator.signals<kWorld>(),
                                  static_cast<float*>(const_cast<void*>(buffers.input)),
                                  communicator.scratch<float, kWorld>().at[call.rank],
                                  static_cast<float*>(buffers.output)};
  hipLaunchKernelGGL(sum<kWorld>, dim3(1), dim3(kThreads), 0, call.stream, pointers, call.rank,
                     long(call.count));
  return hipGetLastError();
}

int calls = 0;  // of this rank in this case

hipError_t launch(const rankle::Call& call, rankle::Launched& launched) {
  launched = {"sum", 1, kThreads, ""};
  if (kFault == Fault::refuses && call.rank == 1) return hipErrorInvalidValue;
  if (kFault == Fault::unlike_ranks && call.rank == 1) launched.variant = "other_sum";
  if (kFault == Fault::only_first_call && calls++ > 0) return hipSuccess;
  if (kFault == Fault::skips_first_call && calls++ == 0) return hipSuccess;
  const kernels::CallRequest request{.input = call.input,
                                     .output = call.output,
                                     .bytes = call.count * std::int64_t{sizeof(float)},
                                     .stream = call.stream,
                                     .wants_copy = call.staged};
  const kernels::Route route = call.communicator->route(request);
  launched.path = name_of(route.path);
  return call.communicator->run(request, route, [&](const kernels::CallBuffers& buffers) {
    return call.world == 2 ? enqueue<2>(call, buffers) : enqueue<3>(call, buffers);
  });
}

const rankle::Target kTarget{&kContract, scratch_bytes, launch, &rankle::kCommunicatorCalls,
                             kernels::launch_delay};

}  // namespace

RANKLE_REGISTER_TARGET(kTarget)
