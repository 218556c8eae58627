// The kernels behind communicator_kernels.h.
#include "tests/kernels/communicator_kernels.h"

#include "kernels/allreduce/one_stage_naive.h"

namespace rankle::testing {
namespace {

constexpr int kThreads = 64;

template <int kWorld>
hipError_t sum(const kernels::Communicator& communicator, const kernels::CallBuffers& buffers,
               std::int64_t count, hipStream_t stream) {
  const kernels::OneStageNaiveArgs<std::int32_t, kWorld> args{
      {buffers.inputs},
      communicator.signals<kWorld>(),
      static_cast<std::int32_t*>(buffers.output),
      communicator.rank(),
      count,
      0};
  const kernels::NaivePlan by_element{false, 2, kThreads};
  return kernels::launch_one_stage_naive<std::int32_t, std::int32_t>(args, by_element, stream);
}

// Element `rank` of every rank's output.
template <int kWorld>
__global__ void write_to_all(kernels::PeerBuffers<std::int32_t, kWorld> outputs,
                             kernels::PerRank<kernels::Signals, kWorld> signals, int rank,
                             std::int32_t value) {
  kernels::start_barrier(signals, rank);
  if (threadIdx.x < kWorld) outputs.of(static_cast<int>(threadIdx.x))[rank] = value;
  kernels::end_barrier<kernels::Carries::data>(signals, rank);
}

template <int kWorld>
hipError_t write(const kernels::Communicator& communicator, const kernels::CallBuffers& buffers,
                 std::int32_t value, hipStream_t stream) {
  const kernels::PeerBuffers<std::int32_t, kWorld> outputs{buffers.outputs};
  hipLaunchKernelGGL(write_to_all<kWorld>, dim3(1), dim3(kThreads), 0, stream, outputs,
                     communicator.signals<kWorld>(), communicator.rank(), value);
  return hipGetLastError();
}

}  // namespace

hipError_t launch_sum(const kernels::Communicator& communicator,
                      const kernels::CallBuffers& buffers, std::int64_t count, hipStream_t stream) {
  return communicator.world() == 2 ? sum<2>(communicator, buffers, count, stream)
                                   : sum<3>(communicator, buffers, count, stream);
}

hipError_t launch_write_to_all(const kernels::Communicator& communicator,
                               const kernels::CallBuffers& buffers, std::int32_t value,
                               hipStream_t stream) {
  return communicator.world() == 2 ? write<2>(communicator, buffers, value, stream)
                                   : write<3>(communicator, buffers, value, stream);
}

}  // namespace rankle::testing
