// Workspace, arguments and launch of the two-stage all-reduce in write mode.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>

#include "harness/targets/allreduce/family.h"
#include "kernels/allreduce/two_stage_write.h"

namespace rankle::write_mode {

inline WorkspaceSize workspace(int world, std::int64_t bytes) {
  const kernels::Partition partition{bytes / kernels::kPackBytes, world};
  const std::int64_t packs = kernels::WriteScratch{partition}.packs();
  return {sizeof(kernels::Signals), static_cast<std::size_t>(packs * kernels::kPackBytes)};
}

template <int kWorld>
kernels::TwoStageWriteArgs<kWorld> args_of(const Call& call, bool broadcast) {
  kernels::TwoStageWriteArgs<kWorld> args{
      static_cast<const uint4*>(call.input),
      allreduce::per_rank<kernels::Signals, kWorld>(call.peer_signals),
      allreduce::per_rank<uint4, kWorld>(call.peer_scratch),
      allreduce::per_rank<uint4, kWorld>(broadcast ? call.peer_outputs : call.peer_scratch),
      static_cast<uint4*>(call.output),
      call.rank,
      !broadcast,
      allreduce::bytes_of(call) / kernels::kPackBytes};
  if (!broadcast) {
    const std::int64_t result = kernels::WriteScratch{args.partition()}.result();
    for (uint4*& results : args.results.at) results += result;
  }
  return args;
}

template <typename AnyContract>
hipError_t launch(const Call& call, const AnyContract& contract, Launched& launched) {
  const auto plan = kernels::plan_two_stage_write(
      allreduce::bytes_of(call), call.world, call.threads, allreduce::alignment_of(call),
      call.blocks, allreduce::outputs_are_registered(call));
  const bool broadcast = plan && plan->broadcast;
  return allreduce::run(
      call, contract, broadcast ? "two_stage_write<broadcast>" : "two_stage_write<temporary>", plan,
      launched, [&]<typename T, typename Sum, int kWorld>(const kernels::WritePlan& planned) {
        return kernels::launch_two_stage_write<T, Sum>(args_of<kWorld>(call, planned.broadcast),
                                                       planned.grid(), call.stream);
      });
}

}  // namespace rankle::write_mode
