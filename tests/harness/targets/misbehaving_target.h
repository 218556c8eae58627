// Contract and scratch of the test targets that break their process, which no clean target may
// do.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>
#include <string>

#include "generators/contract.h"
#include "harness/target.h"

namespace rankle::misbehaving {

inline Contract contract_of(const std::string& algorithm, const std::string& summary) {
  Contract contract;
  contract.target = "allreduce/" + algorithm;
  contract.family = "allreduce";
  contract.summary = summary;
  contract.dtypes = {DType::fp32};
  contract.accums = {Accum::fp32};
  contract.worlds = {2};
  contract.bytes_max = 1 << 16;
  contract.blocks_max = 4;
  return contract;
}

inline std::int64_t scratch_bytes(int, std::int64_t) { return 256; }

// Only one rank misbehaves, so that reports have one place to name.
inline constexpr int kBadRank = 1;

}  // namespace rankle::misbehaving
