// The programs of most cases: rounds that end with a check or run into each other.
#include <cstdint>

#include "generators/draw_program.h"

namespace rankle::detail {

std::vector<Step> draw_rounds(Dice& dice, bool in_place, bool costly) {
  const int rounds =
      1 + static_cast<int>(dice.weighted({35, 35, costly ? 0 : 20, costly ? 0 : 10}));
  // Half of all programs never poison scratch: what an earlier round left there stays to be found.
  const bool fresh_scratch = dice.percent(50);
  std::vector<Step> program;
  program.reserve(static_cast<std::size_t>(rounds) * 8);
  bool filled = false;  // by the round before
  bool checked = true;  // no peer is still in the last call
  for (int round = 0; round < rounds; ++round) {
    if (!filled) program.push_back({StepKind::fill, round});
    if (!in_place) program.push_back({StepKind::poison_output, 0});
    if (fresh_scratch && checked && dice.percent(70)) {
      program.push_back({StepKind::poison_scratch, 0});
    }
    program.push_back({StepKind::call, 0});
    // Calls queued back to back: the second may overtake what the first still uses.
    if (!in_place && !costly && dice.percent(15)) {
      const auto more = dice.between(1, 2);
      for (std::int64_t i = 0; i < more; ++i) program.push_back({StepKind::call, 0});
    }
    // A rank that has waited for itself alone goes on: it refills its input, which a peer that is
    // late may still read, before or without a check that brings the ranks together.
    const std::size_t ending = round + 1 == rounds ? 0 : dice.weighted({55, 30, 15});
    filled = ending == 1 && !in_place;
    checked = ending == 0 || filled;
    if (ending != 0 || dice.percent(50)) program.push_back({StepKind::sync, 0});
    if (filled) program.push_back({StepKind::fill, round + 1});
    if (checked) program.push_back({StepKind::check, round});
  }
  return program;
}

}  // namespace rankle::detail
