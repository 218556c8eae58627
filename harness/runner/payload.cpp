// Exact values (payload_values.h), full-range floats and special values.
#include "harness/runner/payload.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

#include "harness/runner/payload_values.h"
#include "harness/runner/wire_format.h"

namespace rankle {
namespace {

using payload_values::hash_at;
using payload_values::key_of;
using payload_values::mix;
using payload_values::Range;

Range range_of(const PayloadSpec& spec) {
  return payload_values::range_of(exact_limit(spec.dtype, spec.accum, spec.world),
                                  int(size_of(spec.dtype)));
}

// Calls body(index, value) for `count` elements from position `first` on.
template <class Body>
void for_exact_values(const PayloadSpec& spec, std::uint64_t key, std::int64_t first,
                      std::size_t count, Body&& body) {
  const Range range = range_of(spec);
  if (range.lanes == 1) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t hash = hash_at(key, first + std::int64_t(i));
      body(i, std::int64_t(payload_values::fold_wide(hash, range.size)) - range.limit);
    }
    return;
  }
  std::size_t i = 0;
  while (i < count) {
    const std::int64_t position = first + std::int64_t(i);
    const std::uint64_t hash = hash_at(key, payload_values::pack_of(position, range.lanes));
    for (int lane = payload_values::lane_of(position, range.lanes); lane < range.lanes && i < count;
         ++lane, ++i) {
      const std::uint32_t bits = payload_values::lane_bits(hash, lane);
      body(i, std::int64_t(payload_values::fold_narrow(bits, range.size)) - range.limit);
    }
  }
}

template <class W>
void fill_exact(W, const PayloadSpec& spec, std::uint64_t key, std::int64_t first,
                std::span<std::byte> out) {
  for_exact_values(spec, key, first, out.size() / sizeof(typename W::Bits),
                   [&](std::size_t i, std::int64_t value) {
                     const auto bits = W::encode(value);
                     std::memcpy(out.data() + i * sizeof bits, &bits, sizeof bits);
                   });
}

// Bits of one hash, taken from the bottom.
struct Draw {
  std::uint64_t bits;
  std::uint64_t take(int width) {
    const std::uint64_t value = bits & ((std::uint64_t{1} << width) - 1);
    bits >>= width;
    return value;
  }
};

// Biased exponents that ordinary values may have: sums of 8 grow by 3, rounding up by one more. An
// fp32 accumulator narrows what fp64 elements may hold to the range of fp32.
template <class W>
struct ExponentRange {
  int low = 0;
  int high = W::exponent_max - 1 - 4;
  explicit ExponentRange(Accum accum) {
    if (W::bias > 127 && accum == Accum::fp32) {
      low = W::bias - 126;
      high = W::bias + 127 - 4;
    }
  }
};

// `place` is the hash of the position, the same on all ranks; `own` is the rank's.
template <class W>
typename W::Bits rounding_value(std::uint64_t place, std::uint64_t own, ExponentRange<W> range) {
  using Bits = typename W::Bits;
  Draw position{place};
  Draw mine{own};
  const bool independent = position.take(2) == 0;
  const std::uint64_t pick = independent ? mine.take(16) : position.take(16);
  int exponent = range.low + int((pick * std::uint64_t(range.high - range.low + 1)) >> 16);
  if (!independent) exponent = std::max(exponent - int(mine.take(3)), range.low);
  const bool negative = mine.take(1) != 0;
  return W::pack(negative, exponent, Bits(mix(own)));
}

template <class W>
typename W::Bits special_value(std::uint64_t place, std::uint64_t own, int rank, int world,
                               ExponentRange<W> range) {
  using Bits = typename W::Bits;
  Draw position{place};
  Draw mine{mix(own)};
  const auto kind = position.take(3);
  const int chosen = int(position.take(16) % std::uint64_t(world));
  const bool negative = mine.take(1) != 0;
  const std::uint64_t pick = mine.take(2);
  const auto payload = Bits(mix(own) >> 7);
  switch (kind) {
    case 0:  // zeros of both signs; all ranks -0 now and then
      return W::pack(position.take(1) != 0 || negative, 0, 0);
    case 1:  // subnormals and zeros
      return W::pack(negative, 0, pick == 0 ? Bits{0} : payload);
    case 2:  // one NaN, quiet or signalling, any payload
      if (rank == chosen) {
        const auto mantissa = Bits(payload & W::mantissa_mask);
        return W::pack(negative, W::exponent_max, mantissa == 0 ? Bits{1} : mantissa);
      }
      break;
    case 3:  // infinities, of one sign or of both
      if (pick == 0) return W::pack(negative, W::exponent_max, 0);
      break;
    case 4:  // largest finite values: a sum overflows to infinity
      if (pick == 0) return W::pack(negative, W::exponent_max - 1, W::mantissa_mask);
      break;
    case 5:  // a one among zeros and subnormals
      return rank == chosen ? W::pack(negative, W::bias, 0) : W::pack(negative, 0, Bits(pick));
    default:
      break;
  }
  return rounding_value<W>(mix(place), own, range);
}

template <class W>
void fill_floats(W, const PayloadSpec& spec, int rank, int round, std::int64_t first,
                 std::span<std::byte> out) {
  const std::size_t count = out.size() / sizeof(typename W::Bits);
  const std::uint64_t key = key_of(spec.seed, round, rank);
  const std::uint64_t place_key = key_of(spec.seed, round, -1);
  const ExponentRange<W> range(spec.accum);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t position = first + std::int64_t(i);
    const std::uint64_t place = hash_at(place_key, position);
    const std::uint64_t own = hash_at(key, position);
    const typename W::Bits bits = spec.inputs == Inputs::special
                                      ? special_value<W>(place, own, rank, spec.world, range)
                                      : rounding_value<W>(place, own, range);
    std::memcpy(out.data() + i * sizeof bits, &bits, sizeof bits);
  }
}

// Significant bits of the accumulator; 64 for "as wide as the type".
int accumulator_bits(Accum accum) { return accum == Accum::fp32 ? 24 : 64; }

// Convolution of `world` uniform distributions over n values, for n small enough to list.
std::vector<double> distribution_of_sum(std::size_t n, int world) {
  std::vector<double> sum{1.0};
  for (int rank = 0; rank < world; ++rank) {
    std::vector<double> next(sum.size() + n - 1, 0.0);
    double window = 0;  // a sliding window: convolution with a box
    for (std::size_t i = 0; i < next.size(); ++i) {
      if (i < sum.size()) window += sum[i];
      if (i >= n) window -= sum[i - n];
      next[i] = std::max(window, 0.0) / double(n);
    }
    sum = std::move(next);
  }
  return sum;
}

}  // namespace

CallShape shape_of(const Case& c, int index) {
  if (index > 0) return c.call_shapes[std::size_t(index) - 1];
  return {c.count(), c.dtype, c.accum, c.geometry.blocks, c.geometry.threads};
}

std::int64_t bytes_of(const CallShape& shape) {
  return shape.count * std::int64_t(size_of(shape.dtype));
}

PayloadSpec payload_of(const Case& c, const CallShape& shape) {
  return {shape.dtype, shape.accum, c.world, c.inputs, c.seed};
}

PayloadSpec payload_of(const Case& c) { return payload_of(c, shape_of(c, 0)); }

std::int64_t exact_limit(DType dtype, Accum accum, int world) {
  assert(world >= 1);
  const std::int64_t largest = with_wire(dtype, [&](auto wire) {
    using W = decltype(wire);
    if constexpr (W::is_float) {
      return std::int64_t{1} << std::min(W::significant_bits, accumulator_bits(accum));
    } else {
      const auto top = std::int64_t((std::uint64_t{1} << (8 * sizeof(typename W::Bits) - 1)) - 1);
      return accum == Accum::fp32 ? std::min(top, std::int64_t{1} << 24) : top;
    }
  });
  return largest / world;
}

std::int64_t exact_value(const PayloadSpec& spec, int rank, int round, std::int64_t position) {
  return payload_values::value_at(key_of(spec.seed, round, rank), position, range_of(spec));
}

void add_exact_values(const PayloadSpec& spec, int rank, int round, std::int64_t first,
                      std::int64_t weight, std::span<std::int64_t> sums) {
  for_exact_values(spec, key_of(spec.seed, round, rank), first, sums.size(),
                   [&](std::size_t i, std::int64_t value) {
                     sums[i] = std::int64_t(std::uint64_t(sums[i]) +
                                            std::uint64_t(weight) * std::uint64_t(value));
                   });
}

void encode_exact(DType dtype, std::span<const std::int64_t> values, std::byte* out) {
  with_wire(dtype, [&](auto wire) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto bits = decltype(wire)::encode(values[i]);
      std::memcpy(out + i * sizeof bits, &bits, sizeof bits);
    }
  });
}

void fill_input(const PayloadSpec& spec, int rank, int round, std::int64_t first,
                std::span<std::byte> out) {
  assert(out.size() % size_of(spec.dtype) == 0);
  with_wire(spec.dtype, [&](auto wire) {
    if constexpr (decltype(wire)::is_float) {
      if (spec.inputs != Inputs::exact_integers) {
        fill_floats(wire, spec, rank, round, first, out);
        return;
      }
    }
    fill_exact(wire, spec, key_of(spec.seed, round, rank), first, out);
  });
}

double escape_probability(DType dtype, Accum accum, int world) {
  const double n = 2.0 * double(exact_limit(dtype, accum, world)) + 1;
  if (n <= 5000) {
    double agree = 0;
    for (double p : distribution_of_sum(std::size_t(n), world)) agree += p * p;
    return agree;
  }
  // The difference of the two sums is nearly normal with 2 * world times the variance of one value.
  // Two ranks are farthest from normal: triangular sums agree with 2/(3n), 4 % less than this says.
  const double deviation = std::sqrt(2.0 * world * (n * n - 1) / 12.0);
  return 1.0 / (std::sqrt(2.0 * std::numbers::pi) * deviation);
}

}  // namespace rankle
