// What the output of a collective must be, recomputed from the payload alone. One row per family; a
// family added later fills in a FamilyOracle and joins the table in oracle.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "harness/runner/payload.h"

namespace rankle {

// The exact inputs that make one output: how often each rank takes part (1 for all in a correct
// run), and with which round's values. Forensics asks for wrong ones.
struct Contributions {
  std::vector<int> weight;  // per rank
  std::vector<int> round;   // per rank
};

Contributions all_of_round(int world, int round);

struct FamilyOracle {
  std::string_view family;
  // Elements of one rank's output, for a call on `count` elements per rank.
  std::int64_t (*output_count)(std::int64_t count, int world) = nullptr;
  // Expected bits of output elements first, first + 1, ... of `rank`; only for exact integers.
  void (*expected)(const PayloadSpec& spec, int rank, const Contributions& contributions,
                   std::int64_t first, std::span<std::byte> out) = nullptr;
  bool same_on_all_ranks = false;  // outputs of all ranks are promised to have equal bits
  bool reduces = false;            // an output element depends on every rank's input
};

// nullptr for a family without an oracle.
const FamilyOracle* oracle_for(std::string_view family);

// Differences between an output and what it should be.
struct Mismatch {
  std::int64_t count = 0;
  std::int64_t first = -1;            // element index
  double largest_absolute_error = 0;  // over elements that are finite on both sides
  std::int64_t non_finite = 0;        // mismatching elements that are infinite or NaN
};

// Bitwise; both spans hold whole elements of `dtype` and have equal size.
Mismatch compare(DType dtype, std::span<const std::byte> actual,
                 std::span<const std::byte> expected);

// Bits of element `index`, in the low bytes.
std::uint64_t bits_at(DType dtype, std::span<const std::byte> data, std::int64_t index);

}  // namespace rankle
