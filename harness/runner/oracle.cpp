// Expected outputs per family and the bitwise comparison.
#include "harness/runner/oracle.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>

#include "harness/runner/wire_format.h"

namespace rankle {
namespace {

std::int64_t allreduce_count(std::int64_t count, int /*world*/) { return count; }

// In chunks that stay in the first-level cache.
constexpr std::size_t kChunk = 1024;

void allreduce_expected(const PayloadSpec& spec, int /*rank*/, const Contributions& contributions,
                        std::int64_t first, std::span<std::byte> out) {
  assert(int(contributions.weight.size()) == spec.world);
  assert(int(contributions.round.size()) == spec.world);
  const std::size_t size = size_of(spec.dtype);
  const std::size_t count = out.size() / size;
  const bool exact = std::all_of(contributions.weight.begin(), contributions.weight.end(),
                                 [](int weight) { return weight == 0 || weight == 1; });
  std::array<std::int64_t, kChunk> sums;
  for (std::size_t done = 0; done < count; done += kChunk) {
    const std::span<std::int64_t> part(sums.data(), std::min(kChunk, count - done));
    std::fill(part.begin(), part.end(), 0);
    for (int rank = 0; rank < spec.world; ++rank) {
      const auto r = std::size_t(rank);
      if (contributions.weight[r] == 0) continue;
      add_exact_values(spec, rank, contributions.round[r], first + std::int64_t(done),
                       contributions.weight[r], part);
    }
    std::byte* at = out.data() + done * size;
    if (exact) {
      encode_exact(spec.dtype, part, at);
      continue;
    }
    with_wire(spec.dtype, [&](auto wire) {
      for (std::size_t i = 0; i < part.size(); ++i) {
        const auto bits = encode_any(wire, part[i]);
        std::memcpy(at + i * sizeof bits, &bits, sizeof bits);
      }
    });
  }
}

constexpr std::array kOracles{
    FamilyOracle{"allreduce", allreduce_count, allreduce_expected, true, true},
};

template <class W>
void compare_element(W, std::span<const std::byte> actual, std::span<const std::byte> expected,
                     std::size_t index, Mismatch& result) {
  typename W::Bits a;
  typename W::Bits e;
  std::memcpy(&a, actual.data() + index * sizeof a, sizeof a);
  std::memcpy(&e, expected.data() + index * sizeof e, sizeof e);
  if (a == e) return;
  if (result.count++ == 0) result.first = std::int64_t(index);
  if (!W::is_finite(a)) {
    ++result.non_finite;
  } else if (W::is_finite(e)) {
    const double error = std::fabs(W::decode(a) - W::decode(e));
    result.largest_absolute_error = std::max(result.largest_absolute_error, error);
  }
}

}  // namespace

Contributions all_of_round(int world, int round) {
  return {std::vector<int>(std::size_t(world), 1), std::vector<int>(std::size_t(world), round)};
}

const FamilyOracle* oracle_for(std::string_view family) {
  for (const FamilyOracle& oracle : kOracles) {
    if (oracle.family == family) return &oracle;
  }
  return nullptr;
}

Mismatch compare(DType dtype, std::span<const std::byte> actual,
                 std::span<const std::byte> expected) {
  assert(actual.size() == expected.size());
  assert(actual.size() % size_of(dtype) == 0);
  Mismatch result;
  // Nearly every comparison of a campaign ends at this line.
  if (actual.empty() || std::memcmp(actual.data(), expected.data(), actual.size()) == 0) {
    return result;
  }
  with_wire(dtype, [&](auto wire) {
    const std::size_t count = actual.size() / size_of(dtype);
    for (std::size_t i = 0; i < count; ++i) compare_element(wire, actual, expected, i, result);
  });
  return result;
}

std::uint64_t bits_at(DType dtype, std::span<const std::byte> data, std::int64_t index) {
  std::uint64_t bits = 0;
  const std::size_t size = size_of(dtype);
  assert((std::size_t(index) + 1) * size <= data.size());
  std::memcpy(&bits, data.data() + std::size_t(index) * size, size);
  return bits;
}

}  // namespace rankle
