// Contracts and a case for the tests of generators/: shaped like real targets, tied to none.
#pragma once

#include <vector>

#include "generators/case.h"
#include "generators/contract.h"

namespace rankle::test {

// Like a two-stage all-reduce.
inline Contract two_stage() {
  Contract contract;
  contract.target = "allreduce/two_stage_tail";
  contract.family = "allreduce";
  contract.summary = "Reduces its part, then gathers the others.";
  contract.dtypes = {DType::fp32, DType::fp16, DType::bf16, DType::int32};
  contract.accums = {Accum::fp32, Accum::native};
  contract.worlds = {2, 3, 4, 5, 6, 7, 8};
  contract.bytes_max = std::int64_t{16} << 20;
  contract.thresholds_bytes = {std::int64_t{16} << 10};
  contract.communicator = true;
  contract.same_bits_as = "allreduce/two_stage_uniform";
  return contract;
}

// Unlike it in every way that validate() and shrink() look at: loose bytes, in place, odd threads.
inline Contract elementwise() {
  Contract contract;
  contract.target = "allreduce/elementwise@tail_drop";
  contract.family = "allreduce";
  contract.mutant_class = "TAIL-DROP";
  contract.summary = "One element per thread.";
  contract.dtypes = {DType::int8, DType::fp64, DType::int64, DType::bf16};
  contract.accums = {Accum::native};
  contract.worlds = {2, 4};
  contract.count_multiple_bytes = 1;
  contract.alignment_bytes = 4;
  contract.bytes_max = 100'000;
  contract.threads_min = 33;
  contract.threads_max = 300;
  contract.threads_multiple = 11;
  contract.blocks_max = 5;
  contract.in_place = true;
  return contract;
}

inline std::vector<Contract> contracts() { return {two_stage(), elementwise()}; }

inline const Contract& contract_of(const std::vector<Contract>& all, const Case& c) {
  for (const Contract& contract : all) {
    if (contract.target == c.target) return contract;
  }
  throw c.target;
}

// A small case that two_stage() accepts.
inline Case small_case() {
  Case c;
  c.target = "allreduce/two_stage_tail";
  c.world = 4;
  c.dtype = DType::bf16;
  c.shape = {33, 32};
  c.geometry = {2, 128, 64};
  c.input_offset = {0, 8, 0, 16};
  c.output_offset = {0, 0, 0, 8};
  c.program = {{StepKind::fill, 1}, {StepKind::poison_output, 0}, {StepKind::poison_scratch, 0},
               {StepKind::call, 0}, {StepKind::sync, 0},          {StepKind::check, 1},
               {StepKind::fill, 2}, {StepKind::call, 0},          {StepKind::check, 2}};
  c.schedule.policy = Policy::random;
  c.schedule.seed = 5;
  c.seed = 7;
  return c;
}

}  // namespace rankle::test
