// From a dtype, an accumulator and a world size that are known at run time to the kernel
// instantiated for them. A mutant build narrows both lists to what its patch header names
// (cmake/RankleTargets.cmake), because compile time is what a mutant costs.
#pragma once

#include <hip/hip_runtime.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "generators/dtype.h"
#include "kernels/dtype.h"

#ifndef RANKLE_INSTANTIATE_DTYPES
#define RANKLE_INSTANTIATE_DTYPES \
  DType::fp64, DType::fp32, DType::fp16, DType::bf16, DType::int8, DType::int32, DType::int64
#endif
#ifndef RANKLE_INSTANTIATE_WORLDS
#define RANKLE_INSTANTIATE_WORLDS 2, 3, 4, 5, 6, 7, 8
#endif

namespace rankle {

inline constexpr auto kDTypes = std::to_array<DType>({RANKLE_INSTANTIATE_DTYPES});
inline constexpr auto kWorlds = std::to_array<int>({RANKLE_INSTANTIATE_WORLDS});

inline std::vector<DType> instantiated_dtypes() { return {kDTypes.begin(), kDTypes.end()}; }
inline std::vector<int> instantiated_worlds() { return {kWorlds.begin(), kWorlds.end()}; }

// The storage type of a dtype, and what its sums are kept in under Accum::fp32. Under
// Accum::native, that is the storage type.
template <typename StorageType, typename SumType>
struct ElementTypes {
  using Storage = StorageType;
  using Sum = SumType;
};
template <DType kDType>
struct Element;
template <>
struct Element<DType::fp64> : ElementTypes<double, double> {};
template <>
struct Element<DType::fp32> : ElementTypes<float, float> {};
template <>
struct Element<DType::fp16> : ElementTypes<kernels::fp16, float> {};
template <>
struct Element<DType::bf16> : ElementTypes<kernels::bf16, float> {};
template <>
struct Element<DType::int8> : ElementTypes<std::int8_t, std::int8_t> {};
template <>
struct Element<DType::int32> : ElementTypes<std::int32_t, std::int32_t> {};
template <>
struct Element<DType::int64> : ElementTypes<std::int64_t, std::int64_t> {};

namespace detail {

template <typename Storage, typename Sum, typename Launch, std::size_t... kIndex>
hipError_t for_world(int world, Launch& launch, std::index_sequence<kIndex...>) {
  hipError_t result = hipErrorInvalidValue;
  (void)((world == kWorlds[kIndex] &&
          (result = launch.template operator()<Storage, Sum, kWorlds[kIndex]>(), true)) ||
         ...);
  return result;
}

// Both accumulators of a type that sums in itself anyway are one kernel.
template <DType kDType, typename Launch>
hipError_t for_accum(Accum accum, int world, Launch& launch) {
  using Storage = typename Element<kDType>::Storage;
  using Sum = typename Element<kDType>::Sum;
  constexpr auto kEachWorld = std::make_index_sequence<kWorlds.size()>{};
  return accum == Accum::native ? for_world<Storage, Storage>(world, launch, kEachWorld)
                                : for_world<Storage, Sum>(world, launch, kEachWorld);
}

template <typename Launch, std::size_t... kIndex>
hipError_t for_dtype(DType dtype, Accum accum, int world, Launch& launch,
                     std::index_sequence<kIndex...>) {
  hipError_t result = hipErrorInvalidValue;
  (void)((dtype == kDTypes[kIndex] &&
          (result = for_accum<kDTypes[kIndex]>(accum, world, launch), true)) ||
         ...);
  return result;
}

template <std::size_t... kIndex>
constexpr std::int64_t element_bytes(DType dtype, std::index_sequence<kIndex...>) {
  std::int64_t bytes = 0;
  (void)((dtype == kDTypes[kIndex] &&
          (bytes = sizeof(typename Element<kDTypes[kIndex]>::Storage))) ||
         ...);
  return bytes;
}

}  // namespace detail

// Size of one element in bytes; 0 if the dtype is not instantiated.
constexpr std::int64_t element_bytes(DType dtype) {
  return detail::element_bytes(dtype, std::make_index_sequence<kDTypes.size()>{});
}

// Calls launch.operator()<Storage, Sum, world>() for what is given and returns its result;
// hipErrorInvalidValue if dtype or world is not instantiated.
template <typename Launch>
hipError_t instantiate(DType dtype, Accum accum, int world, Launch launch) {
  return detail::for_dtype(dtype, accum, world, launch, std::make_index_sequence<kDTypes.size()>{});
}

}  // namespace rankle
