// dim3 and the vector types. Vectors of two and four lanes up to 16 bytes are clang vectors, so
// that a load or store of one is a single access, as on the GPU. Those of one or three lanes, and
// of more than 16 bytes, are structs, which are accessed by lane: the compiler's hooks know no
// access of more than 16 bytes, and a three-lane vector would have the size of four.
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

// Types of 1 to 4 lanes called `name`1..4, and their make_ functions.
#define RANKLE_SIM_VECTORS_1_3(name, T)                         \
  struct name##1 { T x; };                                      \
  struct name##3 { T x, y, z; };                                \
  constexpr name##1 make_##name##1(T x) { return name##1 {x}; } \
  constexpr name##3 make_##name##3(T x, T y, T z) { return name##3 {x, y, z}; }
#define RANKLE_SIM_VECTOR_2(name, T)                     \
  using name##2 = T __attribute__((ext_vector_type(2))); \
  constexpr name##2 make_##name##2(T x, T y) { return name##2 {x, y}; }
#define RANKLE_SIM_VECTORS(name, T)                      \
  RANKLE_SIM_VECTORS_1_3(name, T)                        \
  RANKLE_SIM_VECTOR_2(name, T)                           \
  using name##4 = T __attribute__((ext_vector_type(4))); \
  constexpr name##4 make_##name##4(T x, T y, T z, T w) { return name##4 {x, y, z, w}; }
// Lanes of eight bytes.
#define RANKLE_SIM_WIDE_VECTORS(name, T)        \
  RANKLE_SIM_VECTORS_1_3(name, T)               \
  RANKLE_SIM_VECTOR_2(name, T)                  \
  struct alignas(16) name##4 { T x, y, z, w; }; \
  constexpr name##4 make_##name##4(T x, T y, T z, T w) { return name##4 {x, y, z, w}; }

RANKLE_SIM_VECTORS(char, signed char)
RANKLE_SIM_VECTORS(uchar, unsigned char)
RANKLE_SIM_VECTORS(short, short)
RANKLE_SIM_VECTORS(ushort, unsigned short)
RANKLE_SIM_VECTORS(int, int)
RANKLE_SIM_VECTORS(uint, unsigned)
RANKLE_SIM_VECTORS(float, float)
RANKLE_SIM_WIDE_VECTORS(long, long)
RANKLE_SIM_WIDE_VECTORS(ulong, unsigned long)
RANKLE_SIM_WIDE_VECTORS(longlong, long long)
RANKLE_SIM_WIDE_VECTORS(ulonglong, unsigned long long)
RANKLE_SIM_WIDE_VECTORS(double, double)

#undef RANKLE_SIM_VECTORS_1_3
#undef RANKLE_SIM_VECTOR_2
#undef RANKLE_SIM_VECTORS
#undef RANKLE_SIM_WIDE_VECTORS
