// The explanations that forensics tries: each one predicts the bits of every sampled mismatch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/runner/forensics.h"

namespace rankle {

struct Hypothesis {
  std::string subkind;     // "stale-round"
  std::string predicate;   // "holds round 4's value in round 5", said of an element
  double chance = 0;       // that it fits one element by accident
  double variants = 1;     // tried before this one was picked (displacements)
  std::vector<bool> fits;  // per sample
};

// `samples` are mismatching element indices. Simple explanations come first.
std::vector<Hypothesis> hypotheses_for(const Evidence& evidence,
                                       const std::vector<std::int64_t>& samples);

}  // namespace rankle
