// Input values of a case. Exact class: every element is a hash of (seed, round, rank, position)
// folded into the largest symmetric integer range in which every partial sum over the ranks, in any
// order, is exact in the element type and in the accumulator; equality with an integer sum can then
// be bitwise. Two further classes are judged by comparison with another target: rounding and
// special values.
//
// Escape probability. Two independent expected values of an exact all-reduce agree by chance with
// escape_probability(); an error that puts one foreign value in one element is missed that often.
// With the fp32 accumulator or a native one alike (percent; measured in payload_test.cpp):
//
//   world       2       3       4       5       6       7       8
//   bf16     0.26    0.32    0.37    0.42    0.46    0.50    0.53
//   int8     0.53    0.65    0.76    0.84    0.92    0.99    1.10
//   fp16    0.032   0.040   0.047   0.053   0.058   0.062   0.067
//   fp32    4e-6    5e-6    6e-6    7e-6    7e-6    8e-6    8e-6
//
// The others (int32 native, int64, fp64) are below 1e-7 %.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "generators/case.h"
#include "generators/dtype.h"

namespace rankle {

// What decides the values besides rank, round and position.
struct PayloadSpec {
  DType dtype = DType::fp32;
  Accum accum = Accum::fp32;
  int world = 2;
  Inputs inputs = Inputs::exact_integers;
  std::uint64_t seed = 0;

  bool operator==(const PayloadSpec&) const = default;
};

// The shape that a step names: one of the case's call shapes, counted from 1, or the case's own.
CallShape shape_of(const Case& c, int index);
std::int64_t bytes_of(const CallShape& shape);

// Of a call with this shape.
PayloadSpec payload_of(const Case& c, const CallShape& shape);
PayloadSpec payload_of(const Case& c);  // with the case's own

// Largest magnitude M of one exact value; sums of `world` of them stay exact.
std::int64_t exact_limit(DType dtype, Accum accum, int world);

// The exact value in [-M, M] of one element, whatever spec.inputs says.
std::int64_t exact_value(const PayloadSpec& spec, int rank, int round, std::int64_t position);

// Adds weight * exact_value of positions first, first + 1, ... to `sums` (wrapping).
void add_exact_values(const PayloadSpec& spec, int rank, int round, std::int64_t first,
                      std::int64_t weight, std::span<std::int64_t> sums);

// Encodes integers that are exact in `dtype`; out.size() == values.size() * size_of(dtype).
void encode_exact(DType dtype, std::span<const std::int64_t> values, std::byte* out);

// Writes the input of `rank` in `round` from position `first` on, in the class of spec.inputs.
// Integer types use exact values in every class. out.size() is a multiple of the element size.
//
// rounding: finite floats over the whole exponent range less what sums of 8 need; within a position
//   the ranks' exponents are mostly close, so that the order of the additions shows in the bits.
// special: zeros of both signs, subnormals, infinities and NaN payloads among ordinary values. At
// one
//   position either at most one rank holds a NaN and nobody an infinity, or no rank holds a NaN:
//   which of two NaN payloads survives an addition is the compiler's choice, not the target's.
void fill_input(const PayloadSpec& spec, int rank, int round, std::int64_t first,
                std::span<std::byte> out);

// Probability that the sums of two independent sets of `world` exact values agree.
double escape_probability(DType dtype, Accum accum, int world);

}  // namespace rankle
