// Judges what one rank's buffers hold after a call: output, input and red zones become findings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "generators/case.h"
#include "harness/runner/buffers.h"
#include "harness/runner/oracle.h"
#include "harness/verdict.h"

namespace rankle {

// What is judged: the output of the last call on a buffer, as a check finds it.
struct CheckPlace {
  int number = 0;  // of the checks of this run, the same on all ranks
  int round = 0;
  int buffer = 0;
  int graph = -1;  // whose replay it follows; -1: none
  int replay = 0;  // which one of that graph, counted from 0
  CallShape shape;
  int step = -1;  // that the check belongs to
};

// "in replay 2 of graph 0 (round 5), buffer 1: "; empty for buffer 0 outside of graphs.
std::string words_for(const CheckPlace& place);

// Output against the oracle; empty if every bit is right. `earlier_rounds`: latest first.
std::vector<Finding> judge_exact(const Case& c, const FamilyOracle& oracle, int rank,
                                 const CheckPlace& place, const std::vector<int>& earlier_rounds,
                                 std::span<const std::byte> actual,
                                 std::span<const std::byte> expected);

// Output against bits that are promised to be equal; `other` names their owner ("rank 0",
// "allreduce/two_stage_uniform").
std::vector<Finding> judge_equal_bits(int rank, const CheckPlace& place,
                                      std::span<const std::byte> actual,
                                      std::span<const std::byte> promised,
                                      const std::string& other);

// Input after the call, or a copy of it (`name` is "input" or "copied input"), against what was
// written before it, in elements of `dtype`.
std::vector<Finding> judge_input(int rank, const CheckPlace& place, DType dtype,
                                 const std::string& name, std::span<const std::byte> actual,
                                 std::span<const std::byte> filled);

// The part of the output behind all that calls were to write, from byte `begin` on.
std::vector<Finding> judge_rest(int rank, const CheckPlace& place, std::int64_t begin,
                                std::span<const std::byte> actual,
                                std::span<const std::byte> expected);

Finding red_zone_finding(int rank, const GuardedBuffer& buffer, const RedZoneDamage& damage);

// A finding of the check with this number.
struct CheckFinding {
  int check = 0;
  Finding finding;
};

// One finding per kind and sub-kind out of all ranks' findings, the earliest check first and in
// rank order: what came later or on other ranks of the same kind becomes details of the first.
std::vector<Finding> merge_ranks(const std::vector<std::vector<CheckFinding>>& by_rank);

}  // namespace rankle
