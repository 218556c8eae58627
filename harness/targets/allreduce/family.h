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
#include "harness/targets/communicator_calls.h"
#include "harness/targets/instantiate.h"
#include "kernels/allreduce/dispatch.h"
#include "kernels/allreduce/scratch.h"
#include "kernels/allreduce/selection.h"
#include "kernels/communicator/communicator.h"
#include "kernels/delay.h"
#include "kernels/signal.h"

#ifndef RANKLE_MUTANT_PLANTS
#define RANKLE_MUTANT_PLANTS ""
#endif

namespace rankle::allreduce {

inline constexpr std::int64_t kBytesMax = std::int64_t{8} << 20;

// Of packs, in and out of place, with no thresholds and no partner of the same bits. `algorithm` is
// a name such as "two_stage_tail", without a mutant suffix.
inline Contract contract_of(const std::string& algorithm, const std::string& summary) {
  constexpr bool kIsMutant = sizeof(RANKLE_MUTANT_PLANTS) > 1;
  Contract contract;
  contract.target = "allreduce/" + algorithm + RANKLE_MUTANT_NAME;
  contract.family = "allreduce";
  contract.mutant_class = RANKLE_MUTANT_CLASS;
  contract.summary = kIsMutant ? std::string(RANKLE_MUTANT_PLANTS) : summary;
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
  contract.communicator = true;
  return contract;
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
         (contract.in_place || call.output != call.input || call.count == 0) &&
         call.communicator->world() == call.world;
}

// What the communicator is asked to carry out.
inline kernels::CallRequest request_of(const Call& call) {
  return {.input = call.input,
          .output = call.output,
          .bytes = bytes_of(call),
          .stream = call.stream,
          .wants_copy = call.staged};
}

// A call on its way to a kernel: which algorithm, and how the buffers reach the peers.
struct Course {
  kernels::Algorithm algorithm;
  kernels::CallRequest request;
  kernels::Route route;
};

inline Course course_of(const Call& call, kernels::Algorithm algorithm) {
  const kernels::CallRequest request = request_of(call);
  return {algorithm, request, call.communicator->route(request)};
}

// Runs `launch.operator()<T, Sum, world>(buffers, plan)` for a call that the contract accepts, the
// dispatch has planned (`plan` is an optional of something with blocks and threads) and the
// communicator has room for, and says so in `launched`; a plan of no blocks launches nothing.
template <typename Plan, typename Launch>
hipError_t run(const Call& call, const Contract& contract, const Course& course,
               const std::string& variant, const Plan& plan, Launched& launched, Launch launch) {
  if (!accepts(contract, call) || !plan) return hipErrorInvalidValue;
  if (!kernels::fits_scratch(call.communicator->capacity(), course.algorithm, bytes_of(call),
                             call.world)) {
    return hipErrorInvalidValue;
  }
  launched = {variant, plan->blocks, plan->threads, std::string(name_of(course.route.path))};
  if (plan->blocks == 0) return hipSuccess;
  return call.communicator->run(
      course.request, course.route, [&](const kernels::CallBuffers& buffers) {
        return instantiate(call.dtype, call.accum, call.world,
                           [&]<typename T, typename Sum, int kWorld>() {
                             return launch.template operator()<T, Sum, kWorld>(buffers, *plan);
                           });
      });
}

}  // namespace rankle::allreduce
