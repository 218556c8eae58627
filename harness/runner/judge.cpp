// Sentences and sub-kinds of the runner's own findings.
#include "harness/runner/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/runner/forensics.h"

namespace rankle {
namespace {

std::string hex_bits(DType dtype, std::span<const std::byte> data, std::int64_t index) {
  return fmt::format("{:#0{}x}", bits_at(dtype, data, index), 2 + 2 * int(size_of(dtype)));
}

Finding finding_on(FindingKind kind, int rank, std::string message) {
  Finding finding;
  finding.kind = kind;
  finding.message = std::move(message);
  finding.actors.push_back({rank, -1, -1});
  return finding;
}

}  // namespace

std::vector<Finding> judge_exact(const Case& c, const FamilyOracle& oracle, int rank, int round,
                                 const std::vector<int>& earlier_rounds,
                                 std::span<const std::byte> actual,
                                 std::span<const std::byte> expected) {
  const Mismatch mismatch = compare(c.dtype, actual, expected);
  if (mismatch.count == 0) return {};
  Diagnosis diagnosis =
      diagnose({&oracle, payload_of(c), rank, round, earlier_rounds, actual, expected});
  Finding finding = finding_on(FindingKind::wrong_result, rank, std::move(diagnosis.sentence));
  finding.subkind = std::move(diagnosis.subkind);
  finding.details.push_back(fmt::format(
      "round {}, rank {}: {} of {} output elements are wrong, the first at {}; largest absolute "
      "error {:g}; {} not finite",
      round, rank, mismatch.count, actual.size() / size_of(c.dtype), mismatch.first,
      mismatch.largest_absolute_error, mismatch.non_finite));
  std::move(diagnosis.details.begin(), diagnosis.details.end(),
            std::back_inserter(finding.details));
  return {std::move(finding)};
}

std::vector<Finding> judge_equal_bits(const Case& c, int rank, int round,
                                      std::span<const std::byte> actual,
                                      std::span<const std::byte> promised,
                                      const std::string& other) {
  const Mismatch mismatch = compare(c.dtype, actual, promised);
  if (mismatch.count == 0) return {};
  Finding finding = finding_on(
      FindingKind::nondeterminism, rank,
      fmt::format("output element {} of rank {} is {} in round {} but {} of {} is promised",
                  mismatch.first, rank, hex_bits(c.dtype, actual, mismatch.first), round,
                  hex_bits(c.dtype, promised, mismatch.first), other));
  finding.details.push_back(
      fmt::format("round {}, rank {}: {} of {} output elements differ from {}", round, rank,
                  mismatch.count, actual.size() / size_of(c.dtype), other));
  return {std::move(finding)};
}

std::vector<Finding> judge_input(const Case& c, int rank, int round,
                                 std::span<const std::byte> actual,
                                 std::span<const std::byte> filled) {
  const Mismatch mismatch = compare(c.dtype, actual, filled);
  if (mismatch.count == 0) return {};
  Finding finding = finding_on(
      FindingKind::input_modified, rank,
      fmt::format("input element {} of rank {} was overwritten in round {}: {} became {}",
                  mismatch.first, rank, round, hex_bits(c.dtype, filled, mismatch.first),
                  hex_bits(c.dtype, actual, mismatch.first)));
  finding.details.push_back(fmt::format("round {}, rank {}: {} of {} input elements changed", round,
                                        rank, mismatch.count, actual.size() / size_of(c.dtype)));
  return {std::move(finding)};
}

Finding red_zone_finding(int rank, const GuardedBuffer& buffer, const RedZoneDamage& damage) {
  return finding_on(
      FindingKind::redzone, rank,
      fmt::format("the byte {} bytes {} the {} was overwritten with {:#04x}",
                  damage.before ? damage.distance + 1 : damage.distance,
                  damage.before ? "before" : "behind", buffer.name(), unsigned(damage.value)));
}

std::vector<Finding> merge_ranks(const std::vector<std::vector<Finding>>& by_rank) {
  std::vector<Finding> merged;
  for (const std::vector<Finding>& of_rank : by_rank) {
    for (const Finding& finding : of_rank) {
      const auto same = std::find_if(merged.begin(), merged.end(), [&](const Finding& known) {
        return known.kind == finding.kind && known.subkind == finding.subkind;
      });
      if (same == merged.end()) {
        merged.push_back(finding);
        continue;
      }
      same->details.push_back("also: " + finding.message);
      same->details.insert(same->details.end(), finding.details.begin(), finding.details.end());
      same->actors.insert(same->actors.end(), finding.actors.begin(), finding.actors.end());
    }
  }
  return merged;
}

}  // namespace rankle
