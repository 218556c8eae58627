// Draws the payload of a case: how many elements, in what shape. Private to this folder.
#pragma once

#include <cstdint>
#include <vector>

#include "generators/contract.h"
#include "generators/dice.h"

namespace rankle::detail {

// What is known of a case when its payload is drawn.
struct CountRange {
  const Contract& contract;
  DType dtype;
  int world;
  int threads;
  int wave;
  int blocks;                // blocks to tile for; a guess where the target chooses
  std::int64_t bytes_limit;  // payload per rank, at most what validate() allows
};

std::vector<std::int64_t> draw_shape(Dice& dice, const CountRange& range);

}  // namespace rankle::detail
