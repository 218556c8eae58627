// Random cases, RapidCheck being the only source of randomness. Draws lie inside a contract and are
// biased to where collective kernels break: sizes round packs, ranks, tiles, grids and dispatch
// thresholds, one-lane tails, odd geometries, offsets that differ between ranks, rounds that leave
// the scratch of the round before in place.
#pragma once

#include <rapidcheck.h>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "generators/case.h"
#include "generators/contract.h"
#include "generators/programs.h"

namespace rankle {

// How much one case may cost. Each class bounds the simulated threads of one call and the payload,
// both over all ranks; the default mix draws many tiny and small cases and few of the others.
enum class SizeClass { tiny, small, medium, large, huge };

struct SizeLimit {
  std::int64_t threads;
  std::int64_t bytes;
};

SizeLimit limit_of(SizeClass size);

// A user's restrictions. An empty list or nullopt leaves the choice to the contract.
struct Draw {
  std::vector<int> worlds;
  std::vector<DType> dtypes;
  std::vector<int> waves;  // of 32 and 64
  std::vector<Policy> policies;
  std::optional<Granularity> granularity;
  std::optional<BarrierModel> barrier_model;
  SizeClass size_max = SizeClass::huge;
  Programs programs = Programs::mixed;
  bool weak_memory = false;    // in every case; an experiment, and never drawn otherwise
  bool perturbations = false;  // for devices whose timing a schedule cannot decide
  bool rounding = true;        // draw Inputs::rounding where the contract allows it
};

// Whether any case fits both: a contract of worlds 2, 4 admits no draw of world 3.
bool admits(const Contract& contract, const Draw& draw);

// Cases of all contracts that admit the draw, equally often, that shrink by shrink(). RapidCheck's
// size (0 to 100) moves the mix from small to large cases. Throws std::invalid_argument if no
// contract admits the draw: callers report that first, in the user's words.
rc::Gen<Case> cases_of(const std::vector<Contract>& contracts, const Draw& draw);

// Case number `index` of the stream `seed`, a function of the arguments only, so that one case can
// be run again alone. Sizes go from small to large and start again every kSizeCycle cases. Throws
// as cases_of. Cost: a few microseconds.
Case draw_case(const std::vector<Contract>& contracts, const Draw& draw, std::uint64_t seed,
               std::uint64_t index);

inline constexpr std::uint64_t kSizeCycle = 101;

// How RapidCheck prints a case: its JSON form.
void showValue(const Case& c, std::ostream& os);

}  // namespace rankle
