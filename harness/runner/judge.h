// Judges what one rank's buffers hold after a call: output, input and red zones become findings.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "generators/case.h"
#include "harness/runner/buffers.h"
#include "harness/runner/oracle.h"
#include "harness/verdict.h"

namespace rankle {

// Output against the oracle; empty if every bit is right. `earlier_rounds`: latest first.
std::vector<Finding> judge_exact(const Case& c, const FamilyOracle& oracle, int rank, int round,
                                 const std::vector<int>& earlier_rounds,
                                 std::span<const std::byte> actual,
                                 std::span<const std::byte> expected);

// Output against bits that are promised to be equal; `other` names their owner ("rank 0",
// "allreduce/two_stage_uniform").
std::vector<Finding> judge_equal_bits(const Case& c, int rank, int round,
                                      std::span<const std::byte> actual,
                                      std::span<const std::byte> promised,
                                      const std::string& other);

// Input after the call against what was written before it.
std::vector<Finding> judge_input(const Case& c, int rank, int round,
                                 std::span<const std::byte> actual,
                                 std::span<const std::byte> filled);

Finding red_zone_finding(int rank, const GuardedBuffer& buffer, const RedZoneDamage& damage);

// One finding per kind and sub-kind out of all ranks' findings, in rank order: what other ranks saw
// of the same kind becomes details of the first.
std::vector<Finding> merge_ranks(const std::vector<std::vector<Finding>>& by_rank);

}  // namespace rankle
