// Integer and floating-point intrinsics of device code, under the names that HIP and CUDA share.
// Fast-math forms (__expf and its like) are computed by the C library in full precision: the
// documents bound their error, they do not fix their bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "sim_device/threads.h"

// --- bits ---

__forceinline__ int __popc(unsigned v) { return std::popcount(v); }
__forceinline__ int __popcll(unsigned long long v) { return std::popcount(v); }
// Leading zeros; 32 or 64 for zero.
__forceinline__ int __clz(int v) { return std::countl_zero(static_cast<unsigned>(v)); }
__forceinline__ int __clzll(long long v) {
  return std::countl_zero(static_cast<unsigned long long>(v));
}
// Position of the lowest set bit, from 1; 0 for zero.
__forceinline__ int __ffs(int v) { return __builtin_ffs(v); }
__forceinline__ int __ffs(unsigned v) { return __builtin_ffs(static_cast<int>(v)); }
__forceinline__ int __ffsll(long long v) { return __builtin_ffsll(v); }
__forceinline__ int __ffsll(unsigned long long v) {
  return __builtin_ffsll(static_cast<long long>(v));
}
__forceinline__ int __ffsll(unsigned long v) { return __builtin_ffsll(static_cast<long long>(v)); }
__forceinline__ unsigned __brev(unsigned v) { return __builtin_bitreverse32(v); }
__forceinline__ unsigned long long __brevll(unsigned long long v) {
  return __builtin_bitreverse64(v);
}
// Four bytes chosen from y:x, each by the low three bits of a nibble of s.
__forceinline__ unsigned __byte_perm(unsigned x, unsigned y, unsigned s) {
  const std::uint64_t bytes = std::uint64_t{y} << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned from = s >> (4 * i) & 7;
    result |= static_cast<unsigned>(bytes >> (8 * from) & 0xff) << (8 * i);
  }
  return result;
}
// The upper (l) or lower (r) half of hi:lo, shifted by the low five bits of the count.
__forceinline__ unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned shift) {
  return static_cast<unsigned>((std::uint64_t{hi} << 32 | lo) << (shift & 31) >> 32);
}
__forceinline__ unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned shift) {
  return static_cast<unsigned>((std::uint64_t{hi} << 32 | lo) >> (shift & 31));
}

// --- integers ---

// Products of the low 24 bits; the low 32 bits of the result.
__forceinline__ int __mul24(int a, int b) {
  const std::int64_t x = static_cast<std::int32_t>(static_cast<unsigned>(a) << 8) >> 8;
  const std::int64_t y = static_cast<std::int32_t>(static_cast<unsigned>(b) << 8) >> 8;
  return static_cast<int>(x * y);
}
__forceinline__ unsigned __umul24(unsigned a, unsigned b) {
  return (a & 0xffffff) * (b & 0xffffff);
}
// Upper halves of products.
__forceinline__ int __mulhi(int a, int b) { return static_cast<int>((std::int64_t{a} * b) >> 32); }
__forceinline__ unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>((std::uint64_t{a} * b) >> 32);
}
__forceinline__ long long __mul64hi(long long a, long long b) {
  return static_cast<long long>((static_cast<__int128>(a) * b) >> 64);
}
__forceinline__ unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64);
}
// |x - y| + z.
__forceinline__ unsigned __sad(int x, int y, unsigned z) {
  const std::int64_t d = std::int64_t{x} - y;
  return static_cast<unsigned>(d < 0 ? -d : d) + z;
}
__forceinline__ unsigned __usad(unsigned x, unsigned y, unsigned z) {
  return (x > y ? x - y : y - x) + z;
}

#define RANKLE_SIM_MIN_MAX(T)                         \
  constexpr T min(T a, T b) { return b < a ? b : a; } \
  constexpr T max(T a, T b) { return a < b ? b : a; }
RANKLE_SIM_MIN_MAX(int)
RANKLE_SIM_MIN_MAX(unsigned)
RANKLE_SIM_MIN_MAX(long)
RANKLE_SIM_MIN_MAX(unsigned long)
RANKLE_SIM_MIN_MAX(long long)
RANKLE_SIM_MIN_MAX(unsigned long long)
#undef RANKLE_SIM_MIN_MAX
// As in CUDA, the signed operand of a mixed pair becomes unsigned.
constexpr unsigned min(int a, unsigned b) { return min(static_cast<unsigned>(a), b); }
constexpr unsigned min(unsigned a, int b) { return min(a, static_cast<unsigned>(b)); }
constexpr unsigned max(int a, unsigned b) { return max(static_cast<unsigned>(a), b); }
constexpr unsigned max(unsigned a, int b) { return max(a, static_cast<unsigned>(b)); }
// The operand that is not NaN.
__forceinline__ float min(float a, float b) { return __builtin_fminf(a, b); }
__forceinline__ float max(float a, float b) { return __builtin_fmaxf(a, b); }
__forceinline__ double min(double a, double b) { return __builtin_fmin(a, b); }
__forceinline__ double max(double a, double b) { return __builtin_fmax(a, b); }

// --- bits of floats ---

__forceinline__ int __float_as_int(float v) { return std::bit_cast<int>(v); }
__forceinline__ unsigned __float_as_uint(float v) { return std::bit_cast<unsigned>(v); }
__forceinline__ float __int_as_float(int v) { return std::bit_cast<float>(v); }
__forceinline__ float __uint_as_float(unsigned v) { return std::bit_cast<float>(v); }
__forceinline__ long long __double_as_longlong(double v) { return std::bit_cast<long long>(v); }
__forceinline__ double __longlong_as_double(long long v) { return std::bit_cast<double>(v); }

// --- conversions: to nearest even, towards zero, up, down. Out of range saturates, NaN gives 0 ---

namespace rankle_sim {

template <typename To>
__forceinline__ To saturated(double whole) {
  if (whole != whole) return 0;
  if (whole <= static_cast<double>(std::numeric_limits<To>::min()))
    return std::numeric_limits<To>::min();
  // The limits of 64-bit types are no doubles: the next one up is out of range.
  constexpr To kHalf = std::numeric_limits<To>::max() / 2 + 1;
  constexpr double kBeyond = 2.0 * static_cast<double>(kHalf);
  if (whole >= kBeyond) return std::numeric_limits<To>::max();
  return static_cast<To>(whole);
}

}  // namespace rankle_sim

#define RANKLE_SIM_CONVERSIONS(name, From, To)                                                  \
  __forceinline__ To name##_rn(From v) { return rankle_sim::saturated<To>(std::nearbyint(v)); } \
  __forceinline__ To name##_rz(From v) { return rankle_sim::saturated<To>(std::trunc(v)); }     \
  __forceinline__ To name##_ru(From v) { return rankle_sim::saturated<To>(std::ceil(v)); }      \
  __forceinline__ To name##_rd(From v) { return rankle_sim::saturated<To>(std::floor(v)); }
RANKLE_SIM_CONVERSIONS(__float2int, float, int)
RANKLE_SIM_CONVERSIONS(__float2uint, float, unsigned)
RANKLE_SIM_CONVERSIONS(__float2ll, float, long long)
RANKLE_SIM_CONVERSIONS(__float2ull, float, unsigned long long)
RANKLE_SIM_CONVERSIONS(__double2int, double, int)
RANKLE_SIM_CONVERSIONS(__double2uint, double, unsigned)
RANKLE_SIM_CONVERSIONS(__double2ll, double, long long)
RANKLE_SIM_CONVERSIONS(__double2ull, double, unsigned long long)
#undef RANKLE_SIM_CONVERSIONS

__forceinline__ float __int2float_rn(int v) { return static_cast<float>(v); }
__forceinline__ float __uint2float_rn(unsigned v) { return static_cast<float>(v); }
__forceinline__ float __ll2float_rn(long long v) { return static_cast<float>(v); }
__forceinline__ float __ull2float_rn(unsigned long long v) { return static_cast<float>(v); }
__forceinline__ double __int2double_rn(int v) { return v; }
__forceinline__ float __double2float_rn(double v) { return static_cast<float>(v); }

// --- arithmetic with one rounding, never contracted ---

#define RANKLE_SIM_ROUNDED(name, T, op)                        \
  __forceinline__ T name(T a, T b) {                           \
    _Pragma("clang fp contract(off)") const T result = a op b; \
    return result;                                             \
  }
RANKLE_SIM_ROUNDED(__fadd_rn, float, +)
RANKLE_SIM_ROUNDED(__fsub_rn, float, -)
RANKLE_SIM_ROUNDED(__fmul_rn, float, *)
RANKLE_SIM_ROUNDED(__fdiv_rn, float, /)
RANKLE_SIM_ROUNDED(__fdividef, float, /)
RANKLE_SIM_ROUNDED(__dadd_rn, double, +)
RANKLE_SIM_ROUNDED(__dsub_rn, double, -)
RANKLE_SIM_ROUNDED(__dmul_rn, double, *)
RANKLE_SIM_ROUNDED(__ddiv_rn, double, /)
#undef RANKLE_SIM_ROUNDED
__forceinline__ float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
__forceinline__ double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
__forceinline__ float __fsqrt_rn(float v) { return std::sqrt(v); }
__forceinline__ double __dsqrt_rn(double v) { return std::sqrt(v); }
__forceinline__ float __frcp_rn(float v) { return 1.0f / v; }
// Through double, whose error vanishes in the rounding to float.
__forceinline__ float __frsqrt_rn(float v) {
  return static_cast<float>(1.0 / std::sqrt(double{v}));
}
// Into [0, 1]; NaN gives 0.
__forceinline__ float __saturatef(float v) { return v > 0.0f ? (v < 1.0f ? v : 1.0f) : 0.0f; }

#if !defined(__GLIBC_PREREQ) || !__GLIBC_PREREQ(2, 42)  // newer ones have these two themselves
__forceinline__ float rsqrtf(float v) { return __frsqrt_rn(v); }
__forceinline__ double rsqrt(double v) { return 1.0 / std::sqrt(v); }
#endif

// The C library declares functions of these names for itself: only a macro can come before them.
#define __expf(v) (::expf(v))
#define __exp10f(v) (static_cast<float>(::pow(10.0, static_cast<double>(v))))
#define __logf(v) (::logf(v))
#define __log2f(v) (::log2f(v))
#define __log10f(v) (::log10f(v))
#define __powf(a, b) (::powf((a), (b)))
#define __sinf(v) (::sinf(v))
#define __cosf(v) (::cosf(v))
#define __tanf(v) (::tanf(v))

// --- loads with a cache hint: ordinary ones here ---

template <typename T>
__forceinline__ T __ldg(const T* p) {
  return *p;
}
template <typename T>
__forceinline__ T __ldcs(const T* p) {
  return *p;
}
template <typename T>
__forceinline__ T __ldcg(const T* p) {
  return *p;
}
template <typename T>
__forceinline__ void __stcs(T* p, T value) {
  *p = value;
}
template <typename T>
__forceinline__ void __stcg(T* p, T value) {
  *p = value;
}
