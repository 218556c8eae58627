// Which accumulators are worth drawing for a dtype. A contract lists them without saying so: fp32
// sums of integers or of fp64 lose bits, so they take native sums where the target offers these.
#pragma once

#include <algorithm>
#include <vector>

#include "generators/contract.h"

namespace rankle {

inline bool loses_bits_in_fp32(DType dtype) {
  return dtype == DType::fp64 || dtype == DType::int8 || dtype == DType::int32 ||
         dtype == DType::int64;
}

// A non-empty part of contract.accums.
inline std::vector<Accum> accums_for(const Contract& contract, DType dtype) {
  const auto& all = contract.accums;
  const bool native = std::find(all.begin(), all.end(), Accum::native) != all.end();
  return loses_bits_in_fp32(dtype) && native ? std::vector<Accum>{Accum::native} : all;
}

}  // namespace rankle
