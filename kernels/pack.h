// A pack: the 16 bytes that a thread moves at once. `uint4` is a vector type on all platforms, so
// that a load or store of a pack is one 16-byte access; a struct of elements would be copied in
// pieces.
#pragma once

#include <hip/hip_runtime.h>

#include <cstddef>
#include <cstdint>

#include "kernels/dtype.h"

namespace rankle::kernels {

inline constexpr std::int64_t kPackBytes = 16;
static_assert(sizeof(uint4) == kPackBytes && alignof(uint4) == kPackBytes);

template <typename T>
inline constexpr int kPackElements = static_cast<int>(kPackBytes / sizeof(T));

// The elements of a pack, in registers.
template <typename T>
struct Elements {
  T at[kPackElements<T>];
};

namespace detail {

// HIP's own uint4 on AMD is a class that is not trivially copyable; its words are.
struct Words {
  std::uint32_t at[4];
};

}  // namespace detail

template <typename T>
__host__ __device__ inline Elements<T> unpack(uint4 pack) {
  return bits_as<Elements<T>>(detail::Words{{pack.x, pack.y, pack.z, pack.w}});
}

template <typename T>
__host__ __device__ inline uint4 pack_of(const Elements<T>& elements) {
  const auto words = bits_as<detail::Words>(elements);
  return make_uint4(words.at[0], words.at[1], words.at[2], words.at[3]);
}

}  // namespace rankle::kernels
