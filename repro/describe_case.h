// A case in plain words, one line each: what the ranks hold, how it splits into packs and tiles,
// what the program does and who runs when. Used by `explain` and by the text of a finding.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generators/case.h"
#include "repro/step_notes.h"

namespace rankle {

// How a message splits over ranks in the pack-based kernels: `pack` is 16 bytes, every rank owns
// `part` packs and the last one the remainder as well, and a block takes `tile` packs at a time.
struct PackSplit {
  std::int64_t packs = 0;           // complete packs per rank's message
  std::int64_t loose_elements = 0;  // elements after the last complete pack
  std::int64_t part = 0;            // packs that each rank owns
  std::int64_t part_last = 0;       // packs that the last rank owns
  std::int64_t tile = 0;            // packs per block and iteration: threads / world; at least 1
  std::int64_t tiles = 0;           // tiles of the last rank's part, the partial one included
  std::int64_t tail = 0;            // packs in the partial tile of the last rank; 0: none
};

PackSplit split_of(const Case& c);

std::vector<std::string> describe_case(const Case& c, const StepNotes& notes = {});

// The case in a dozen words: "4 ranks, bf16, 520 elements (65 packs), 2 blocks of 512 threads".
std::string summarise_case(const Case& c);

// 1234567 as "1,234,567".
std::string with_commas(std::int64_t value);

}  // namespace rankle
