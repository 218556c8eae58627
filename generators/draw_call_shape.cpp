// See draw_call_shape.h. Other dtypes are those whose elements divide the case's offsets in bytes.
#include "generators/draw_call_shape.h"

#include <algorithm>

#include "generators/accum.h"
#include "generators/tiling.h"

namespace rankle::detail {
namespace {

bool divides_offsets(DType dtype, const Case& c) {
  const auto own = static_cast<std::int64_t>(size_of(c.dtype));
  const auto size = static_cast<std::int64_t>(size_of(dtype));
  const auto fits = [&](std::int64_t offset) { return offset * own % size == 0; };
  return std::all_of(c.input_offset.begin(), c.input_offset.end(), fits) &&
         std::all_of(c.output_offset.begin(), c.output_offset.end(), fits);
}

std::int64_t draw_granules(Dice& dice, std::int64_t most) {
  switch (dice.weighted({20, 25, 20, 35})) {
    case 0:
      return std::min<std::int64_t>(most, dice.between(0, 2));
    case 1:
      return most / 2;
    case 2:
      return std::max<std::int64_t>(most - 1, 0);
    default:
      return dice.between(0, most);
  }
}

}  // namespace

CallShape draw_call_shape(Dice& dice, const Contract& contract, const std::vector<DType>& dtypes,
                          const Case& c) {
  const Geometry& geometry = c.geometry;
  CallShape shape{0, c.dtype, c.accum, geometry.blocks, geometry.threads};
  const DType other = dice.pick(dtypes);
  if (dice.percent(30) && divides_offsets(other, c)) {
    shape.dtype = other;
    shape.accum = dice.pick(accums_for(contract, other));
  }
  const std::int64_t granule = granule_bytes(contract, shape.dtype);
  shape.count = draw_granules(dice, c.bytes() / granule) * granule /
                static_cast<std::int64_t>(size_of(shape.dtype));
  if (dice.percent(30)) shape.blocks = geometry.blocks > 1 && dice.percent(50) ? 2 : 1;
  if (dice.percent(20)) {
    const int multiple = contract.threads_multiple;
    shape.threads = (contract.threads_min + multiple - 1) / multiple * multiple;
  }
  return shape;
}

}  // namespace rankle::detail
