// The fp8 types of HIP: e4m3 and e5m2 of the OCP standard, and the _fnuz forms of CDNA3.
//
// Constructors saturate, as AMD documents; __hip_cvt_float_to_fp8 saturates if asked to, and
// otherwise gives infinity, or NaN where the format has none.
#pragma once

#include <hip/hip_fp16.h>
#include <hip/hip_vector_types.h>

#include "sim_device/small_floats.h"

using __hip_fp8_storage_t = unsigned char;
using __hip_fp8x2_storage_t = unsigned short;
using __hip_fp8x4_storage_t = unsigned;

enum __hip_saturation_t { __HIP_NOSAT = 0, __HIP_SATFINITE = 1 };
enum __hip_fp8_interpretation_t {
  __HIP_E4M3 = 0,
  __HIP_E5M2 = 1,
  __HIP_E4M3_FNUZ = 2,
  __HIP_E5M2_FNUZ = 3,
};

namespace rankle_sim {

constexpr Format fp8_format(__hip_fp8_interpretation_t interpretation) {
  switch (interpretation) {
    case __HIP_E5M2:
      return kE5m2;
    case __HIP_E4M3_FNUZ:
      return kE4m3Fnuz;
    case __HIP_E5M2_FNUZ:
      return kE5m2Fnuz;
    default:
      return kE4m3;
  }
}

}  // namespace rankle_sim

constexpr __hip_fp8_storage_t __hip_cvt_double_to_fp8(double v, __hip_saturation_t saturation,
                                                      __hip_fp8_interpretation_t interpretation) {
  return static_cast<__hip_fp8_storage_t>(rankle_sim::narrow_bits(
      rankle_sim::fp8_format(interpretation), v, saturation == __HIP_SATFINITE));
}
constexpr __hip_fp8_storage_t __hip_cvt_float_to_fp8(float v, __hip_saturation_t saturation,
                                                     __hip_fp8_interpretation_t interpretation) {
  return __hip_cvt_double_to_fp8(v, saturation, interpretation);
}
constexpr __hip_fp8x2_storage_t __hip_cvt_float2_to_fp8x2(
    float2 v, __hip_saturation_t saturation, __hip_fp8_interpretation_t interpretation) {
  const unsigned low = __hip_cvt_float_to_fp8(v.x, saturation, interpretation);
  const unsigned high = __hip_cvt_float_to_fp8(v.y, saturation, interpretation);
  return static_cast<__hip_fp8x2_storage_t>(high << 8 | low);
}
constexpr __hip_fp8_storage_t __hip_cvt_halfraw_to_fp8(__half_raw v, __hip_saturation_t saturation,
                                                       __hip_fp8_interpretation_t interpretation) {
  return __hip_cvt_float_to_fp8(__half(v), saturation, interpretation);
}
// Exact: fp16 holds every value of every fp8 format.
constexpr __half_raw __hip_cvt_fp8_to_halfraw(__hip_fp8_storage_t v,
                                              __hip_fp8_interpretation_t interpretation) {
  return __half(rankle_sim::widen_bits(rankle_sim::fp8_format(interpretation), v));
}

#define RANKLE_SIM_FP8(name, interpretation)                                          \
  struct name {                                                                       \
    __hip_fp8_storage_t __x;                                                          \
    static constexpr __hip_fp8_interpretation_t __default_interpret = interpretation; \
    static constexpr __hip_saturation_t __default_saturation = __HIP_SATFINITE;       \
    name() = default;                                                                 \
    explicit constexpr name(double v)                                                 \
        : __x(__hip_cvt_double_to_fp8(v, __HIP_SATFINITE, interpretation)) {}         \
    explicit constexpr name(float v)                                                  \
        : __x(__hip_cvt_float_to_fp8(v, __HIP_SATFINITE, interpretation)) {}          \
    explicit constexpr name(int v) : name(static_cast<double>(v)) {}                  \
    explicit constexpr name(__half v) : name(static_cast<float>(v)) {}                \
    constexpr operator float() const {                                                \
      return rankle_sim::widen_bits(rankle_sim::fp8_format(interpretation), __x);     \
    }                                                                                 \
  };                                                                                  \
  template <>                                                                         \
  inline constexpr bool rankle_sim::kShuffles<name> = true;
RANKLE_SIM_FP8(__hip_fp8_e4m3, __HIP_E4M3)
RANKLE_SIM_FP8(__hip_fp8_e5m2, __HIP_E5M2)
RANKLE_SIM_FP8(__hip_fp8_e4m3_fnuz, __HIP_E4M3_FNUZ)
RANKLE_SIM_FP8(__hip_fp8_e5m2_fnuz, __HIP_E5M2_FNUZ)
#undef RANKLE_SIM_FP8
