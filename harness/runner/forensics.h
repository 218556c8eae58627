// What a wrong output holds instead of the right value: hypotheses are tried on a sample of the
// mismatching elements, and the answer is a sub-kind and a sentence such as "output element 65473
// of rank 1 lacks rank 3".
//
// Rule of acceptance. Of n sampled mismatches a hypothesis explains m. It is accepted if m >= 0.95
// n and if the chance that any of the H hypotheses explains that many by accident, H * binomial(n,
// m) * p^m with p the escape probability of the payload, is below 1e-3. If no single one is, the
// best ones are combined greedily, each held to the same bound on what it adds; two or three that
// cover 0.95 n together are a "mixture". Everything else is "unexplained", with the candidates that
// fitted but could be chance named in the details.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/runner/oracle.h"
#include "harness/runner/payload.h"

namespace rankle {

// A wrong output and all that is known about how it should have come about. Exact integers only.
struct Evidence {
  const FamilyOracle* oracle = nullptr;
  PayloadSpec spec;
  int rank = 0;                     // whose output
  int round = 0;                    // that it should be of
  std::vector<int> earlier_rounds;  // latest first; without `round`
  std::span<const std::byte> actual;
  std::span<const std::byte> expected;
};

struct Diagnosis {
  // poison-left, scratch-poison, poison-summed, stale-round, stale-contribution, missing-rank,
  // doubled-rank, neighbours-data, misplaced, mixture, unexplained.
  std::string subkind;
  std::string sentence;
  std::vector<std::string> details;
};

// Requires at least one mismatch.
Diagnosis diagnose(const Evidence& evidence);

}  // namespace rankle
