// Candidate explanations of wrong elements: poison, stale rounds, wrong sets of ranks,
// displacement.
#include "harness/runner/hypotheses.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <optional>

#include "harness/runner/poison.h"
#include "harness/runner/wire_format.h"

namespace rankle {
namespace {

constexpr std::size_t kRoundsMax = 16;        // earlier rounds that are tried
constexpr std::int64_t kSearchMax = 1 << 20;  // elements on either side for a displacement
constexpr std::size_t kVotersMax = 8;

class Builder {
 public:
  Builder(const Evidence& evidence, const std::vector<std::int64_t>& samples)
      : evidence_(evidence), samples_(samples) {
    const PayloadSpec& spec = evidence.spec;
    chance_ = escape_probability(spec.dtype, spec.accum, spec.world);
    for (std::int64_t at : samples) actual_.push_back(bits_at(spec.dtype, evidence.actual, at));
  }

  std::vector<Hypothesis> build() {
    poison();
    stale_rounds();
    if (evidence_.oracle->reduces) {
      wrong_ranks();
      stale_contributions();
      poison_contributions();
    }
    displacement();
    return std::move(hypotheses_);
  }

 private:
  using Test = std::function<bool(std::size_t)>;  // of a sample's index

  int world() const { return evidence_.spec.world; }

  void add(std::string subkind, std::string predicate, double chance, const Test& test,
           double variants = 1) {
    Hypothesis hypothesis{std::move(subkind), std::move(predicate), chance, variants, {}};
    for (std::size_t i = 0; i < samples_.size(); ++i) hypothesis.fits.push_back(test(i));
    hypotheses_.push_back(std::move(hypothesis));
  }

  std::uint64_t predicted(const Contributions& contributions, std::size_t sample) const {
    std::uint64_t bits = 0;
    evidence_.oracle->expected(
        evidence_.spec, evidence_.rank, contributions, samples_[sample],
        std::as_writable_bytes(std::span(&bits, 1)).first(size_of(evidence_.spec.dtype)));
    return bits;
  }

  void add_contributions(std::string subkind, std::string predicate, const Contributions& c) {
    add(std::move(subkind), std::move(predicate), chance_,
        [&](std::size_t i) { return predicted(c, i) == actual_[i]; });
  }

  void poison() {
    const DType dtype = evidence_.spec.dtype;
    const double chance = std::ldexp(1.0, -8 * int(size_of(dtype)));
    add("poison-left", fmt::format("was not written in round {} (poison left)", evidence_.round),
        chance, [this, bits = poison_bits(dtype, Poison::output)](std::size_t i) {
          return actual_[i] == bits;
        });
    add("scratch-poison",
        fmt::format("holds poison of memory that nobody wrote in round {}", evidence_.round),
        chance,
        [this, poison = poison_bits(dtype, Poison::scratch), undefined = undefined_bits(dtype)](
            std::size_t i) { return actual_[i] == poison || actual_[i] == undefined; });
  }

  void stale_rounds() {
    std::size_t tried = 0;
    for (int round : evidence_.earlier_rounds) {
      if (tried++ == kRoundsMax) return;
      add_contributions("stale-round",
                        fmt::format("holds round {}'s value in round {}", round, evidence_.round),
                        all_of_round(world(), round));
    }
  }

  // Every proper subset of the ranks, largest first, then one rank counted twice.
  void wrong_ranks() {
    const unsigned all = (1u << world()) - 1;
    for (int present = world() - 1; present >= 1; --present) {
      for (unsigned set = 1; set < all; ++set) {
        if (std::popcount(set) == present) add_subset(set, present);
      }
    }
    for (int rank = 0; rank < world(); ++rank) {
      Contributions c = all_of_round(world(), evidence_.round);
      c.weight[std::size_t(rank)] = 2;
      add_contributions("doubled-rank", fmt::format("counts rank {} twice", rank), c);
    }
  }

  void add_subset(unsigned set, int present) {
    Contributions c = all_of_round(world(), evidence_.round);
    std::vector<int> lacking;
    for (int rank = 0; rank < world(); ++rank) {
      if ((set >> rank & 1u) != 0) continue;
      c.weight[std::size_t(rank)] = 0;
      lacking.push_back(rank);
    }
    // With one rank missing of two, both readings hold; the missing rank says more.
    if (present == 1 && world() > 2) {
      add_contributions("neighbours-data",
                        fmt::format("holds rank {}'s input alone", std::countr_zero(set)), c);
    } else {
      const std::string ranks = fmt::format("{}", fmt::join(lacking, ", "));
      add_contributions("missing-rank",
                        fmt::format("lacks rank{} {}", lacking.size() > 1 ? "s" : "", ranks), c);
    }
  }

  // One rank's share is old, or all shares but one are.
  void stale_contributions() {
    std::size_t tried = 0;
    for (int old : evidence_.earlier_rounds) {
      if (tried++ == kRoundsMax) return;
      for (int rank = 0; rank < world(); ++rank) {
        Contributions c = all_of_round(world(), evidence_.round);
        c.round[std::size_t(rank)] = old;
        add_contributions("stale-contribution",
                          fmt::format("has rank {}'s contribution of round {} in round {}", rank,
                                      old, evidence_.round),
                          c);
      }
      for (int rank = 0; rank < world() && world() > 2; ++rank) {
        Contributions c = all_of_round(world(), old);
        c.round[std::size_t(rank)] = evidence_.round;
        add_contributions("stale-contribution",
                          fmt::format("has only rank {}'s contribution of round {}, the others of "
                                      "round {}",
                                      rank, evidence_.round, old),
                          c);
      }
    }
  }

  // Poison that went through a sum: a NaN for floats, one rank's share replaced for integers.
  void poison_contributions() {
    with_wire(evidence_.spec.dtype, [&](auto wire) {
      using W = decltype(wire);
      using Bits = typename W::Bits;
      if constexpr (W::is_float) {
        add("poison-summed", "is a NaN: poison went into the sum", 1e-3,
            [&](std::size_t i) { return W::is_nan(Bits(actual_[i])); });
      } else {
        const auto poison = Bits(poison_bits(evidence_.spec.dtype, Poison::scratch));
        const auto overwritten = Bits(poison_bits(evidence_.spec.dtype, Poison::input));
        const auto undefined = Bits(undefined_bits(evidence_.spec.dtype));
        for (int rank = 0; rank < world(); ++rank) {
          Contributions c = all_of_round(world(), evidence_.round);
          c.weight[std::size_t(rank)] = 0;
          add("poison-summed", fmt::format("has scratch poison in place of rank {}", rank), chance_,
              [&](std::size_t i) {
                const auto share = Bits(actual_[i] - predicted(c, i));
                return share == poison || share == undefined;
              });
          add("poison-summed", fmt::format("has the poison that overwrote rank {}'s input", rank),
              chance_,
              [&](std::size_t i) { return Bits(actual_[i] - predicted(c, i)) == overwritten; });
        }
      }
    });
  }

  // A constant displacement between where values lie and where they belong, found by vote.
  void displacement() {
    const DType dtype = evidence_.spec.dtype;
    const auto count = std::int64_t(evidence_.expected.size() / size_of(dtype));
    const std::int64_t reach = std::min(count - 1, kSearchMax);
    if (reach < 1) return;
    std::vector<std::uint8_t> votes(std::size_t(2 * reach + 1), 0);
    const std::size_t stride = std::max<std::size_t>(1, samples_.size() / kVotersMax);
    for (std::size_t i = 0, voters = 0; i < samples_.size() && voters < kVotersMax;
         i += stride, ++voters) {
      const std::int64_t low = std::max<std::int64_t>(0, samples_[i] - reach);
      const std::int64_t high = std::min(count - 1, samples_[i] + reach);
      for (std::int64_t at = low; at <= high; ++at) {
        if (bits_at(dtype, evidence_.expected, at) == actual_[i]) {
          ++votes[std::size_t(at - samples_[i] + reach)];
        }
      }
    }
    const std::int64_t shift = nearest_top(votes) - reach;
    if (shift == 0) return;  // no vote at all
    add(
        "misplaced",
        fmt::format("holds the value of the element {} places {}", std::abs(shift),
                    shift > 0 ? "later" : "earlier"),
        chance_,
        [&](std::size_t i) {
          const std::int64_t at = samples_[i] + shift;
          return at >= 0 && at < count && bits_at(dtype, evidence_.expected, at) == actual_[i];
        },
        double(2 * reach));
  }

  // Index of the most votes; among equals the one nearest to no displacement (the middle).
  static std::int64_t nearest_top(const std::vector<std::uint8_t>& votes) {
    const auto middle = std::int64_t(votes.size() / 2);
    std::int64_t best = middle;
    for (std::int64_t distance = 1; distance <= middle; ++distance) {
      for (std::int64_t at : {middle + distance, middle - distance}) {
        if (votes[std::size_t(at)] > votes[std::size_t(best)]) best = at;
      }
    }
    return best;
  }

  const Evidence& evidence_;
  const std::vector<std::int64_t>& samples_;
  double chance_ = 0;
  std::vector<std::uint64_t> actual_;
  std::vector<Hypothesis> hypotheses_;
};

}  // namespace

std::vector<Hypothesis> hypotheses_for(const Evidence& evidence,
                                       const std::vector<std::int64_t>& samples) {
  return Builder(evidence, samples).build();
}

}  // namespace rankle
