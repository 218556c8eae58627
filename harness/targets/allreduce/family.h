// What all all-reduce targets have in common: the contract, which calls it takes, and the way from
// a Call to a kernel of the right types.
#pragma once

#include <hip/hip_runtime.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "generators/accum.h"
#include "generators/contract.h"
#include "harness/target.h"
#include "harness/targets/instantiate.h"
#include "kernels/allreduce/dispatch.h"
#include "kernels/signal.h"

#ifndef RANKLE_MUTANT_PLANTS
#define RANKLE_MUTANT_PLANTS ""
#endif

namespace rankle::allreduce {

inline constexpr std::int64_t kBytesMax = std::int64_t{8} << 20;

// Of packs, in and out of place, with no thresholds and no partner of the same bits. `algorithm` is
// a name such as "two_stage_tail", without a mutant suffix.
inline Contract contract_of(const std::string& algorithm, const std::string& summary) {
  const std::string plants = RANKLE_MUTANT_PLANTS;
  Contract contract;
  contract.target = "allreduce/" + algorithm + RANKLE_MUTANT_NAME;
  contract.family = "allreduce";
  contract.mutant_class = RANKLE_MUTANT_CLASS;
  contract.summary = plants.empty() ? summary : plants;
  contract.dtypes = instantiated_dtypes();
  contract.accums = {Accum::fp32, Accum::native};
  contract.worlds = instantiated_worlds();
  contract.count_multiple_bytes = kernels::kPackBytes;
  contract.alignment_bytes = kernels::kPackBytes;
  contract.bytes_max = kBytesMax;
  contract.threads_min = 64;
  contract.threads_max = kernels::kThreadsMax;
  contract.blocks_max = kernels::kBlocksMax;
  contract.in_place = true;
  return contract;
}

// The largest power of two that divides the address of every rank's input and output: of all ranks,
// so that all see the same.
inline std::int64_t alignment_of(const Call& call) {
  auto bits = reinterpret_cast<std::uintptr_t>(call.output);
  for (int rank = 0; rank < call.world; ++rank) {
    bits |= reinterpret_cast<std::uintptr_t>(call.peer_inputs[rank]);
    bits |= reinterpret_cast<std::uintptr_t>(call.peer_outputs[rank]);
  }
  return static_cast<std::int64_t>(bits & (~bits + 1));
}

// Whether every rank's output is known here.
inline bool outputs_are_registered(const Call& call) {
  return std::find(call.peer_outputs.begin(), call.peer_outputs.begin() + call.world, nullptr) ==
         call.peer_outputs.begin() + call.world;
}

inline std::int64_t bytes_of(const Call& call) { return call.count * element_bytes(call.dtype); }

// Whether the contract lists what the call asks for and has room for it. What a size or an
// alignment needs to be is the dispatch's to judge.
inline bool accepts(const Contract& contract, const Call& call) {
  const auto lists = [](const auto& values, auto value) {
    return std::find(values.begin(), values.end(), value) != values.end();
  };
  return lists(contract.dtypes, call.dtype) && lists(contract.worlds, call.world) &&
         lists(accums_for(contract, call.dtype), call.accum) &&
         call.threads >= contract.threads_min && call.threads <= contract.threads_max &&
         call.count >= 0 && bytes_of(call) <= contract.bytes_max &&
         (contract.in_place || call.output != call.input || call.count == 0);
}

template <typename T, int kWorld>
kernels::PerRank<T, kWorld> per_rank(const std::array<void*, kWorldMax>& pointers) {
  kernels::PerRank<T, kWorld> typed{};
  for (int rank = 0; rank < kWorld; ++rank) typed.at[rank] = static_cast<T*>(pointers[rank]);
  return typed;
}

template <typename T, int kWorld>
kernels::PerRank<const T, kWorld> per_rank(const std::array<const void*, kWorldMax>& pointers) {
  kernels::PerRank<const T, kWorld> typed{};
  for (int rank = 0; rank < kWorld; ++rank) typed.at[rank] = static_cast<const T*>(pointers[rank]);
  return typed;
}

// Runs `launch.operator()<T, Sum, world>(plan)` for a call that the contract accepts and the
// dispatch has planned (`plan` is an optional of something with blocks and threads), and says so in
// `launched`; a plan of no blocks launches nothing.
template <typename Plan, typename Launch>
hipError_t run(const Call& call, const Contract& contract, const std::string& variant,
               const Plan& plan, Launched& launched, Launch launch) {
  if (!accepts(contract, call) || !plan) return hipErrorInvalidValue;
  launched = {variant, plan->blocks, plan->threads};
  if (plan->blocks == 0) return hipSuccess;
  return instantiate(call.dtype, call.accum, call.world,
                     [&]<typename T, typename Sum, int kWorld>() {
                       return launch.template operator()<T, Sum, kWorld>(*plan);
                     });
}

}  // namespace rankle::allreduce
