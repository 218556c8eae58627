// Element types of the collectives and their conversions. The 16-bit floats are our own storage
// types with our own conversions, so that a value has the same bits on the simulator, on AMD and on
// NVIDIA, whatever the platform's half headers do.
//
// Rounding is to nearest, ties to even; subnormals are exact. Widening moves every NaN bit;
// narrowing makes a NaN quiet and keeps its sign and the top bits of its payload.
#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>
#include <type_traits>

namespace rankle::kernels {

struct bf16 {
  std::uint16_t bits;
};

struct fp16 {
  std::uint16_t bits;
};

template <typename To, typename From>
__host__ __device__ inline To bits_as(From value) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, value);
}

__host__ __device__ inline float to_fp32(bf16 value) {
  return bits_as<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

// Every case is computed and one is selected: branches per element cost a GPU more.
__host__ __device__ inline float to_fp32(fp16 value) {
  constexpr std::uint32_t kRebias = (127u - 15u) << 23;
  const std::uint32_t sign = (value.bits & 0x8000u) << 16;
  const std::uint32_t magnitude = value.bits & 0x7fffu;
  const std::uint32_t shifted = magnitude << 13;
  const std::uint32_t normal = shifted + kRebias;
  const std::uint32_t special = shifted | 0x7f800000u;  // infinity and NaN
  // Zero and subnormals: magnitude * 2^-24, a normal fp32 number.
  const auto small = bits_as<std::uint32_t>(static_cast<float>(magnitude) * 0x1p-24f);
  const std::uint32_t finite = magnitude < 0x0400u ? small : normal;
  return bits_as<float>(sign | (magnitude >= 0x7c00u ? special : finite));
}

__host__ __device__ inline bf16 to_bf16(float value) {
  const std::uint32_t bits = bits_as<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) {
    return {static_cast<std::uint16_t>((bits >> 16) | 0x0040u)};
  }
  const std::uint32_t odd = (bits >> 16) & 1u;
  return {static_cast<std::uint16_t>((bits + 0x7fffu + odd) >> 16)};
}

__host__ __device__ inline fp16 to_fp16(float value) {
  constexpr std::uint32_t kRebias = (127u - 15u) << 23;
  const std::uint32_t bits = bits_as<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const std::uint32_t odd = (magnitude >> 13) & 1u;
  // May carry into infinity, rightly: 65520 and more round to it.
  const std::uint32_t normal = (magnitude - kRebias + 0x0fffu + odd) >> 13;
  // Below 2^-14 the result is subnormal. One ulp of a number in [0.5, 1) is 2^-24, the unit of fp16
  // subnormals, so that the addition itself rounds.
  const std::uint32_t small =
      bits_as<std::uint32_t>(bits_as<float>(magnitude) + 0.5f) - 0x3f000000u;
  const std::uint32_t nan = 0x7e00u | ((magnitude >> 13) & 0x03ffu);
  const std::uint32_t finite = magnitude < 0x38800000u ? small : normal;
  const std::uint32_t large = magnitude > 0x7f800000u ? nan : 0x7c00u;  // 65536 and more
  const std::uint32_t result = magnitude >= 0x47800000u ? large : finite;
  return {static_cast<std::uint16_t>(sign | result)};
}

template <typename T>
inline constexpr bool kIsSmallFloat = std::is_same_v<T, bf16> || std::is_same_v<T, fp16>;

// An element as an accumulator: the element type itself, or float for a 16-bit float.
template <typename Acc, typename T>
__host__ __device__ inline Acc widen(T value) {
  if constexpr (std::is_same_v<Acc, T>) {
    return value;
  } else if constexpr (kIsSmallFloat<T>) {
    return static_cast<Acc>(to_fp32(value));
  } else {
    return static_cast<Acc>(value);
  }
}

// An accumulator as an element: the one rounding of a sum that was kept in float.
template <typename T, typename Acc>
__host__ __device__ inline T narrow(Acc value) {
  if constexpr (std::is_same_v<Acc, T>) {
    return value;
  } else if constexpr (std::is_same_v<T, bf16>) {
    return to_bf16(value);
  } else if constexpr (std::is_same_v<T, fp16>) {
    return to_fp16(value);
  } else {
    return static_cast<T>(value);
  }
}

// a + b. Integers wrap. A 16-bit float accumulator rounds at every addition.
template <typename Acc>
__host__ __device__ inline Acc add(Acc a, Acc b) {
  if constexpr (kIsSmallFloat<Acc>) {
    return narrow<Acc>(to_fp32(a) + to_fp32(b));
  } else if constexpr (std::is_integral_v<Acc>) {
    using Unsigned = std::make_unsigned_t<Acc>;
    return static_cast<Acc>(
        static_cast<Unsigned>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b)));
  } else {
    return a + b;
  }
}

// How the bits of a floating-point element say NaN: more than `infinity` in magnitude, quiet if
// `quiet` is set. Integers have no NaN.
template <typename T>
struct NanBits {
  static constexpr bool kHasNan = false;
};
template <>
struct NanBits<bf16> {
  static constexpr bool kHasNan = true;
  using Bits = std::uint16_t;
  static constexpr Bits kInfinity = 0x7f80u, kQuiet = 0x0040u;
};
template <>
struct NanBits<fp16> {
  static constexpr bool kHasNan = true;
  using Bits = std::uint16_t;
  static constexpr Bits kInfinity = 0x7c00u, kQuiet = 0x0200u;
};
template <>
struct NanBits<float> {
  static constexpr bool kHasNan = true;
  using Bits = std::uint32_t;
  static constexpr Bits kInfinity = 0x7f800000u, kQuiet = 0x00400000u;
};
template <>
struct NanBits<double> {
  static constexpr bool kHasNan = true;
  using Bits = std::uint64_t;
  static constexpr Bits kInfinity = 0x7ff0000000000000u, kQuiet = 0x0008000000000000u;
};

template <typename T>
__host__ __device__ inline bool is_nan(T value) {
  if constexpr (NanBits<T>::kHasNan) {
    using Bits = typename NanBits<T>::Bits;
    constexpr Bits kMagnitude = static_cast<Bits>(~Bits{0}) >> 1;
    return (bits_as<Bits>(value) & kMagnitude) > NanBits<T>::kInfinity;
  } else {
    return false;
  }
}

// A NaN with its quiet bit set, payload and sign kept.
template <typename T>
__host__ __device__ inline T quiet(T nan) {
  using Bits = typename NanBits<T>::Bits;
  return bits_as<T>(static_cast<Bits>(bits_as<Bits>(nan) | NanBits<T>::kQuiet));
}

// The NaN of an invalid operation, such as infinity minus infinity. Platforms differ in it (sign
// and payload), so that we choose: positive, quiet, no payload.
template <typename T>
__host__ __device__ inline T default_nan() {
  using Bits = typename NanBits<T>::Bits;
  return bits_as<T>(static_cast<Bits>(NanBits<T>::kInfinity | NanBits<T>::kQuiet));
}

}  // namespace rankle::kernels
