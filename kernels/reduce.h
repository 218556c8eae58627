// The sum of one pack over all ranks, shared by every reducing kernel. One function, because the
// order of additions is a promise: targets that name each other in `same_bits_as` agree bit for
// bit.
#pragma once

#include <hip/hip_runtime.h>

#include "kernels/dtype.h"
#include "kernels/pack.h"

namespace rankle::kernels {

// Gives every NaN in `sums` its defined bits: those of the first rank whose element is NaN, made
// quiet, or the default NaN if no element is. Addition alone leaves the choice between two NaNs to
// the platform and to the order in which a compiler happens to put commutative operands.
template <typename T, int kWorld>
__host__ __device__ inline void define_nans(const uint4 (&packs)[kWorld], Elements<T>& sums) {
#pragma unroll
  for (int i = 0; i < kPackElements<T>; ++i) {
    if (is_nan(sums.at[i])) sums.at[i] = default_nan<T>();
  }
#pragma unroll
  for (int rank = kWorld - 1; rank >= 0; --rank) {
    const Elements<T> elements = unpack<T>(packs[rank]);
#pragma unroll
    for (int i = 0; i < kPackElements<T>; ++i) {
      if (is_nan(elements.at[i])) sums.at[i] = quiet(elements.at[i]);
    }
  }
}

// Sums one pack of each rank, always in rank order 0, 1, ..., so that every kernel, rank and size
// gives the same bits. Accumulates in Acc and rounds once.
template <typename T, typename Acc, int kWorld>
__host__ __device__ inline uint4 sum_in_rank_order(const uint4 (&packs)[kWorld]) {
  Acc sums[kPackElements<T>];
#pragma unroll
  for (int rank = 0; rank < kWorld; ++rank) {
    const Elements<T> elements = unpack<T>(packs[rank]);
#pragma unroll
    for (int i = 0; i < kPackElements<T>; ++i) {
      const Acc value = widen<Acc>(elements.at[i]);
      sums[i] = rank == 0 ? value : add(sums[i], value);
    }
  }
  Elements<T> result;
  bool has_nan = false;
#pragma unroll
  for (int i = 0; i < kPackElements<T>; ++i) {
    result.at[i] = narrow<T>(sums[i]);
    has_nan |= is_nan(sums[i]);
  }
  if constexpr (NanBits<T>::kHasNan) {
    if (has_nan) define_nans(packs, result);  // rare
  }
  return pack_of(result);
}

// The same sum for one element of each rank, for messages that do not fall into packs: the same
// bits as the element would get inside a pack.
template <typename T, typename Acc, int kWorld>
__host__ __device__ inline T sum_element(const T (&elements)[kWorld]) {
  Acc sum = widen<Acc>(elements[0]);
#pragma unroll
  for (int rank = 1; rank < kWorld; ++rank) sum = add(sum, widen<Acc>(elements[rank]));
  T result = narrow<T>(sum);
  if constexpr (NanBits<T>::kHasNan) {
    if (is_nan(sum)) {
      result = default_nan<T>();
#pragma unroll
      for (int rank = kWorld - 1; rank >= 0; --rank) {
        if (is_nan(elements[rank])) result = quiet(elements[rank]);
      }
    }
  }
  return result;
}

}  // namespace rankle::kernels
