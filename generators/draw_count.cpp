// Payload sizes biased to boundaries. A size is drawn as a boundary in packs (of ranks, tiles,
// grid, dispatch) and moved by a granule, by a pack per rank, or by a tail of chosen lanes.
#include "generators/draw_count.h"

#include <algorithm>
#include <array>
#include <optional>

#include "generators/tiling.h"

namespace rankle::detail {
namespace {

// Row lengths of language models and of tests that people write.
constexpr std::array<std::int64_t, 8> kHidden{512, 2880, 4096, 64, 8, 3, 5120, 7168};

// Packs per rank that end a tile early: one lane, round a wave, all lanes but one.
std::int64_t draw_tail(Dice& dice, const CountRange& range) {
  const std::int64_t row = std::max(1, range.threads / range.world);
  if (dice.percent(35)) return 0;
  const std::array<std::int64_t, 6> tails{1,      1, range.wave - 1, range.wave, range.wave + 1,
                                          row - 1};
  return tails[dice.below(tails.size())];
}

// A boundary in bytes; -1 if this kind does not exist here.
std::int64_t draw_boundary(Dice& dice, const CountRange& range) {
  const std::int64_t row = std::max(1, range.threads / range.world);
  const std::int64_t world_packs = range.world;
  const std::int64_t grid = row * range.blocks;
  switch (dice.weighted({4, 4, 8, 8, 16, 24, 4, 12, 1})) {
    case 0:
      return 0;
    case 1:
      return kPackBytes;
    case 2:  // fewer packs than ranks
      return range.world < 2 ? -1 : dice.between(1, range.world - 1) * kPackBytes;
    case 3:  // a few packs per rank
      return world_packs * dice.between(1, 4) * kPackBytes;
    case 4:  // tiles per rank
      return world_packs * (row * dice.between(0, 3) + draw_tail(dice, range)) * kPackBytes;
    case 5:  // rounds of the grid per rank
      return world_packs * (grid * dice.between(0, 2) + draw_tail(dice, range)) * kPackBytes;
    case 6:  // rounds of the grid over the whole payload, as in one-stage kernels
      return (grid * dice.between(1, 4) + draw_tail(dice, range)) * kPackBytes;
    case 7:
      return range.contract.thresholds_bytes.empty() ? -1
                                                     : dice.pick(range.contract.thresholds_bytes);
    default:
      return range.contract.bytes_max;
  }
}

std::int64_t draw_bytes(Dice& dice, const CountRange& range) {
  const std::int64_t granule = granule_bytes(range.contract, range.dtype);
  const std::int64_t granules = range.bytes_limit / granule;
  constexpr int kAttempts = 4;
  for (int attempt = 0; attempt < kAttempts && dice.percent(90); ++attempt) {
    const std::int64_t boundary = draw_boundary(dice, range);
    if (boundary < 0) continue;
    std::int64_t bytes = boundary / granule * granule;
    switch (dice.weighted({40, 20, 20, 10, 10})) {
      case 1:
        bytes -= granule;
        break;
      case 2:
        bytes += granule;
        break;
      case 3:  // one pack fewer for each rank
        bytes -= range.world * kPackBytes / granule * granule;
        break;
      case 4:
        bytes += range.world * kPackBytes / granule * granule;
        break;
      default:
        break;
    }
    if (bytes >= 0 && bytes <= range.bytes_limit) return bytes;
  }
  return dice.between(0, granules) * granule;
}

// (M, H) with a row length that people use, if one fits.
std::optional<std::vector<std::int64_t>> draw_rows(Dice& dice, const CountRange& range) {
  const std::int64_t hidden = kHidden[dice.below(kHidden.size())];
  const std::int64_t row_bytes = hidden * static_cast<std::int64_t>(size_of(range.dtype));
  const std::int64_t rows_max = range.bytes_limit / row_bytes;
  if (row_bytes % range.contract.count_multiple_bytes != 0 || rows_max < 1) return std::nullopt;
  constexpr std::array<std::int64_t, 4> kRows{1, 1023, 1024, 1025};
  const std::int64_t known = kRows[dice.below(kRows.size())];
  const std::int64_t rows = known <= rows_max ? known : dice.between(1, rows_max);
  return std::vector<std::int64_t>{rows, hidden};
}

// The same count as one, two or three dimensions.
std::vector<std::int64_t> draw_factors(Dice& dice, std::int64_t count) {
  if (dice.percent(60)) return {count};
  const std::int64_t hidden = kHidden[dice.below(kHidden.size())];
  if (count == 0) {
    return dice.percent(50) ? std::vector<std::int64_t>{0, hidden}
                            : std::vector<std::int64_t>{hidden, 0};
  }
  if (count % hidden != 0) return {count};
  const std::int64_t rows = count / hidden;
  if (rows % 2 == 0 && dice.percent(20)) return {2, rows / 2, hidden};
  return {rows, hidden};
}

}  // namespace

std::vector<std::int64_t> draw_shape(Dice& dice, const CountRange& range) {
  if (dice.percent(12)) {
    if (auto rows = draw_rows(dice, range)) return *rows;
  }
  const std::int64_t bytes = draw_bytes(dice, range);
  return draw_factors(dice, bytes / static_cast<std::int64_t>(size_of(range.dtype)));
}

}  // namespace rankle::detail
