// Scratch, arguments and launch of the two-stage all-reduce in write mode.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>

#include "harness/targets/allreduce/family.h"
#include "kernels/allreduce/two_stage_write.h"

namespace rankle::write_mode {

inline std::int64_t scratch_bytes(int world, std::int64_t bytes) {
  return kernels::scratch_bytes(kernels::Algorithm::two_stage_write, bytes, world);
}

template <int kWorld>
kernels::TwoStageWriteArgs<kWorld> args_of(const Call& call, const kernels::CallBuffers& buffers,
                                           bool broadcast) {
  return {static_cast<const uint4*>(buffers.input),
          call.communicator->signals<kWorld>(),
          call.communicator->scratch<uint4, kWorld>(),
          {buffers.outputs},
          static_cast<uint4*>(buffers.output),
          call.rank,
          broadcast,
          allreduce::bytes_of(call) / kernels::kPackBytes};
}

template <typename AnyContract>
hipError_t launch(const Call& call, const AnyContract& contract, Launched& launched) {
  allreduce::Course course = allreduce::course_of(call, kernels::Algorithm::two_stage_write);
  const auto plan = kernels::plan_two_stage_write(allreduce::bytes_of(call), call.world,
                                                  call.threads, course.route.alignment, call.blocks,
                                                  course.route.peers_know_output);
  const bool broadcast = plan && plan->broadcast;
  course.request.peers_read_input = false;
  course.request.peers_write_output = broadcast;
  return allreduce::run(
      call, contract, course,
      broadcast ? "two_stage_write<broadcast>" : "two_stage_write<temporary>", plan, launched,
      [&]<typename T, typename Sum, int kWorld>(const kernels::CallBuffers& buffers,
                                                const kernels::WritePlan& planned) {
        return kernels::launch_two_stage_write<T, Sum>(
            args_of<kWorld>(call, buffers, planned.broadcast), planned.grid(), call.stream);
      });
}

}  // namespace rankle::write_mode
