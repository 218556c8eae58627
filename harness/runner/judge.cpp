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

std::string words_for(const CheckPlace& place) {
  const std::string buffer = place.buffer == 0 ? "" : fmt::format("buffer {}", place.buffer);
  if (place.graph < 0) return buffer.empty() ? "" : buffer + ": ";
  return fmt::format("in replay {} of graph {} (round {}){}{}: ", place.replay, place.graph,
                     place.round, buffer.empty() ? "" : ", ", buffer);
}

std::vector<Finding> judge_exact(const Case& c, const FamilyOracle& oracle, int rank,
                                 const CheckPlace& place, const std::vector<int>& earlier_rounds,
                                 std::span<const std::byte> actual,
                                 std::span<const std::byte> expected) {
  const DType dtype = place.shape.dtype;
  const Mismatch mismatch = compare(dtype, actual, expected);
  if (mismatch.count == 0) return {};
  Diagnosis diagnosis = diagnose(
      {&oracle, payload_of(c, place.shape), rank, place.round, earlier_rounds, actual, expected});
  Finding finding =
      finding_on(FindingKind::wrong_result, rank, words_for(place) + diagnosis.sentence);
  finding.subkind = std::move(diagnosis.subkind);
  finding.details.push_back(fmt::format(
      "round {}, rank {}: {} of {} output elements are wrong, the first at {}; largest absolute "
      "error {:g}; {} not finite",
      place.round, rank, mismatch.count, actual.size() / size_of(dtype), mismatch.first,
      mismatch.largest_absolute_error, mismatch.non_finite));
  std::move(diagnosis.details.begin(), diagnosis.details.end(),
            std::back_inserter(finding.details));
  return {std::move(finding)};
}

std::vector<Finding> judge_equal_bits(int rank, const CheckPlace& place,
                                      std::span<const std::byte> actual,
                                      std::span<const std::byte> promised,
                                      const std::string& other) {
  const DType dtype = place.shape.dtype;
  const Mismatch mismatch = compare(dtype, actual, promised);
  if (mismatch.count == 0) return {};
  Finding finding = finding_on(
      FindingKind::nondeterminism, rank,
      fmt::format("{}output element {} of rank {} is {} in round {} but {} of {} is promised",
                  words_for(place), mismatch.first, rank, hex_bits(dtype, actual, mismatch.first),
                  place.round, hex_bits(dtype, promised, mismatch.first), other));
  finding.details.push_back(
      fmt::format("round {}, rank {}: {} of {} output elements differ from {}", place.round, rank,
                  mismatch.count, actual.size() / size_of(dtype), other));
  return {std::move(finding)};
}

std::vector<Finding> judge_input(int rank, const CheckPlace& place, DType dtype,
                                 const std::string& name, std::span<const std::byte> actual,
                                 std::span<const std::byte> filled) {
  const std::size_t whole = actual.size() - actual.size() % size_of(dtype);
  actual = actual.first(whole);
  filled = filled.first(whole);
  const Mismatch mismatch = compare(dtype, actual, filled);
  if (mismatch.count == 0) return {};
  Finding finding =
      finding_on(FindingKind::input_modified, rank,
                 fmt::format("{}{} element {} of rank {} was overwritten in round {}: {} became {}",
                             words_for(place), name, mismatch.first, rank, place.round,
                             hex_bits(dtype, filled, mismatch.first),
                             hex_bits(dtype, actual, mismatch.first)));
  finding.details.push_back(fmt::format("round {}, rank {}: {} of {} {} elements changed",
                                        place.round, rank, mismatch.count,
                                        actual.size() / size_of(dtype), name));
  return {std::move(finding)};
}

std::vector<Finding> judge_rest(int rank, const CheckPlace& place, std::int64_t begin,
                                std::span<const std::byte> actual,
                                std::span<const std::byte> expected) {
  const auto at = std::mismatch(actual.begin(), actual.end(), expected.begin()).first;
  if (at == actual.end()) return {};
  const auto distance = std::int64_t(at - actual.begin());
  return {finding_on(
      FindingKind::redzone, rank,
      fmt::format("{}the byte {} bytes behind the {} that calls were to write of the output of "
                  "rank {} was overwritten with {:#04x} by round {}",
                  words_for(place), distance, begin, rank, unsigned(*at), place.round))};
}

Finding red_zone_finding(int rank, const GuardedBuffer& buffer, const RedZoneDamage& damage) {
  return finding_on(
      FindingKind::redzone, rank,
      fmt::format("the byte {} bytes {} the {} was overwritten with {:#04x}",
                  damage.before ? damage.distance + 1 : damage.distance,
                  damage.before ? "before" : "behind", buffer.name(), unsigned(damage.value)));
}

std::vector<Finding> merge_ranks(const std::vector<std::vector<CheckFinding>>& by_rank) {
  struct Place {
    int check;
    std::size_t order;
    const Finding* finding;
  };
  std::vector<Place> all;
  for (const std::vector<CheckFinding>& of_rank : by_rank) {
    for (const CheckFinding& found : of_rank) {
      all.push_back({found.check, all.size(), &found.finding});
    }
  }
  std::sort(all.begin(), all.end(), [](const Place& a, const Place& b) {
    return std::pair(a.check, a.order) < std::pair(b.check, b.order);
  });
  std::vector<Finding> merged;
  for (const Place& place : all) {
    const Finding& finding = *place.finding;
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
  return merged;
}

}  // namespace rankle
