// From a dtype and a world size that are known at run time to the kernel instantiated for them. A
// mutant build narrows both lists to what its patch header names (cmake/RankleTargets.cmake),
// because compile time is what a mutant costs.
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
#define RANKLE_INSTANTIATE_DTYPES DType::fp32, DType::fp16, DType::bf16, DType::int32
#endif
#ifndef RANKLE_INSTANTIATE_WORLDS
#define RANKLE_INSTANTIATE_WORLDS 2, 3, 4, 5, 6, 7, 8
#endif

namespace rankle {

inline constexpr auto kDTypes = std::to_array<DType>({RANKLE_INSTANTIATE_DTYPES});
inline constexpr auto kWorlds = std::to_array<int>({RANKLE_INSTANTIATE_WORLDS});

inline std::vector<DType> instantiated_dtypes() { return {kDTypes.begin(), kDTypes.end()}; }
inline std::vector<int> instantiated_worlds() { return {kWorlds.begin(), kWorlds.end()}; }

// The storage type of a dtype, and what its sums are kept in under Accum::fp32: 16-bit floats in
// fp32, the others in themselves.
template <DType kDType>
struct Element;
template <>
struct Element<DType::fp32> {
  using Storage = float;
  using Sum = float;
};
template <>
struct Element<DType::fp16> {
  using Storage = kernels::fp16;
  using Sum = float;
};
template <>
struct Element<DType::bf16> {
  using Storage = kernels::bf16;
  using Sum = float;
};
template <>
struct Element<DType::int32> {
  using Storage = std::int32_t;
  using Sum = std::int32_t;
};

namespace detail {

template <DType kDType, typename Launch, std::size_t... kIndex>
hipError_t for_world(int world, Launch& launch, std::index_sequence<kIndex...>) {
  using E = Element<kDType>;
  hipError_t result = hipErrorInvalidValue;
  (void)((world == kWorlds[kIndex] &&
          (result =
               launch.template operator()<typename E::Storage, typename E::Sum, kWorlds[kIndex]>(),
           true)) ||
         ...);
  return result;
}

template <typename Launch, std::size_t... kIndex>
hipError_t for_dtype(DType dtype, int world, Launch& launch, std::index_sequence<kIndex...>) {
  hipError_t result = hipErrorInvalidValue;
  constexpr auto kEachWorld = std::make_index_sequence<kWorlds.size()>{};
  (void)((dtype == kDTypes[kIndex] &&
          (result = for_world<kDTypes[kIndex]>(world, launch, kEachWorld), true)) ||
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

// Calls launch.operator()<Storage, Sum, world>() for the given pair and returns its result;
// hipErrorInvalidValue if the pair is not instantiated.
template <typename Launch>
hipError_t instantiate(DType dtype, int world, Launch launch) {
  return detail::for_dtype(dtype, world, launch, std::make_index_sequence<kDTypes.size()>{});
}

}  // namespace rankle
