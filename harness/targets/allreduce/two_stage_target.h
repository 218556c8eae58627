// What the two-stage targets have in common: contract, workspace, and the way from a Call to a
// kernel's arguments.
#pragma once

#include <hip/hip_runtime.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "generators/contract.h"
#include "harness/target.h"
#include "harness/targets/instantiate.h"
#include "kernels/allreduce/dispatch.h"
#include "kernels/allreduce/two_stage.h"

#ifndef RANKLE_MUTANT_PLANTS
#define RANKLE_MUTANT_PLANTS ""
#endif

namespace rankle::two_stage {

inline constexpr std::int64_t kBytesMax = std::int64_t{8} << 20;

// `algorithm` and `reference` are names such as "two_stage_tail"; no mutant suffix.
inline Contract contract_of(const std::string& algorithm, const std::string& summary,
                            const std::string& reference) {
  const std::string plants = RANKLE_MUTANT_PLANTS;
  Contract contract;
  contract.target = "allreduce/" + algorithm + RANKLE_MUTANT_NAME;
  contract.family = "allreduce";
  contract.mutant_class = RANKLE_MUTANT_CLASS;
  contract.summary = plants.empty() ? summary : plants;
  contract.dtypes = instantiated_dtypes();
  contract.accums = {Accum::fp32};
  contract.worlds = instantiated_worlds();
  contract.count_multiple_bytes = kernels::kPackBytes;
  contract.alignment_bytes = kernels::kPackBytes;
  contract.bytes_max = kBytesMax;
  contract.threads_min = 64;
  contract.threads_max = kernels::kThreadsMax;
  contract.blocks_max = kernels::kBlocksMax;
  contract.in_place = true;
  // At 512 threads: one tile in every part, and the size from which blocks take a second one.
  const std::int64_t tiles = kernels::kThreadsMax * kernels::kPackBytes;
  contract.thresholds_bytes = {tiles, tiles * kernels::kBlocksMax};
  contract.same_bits_as = "allreduce/" + reference;
  return contract;
}

inline WorkspaceSize workspace(int world, std::int64_t bytes) {
  const kernels::Partition partition{bytes / kernels::kPackBytes, world};
  const auto scratch = static_cast<std::size_t>(partition.largest() * kernels::kPackBytes);
  return {sizeof(kernels::Signals), scratch};
}

// The largest power of two that divides the address of every input and of the output.
inline std::int64_t alignment_of(const Call& call) {
  auto bits = reinterpret_cast<std::uintptr_t>(call.output);
  for (int rank = 0; rank < call.world; ++rank) {
    bits |= reinterpret_cast<std::uintptr_t>(call.peer_inputs[rank]);
  }
  return static_cast<std::int64_t>(bits & (~bits + 1));
}

template <int kWorld>
kernels::TwoStageArgs<kWorld> args_of(const Call& call, std::int64_t bytes) {
  kernels::TwoStageArgs<kWorld> args{};
  for (int rank = 0; rank < kWorld; ++rank) {
    args.inputs.at[rank] = static_cast<const uint4*>(call.peer_inputs[rank]);
    args.signals.at[rank] = static_cast<kernels::Signals*>(call.peer_signals[rank]);
    args.scratch.at[rank] = static_cast<uint4*>(call.peer_scratch[rank]);
  }
  args.output = static_cast<uint4*>(call.output);
  args.rank = call.rank;
  args.packs = bytes / kernels::kPackBytes;
  return args;
}

// Whether the contract lists what the call asks for. Sizes and alignment are the dispatch's to
// judge.
inline bool accepts(const Contract& contract, const Call& call) {
  const auto lists = [](const auto& values, auto value) {
    return std::find(values.begin(), values.end(), value) != values.end();
  };
  return lists(contract.dtypes, call.dtype) && lists(contract.accums, call.accum) &&
         lists(contract.worlds, call.world) && call.threads >= contract.threads_min &&
         call.threads <= contract.threads_max && call.count >= 0;
}

// Plans `call`, fills `launched` and runs `launch.operator()<T, Sum, world>(args, plan)`.
// `tail_variants` says whether the algorithm has a kernel of its own for messages without a tail.
template <typename Launch>
hipError_t run(const Call& call, const Contract& contract, const std::string& algorithm,
               bool tail_variants, Launched& launched, Launch launch) {
  const std::int64_t bytes = call.count * element_bytes(call.dtype);
  if (!accepts(contract, call) || bytes > contract.bytes_max) return hipErrorInvalidValue;
  const auto plan =
      kernels::plan_two_stage(bytes, call.world, call.threads, alignment_of(call), call.blocks);
  if (!plan) return hipErrorInvalidValue;
  launched = {algorithm, plan->blocks, plan->threads};
  if (plan->blocks == 0) {
    launched.variant += "<empty>";
    return hipSuccess;
  }
  if (tail_variants) launched.variant += plan->has_tail ? "<has_tail=true>" : "<has_tail=false>";
  return instantiate(call.dtype, call.world, [&]<typename T, typename Sum, int kWorld>() {
    return launch.template operator()<T, Sum, kWorld>(args_of<kWorld>(call, bytes), *plan);
  });
}

}  // namespace rankle::two_stage
