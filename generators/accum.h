// Which accumulators a dtype takes. A contract lists them for all its dtypes together: fp32 sums of
// integers or of fp64 lose bits, so that these types take native sums alone where the target offers
// them. With a target that lists fp32 only, they take that, and the payload keeps to integers that
// are exact in it.
#pragma once

#include <algorithm>
#include <vector>

#include "generators/contract.h"

namespace rankle {

inline bool loses_bits_in_fp32(DType dtype) {
  return dtype == DType::fp64 || dtype == DType::int8 || dtype == DType::int32 ||
         dtype == DType::int64;
}

// A non-empty part of contract.accums: what cases are drawn from and validate() allows.
inline std::vector<Accum> accums_for(const Contract& contract, DType dtype) {
  const auto& all = contract.accums;
  const bool native = std::find(all.begin(), all.end(), Accum::native) != all.end();
  return loses_bits_in_fp32(dtype) && native ? std::vector<Accum>{Accum::native} : all;
}

}  // namespace rankle
