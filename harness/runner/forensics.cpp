// Choosing among hypotheses; what the hypotheses are stands in hypotheses.cpp.
#include "harness/runner/forensics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>

#include "harness/runner/hypotheses.h"

namespace rankle {
namespace {

constexpr std::size_t kSamplesMax = 256;
constexpr std::size_t kComponentsMax = 3;
constexpr double kCoverage = 0.95;
constexpr double kLogChanceMax = -3;  // log10

// Up to kSamplesMax mismatching elements, spread evenly, the first one always among them.
std::vector<std::int64_t> sample_mismatches(const Evidence& evidence) {
  const std::size_t size = size_of(evidence.spec.dtype);
  const auto count = std::int64_t(evidence.actual.size() / size);
  const std::int64_t wrong = compare(evidence.spec.dtype, evidence.actual, evidence.expected).count;
  const std::int64_t stride = std::max<std::int64_t>(1, (wrong + kSamplesMax - 1) / kSamplesMax);
  std::vector<std::int64_t> samples;
  std::int64_t seen = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (bits_at(evidence.spec.dtype, evidence.actual, i) ==
        bits_at(evidence.spec.dtype, evidence.expected, i)) {
      continue;
    }
    if (seen++ % stride == 0) samples.push_back(i);
  }
  return samples;
}

double log_choose(std::size_t n, std::size_t m) {
  const double nat =
      std::lgamma(double(n) + 1) - std::lgamma(double(m) + 1) - std::lgamma(double(n - m) + 1);
  return nat / std::log(10.0);
}

// log10 of the bound on accidental agreement that stands in the header.
double log_chance(const Hypothesis& hypothesis, std::size_t hypotheses, std::size_t sampled,
                  std::size_t explained) {
  const double p = std::max(hypothesis.chance, 1e-300);
  return std::log10(double(hypotheses) * hypothesis.variants) + log_choose(sampled, explained) +
         double(explained) * std::log10(p);
}

struct Choice {
  const Hypothesis* hypothesis = nullptr;
  std::vector<std::size_t> explained;  // indices of samples
};

// The hypothesis that explains most of the samples that are still open; earlier ones win ties.
Choice best_of(const std::vector<Hypothesis>& hypotheses, const std::vector<bool>& open) {
  Choice best;
  for (const Hypothesis& hypothesis : hypotheses) {
    std::vector<std::size_t> explained;
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (open[i] && hypothesis.fits[i]) explained.push_back(i);
    }
    if (explained.size() > best.explained.size()) best = {&hypothesis, std::move(explained)};
  }
  return best;
}

std::string place_of(const Evidence& evidence, std::int64_t element) {
  return fmt::format("output element {} of rank {}", element, evidence.rank);
}

Diagnosis unexplained(const Evidence& evidence, const std::vector<std::int64_t>& samples,
                      const std::vector<Hypothesis>& hypotheses) {
  Diagnosis diagnosis{"unexplained", "", {}};
  const std::int64_t first = samples.front();
  const int digits = int(size_of(evidence.spec.dtype)) * 2;
  diagnosis.sentence = fmt::format(
      "{} is {:#0{}x} where {:#0{}x} was expected in round {}; no single cause explains it",
      place_of(evidence, first), bits_at(evidence.spec.dtype, evidence.actual, first), digits + 2,
      bits_at(evidence.spec.dtype, evidence.expected, first), digits + 2, evidence.round);
  std::size_t named = 0;
  for (const Hypothesis& hypothesis : hypotheses) {
    const auto fitting = std::count(hypothesis.fits.begin(), hypothesis.fits.end(), true);
    if (double(fitting) < kCoverage * double(samples.size()) || named == 3) continue;
    ++named;
    diagnosis.details.push_back(
        fmt::format("too few mismatches to tell from chance, but it fits that {} {}",
                    place_of(evidence, first), hypothesis.predicate));
  }
  return diagnosis;
}

}  // namespace

Diagnosis diagnose(const Evidence& evidence) {
  assert(evidence.oracle != nullptr);
  assert(evidence.actual.size() == evidence.expected.size());
  const std::vector<std::int64_t> samples = sample_mismatches(evidence);
  assert(!samples.empty());
  const std::vector<Hypothesis> hypotheses = hypotheses_for(evidence, samples);

  std::vector<bool> open(samples.size(), true);
  std::vector<Choice> chosen;
  std::size_t covered = 0;
  while (chosen.size() < kComponentsMax && double(covered) < kCoverage * double(samples.size())) {
    Choice best = best_of(hypotheses, open);
    if (best.hypothesis == nullptr) break;
    const double chance = log_chance(*best.hypothesis, hypotheses.size(), samples.size() - covered,
                                     best.explained.size());
    if (chance >= kLogChanceMax) break;
    covered += best.explained.size();
    for (std::size_t i : best.explained) open[i] = false;
    chosen.push_back(std::move(best));
  }
  if (double(covered) < kCoverage * double(samples.size())) {
    return unexplained(evidence, samples, hypotheses);
  }

  const auto sentence = [&](const Choice& choice) {
    return fmt::format("{} {}", place_of(evidence, samples[choice.explained.front()]),
                       choice.hypothesis->predicate);
  };
  Diagnosis diagnosis;
  diagnosis.subkind = chosen.size() == 1 ? chosen.front().hypothesis->subkind : "mixture";
  diagnosis.sentence = sentence(chosen.front());
  if (chosen.size() == 1) return diagnosis;
  for (const Choice& choice : chosen) {
    diagnosis.details.push_back(fmt::format("{} of {} sampled mismatches: {} ({})",
                                            choice.explained.size(), samples.size(),
                                            sentence(choice), choice.hypothesis->subkind));
  }
  return diagnosis;
}

}  // namespace rankle
