// Sizes of a case. The arithmetic saturates, because a case read from a file may name any shape and
// validate() must be able to ask before it refuses.
#include "generators/case.h"

#include <algorithm>
#include <limits>

#include "generators/limits.h"

namespace rankle {
namespace {

// Product of two non-negative numbers, or the largest number if it does not fit.
std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::numeric_limits<std::int64_t>::max();
  return product;
}

}  // namespace

std::int64_t Case::count() const {
  std::int64_t count = 1;
  for (const std::int64_t dimension : shape) {
    // A zero anywhere makes the count zero, even after an overflow. validate() refuses negatives.
    if (dimension <= 0) return 0;
    count = saturating_product(count, dimension);
  }
  return count;
}

std::int64_t Case::bytes() const {
  return saturating_product(count(), static_cast<std::int64_t>(size_of(dtype)));
}

int Case::buffers() const {
  int highest = 0;
  for (const Step& step : program) highest = std::max(highest, step.buffer);
  return std::min(highest, kBuffersMax - 1) + 1;  // validate() refuses higher ones
}

}  // namespace rankle
