// dim3 and the vector types of the subset. Four-lane 32-bit types are clang vectors, so that a load
// or store of one is a single 16-byte access, as on the GPU.
#pragma once

#include <cstdint>

struct dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;
  constexpr dim3(std::uint32_t x_ = 1, std::uint32_t y_ = 1,
                 std::uint32_t z_ = 1)  // NOLINT: implicit
      : x(x_), y(y_), z(z_) {}
};

using uint2 = unsigned int __attribute__((ext_vector_type(2)));
using uint4 = unsigned int __attribute__((ext_vector_type(4)));
using int2 = int __attribute__((ext_vector_type(2)));
using int4 = int __attribute__((ext_vector_type(4)));
using float2 = float __attribute__((ext_vector_type(2)));
using float4 = float __attribute__((ext_vector_type(4)));

constexpr uint2 make_uint2(unsigned x, unsigned y) { return uint2{x, y}; }
constexpr uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
  return uint4{x, y, z, w};
}
constexpr int2 make_int2(int x, int y) { return int2{x, y}; }
constexpr int4 make_int4(int x, int y, int z, int w) { return int4{x, y, z, w}; }
constexpr float2 make_float2(float x, float y) { return float2{x, y}; }
constexpr float4 make_float4(float x, float y, float z, float w) { return float4{x, y, z, w}; }
