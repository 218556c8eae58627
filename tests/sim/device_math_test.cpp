// Intrinsics against the documents' definitions; vector types, tiles and the grid barrier.
#include <cmath>
#include <limits>

#include "tests/sim/fixture.h"
#include "tests/sim/math_kernels.h"

namespace rankle::sim::testing {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kIntMax = std::numeric_limits<int>::max();
constexpr int kIntMin = std::numeric_limits<int>::min();

TEST(DeviceMath, BitIntrinsics) {
  EXPECT_EQ(__popc(0xf0f00001U), 9);
  EXPECT_EQ(__popcll(0x8000000000000001ULL), 2);
  EXPECT_EQ(__clz(0), 32);
  EXPECT_EQ(__clz(-1), 0);
  EXPECT_EQ(__clz(0x00800000), 8);
  EXPECT_EQ(__clzll(0), 64);
  EXPECT_EQ(__clzll(1LL << 40), 23);
  EXPECT_EQ(__ffs(0), 0);
  EXPECT_EQ(__ffs(8), 4);
  EXPECT_EQ(__ffsll(0LL), 0);
  EXPECT_EQ(__ffsll(1ULL << 63), 64);
  EXPECT_EQ(__brev(1U), 0x80000000U);
  EXPECT_EQ(__brevll(2ULL), 0x4000000000000000ULL);
  EXPECT_EQ(__byte_perm(0x33221100U, 0x77665544U, 0x7531), 0x77553311U);
  EXPECT_EQ(__funnelshift_l(0x80000001U, 0x12345678U, 4), 0x23456788U);
  EXPECT_EQ(__funnelshift_r(0x80000001U, 0x12345678U, 4), 0x88000000U);
  EXPECT_EQ(__funnelshift_l(1U, 2U, 32), 2U);
}

TEST(DeviceMath, IntegerIntrinsics) {
  EXPECT_EQ(__mul24(-3, 5), -15);
  EXPECT_EQ(__mul24(0x01000002, 3), 6);  // bits above the 24th do not count
  EXPECT_EQ(__umul24(0xff000002U, 3U), 6U);
  EXPECT_EQ(__mulhi(kIntMin, 2), -1);
  EXPECT_EQ(__umulhi(0xffffffffU, 0xffffffffU), 0xfffffffeU);
  EXPECT_EQ(__mul64hi(-1LL, 1LL), -1LL);
  EXPECT_EQ(__umul64hi(~0ULL, ~0ULL), ~0ULL - 1);
  EXPECT_EQ(__sad(-5, 7, 1U), 13U);
  EXPECT_EQ(__usad(5U, 7U, 1U), 3U);
  EXPECT_EQ(min(-1, 1), -1);
  EXPECT_EQ(min(-1, 1U), 1U);
  EXPECT_EQ(max(-1, 1U), 0xffffffffU);
  EXPECT_EQ(max(-1LL, 1LL), 1LL);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(min(nan, 2.0f), 2.0f);
  EXPECT_EQ(max(2.0, std::numeric_limits<double>::quiet_NaN()), 2.0);
}

TEST(DeviceMath, ConversionsRoundAndSaturate) {
  EXPECT_EQ(__float2int_rn(2.5f), 2);
  EXPECT_EQ(__float2int_rn(3.5f), 4);
  EXPECT_EQ(__float2int_rz(-2.7f), -2);
  EXPECT_EQ(__float2int_ru(-2.7f), -2);
  EXPECT_EQ(__float2int_rd(-2.2f), -3);
  EXPECT_EQ(__float2int_rz(1e20f), kIntMax);
  EXPECT_EQ(__float2int_rz(-1e20f), kIntMin);
  EXPECT_EQ(__float2int_rn(std::nanf("")), 0);
  EXPECT_EQ(__float2uint_rz(-3.0f), 0U);
  EXPECT_EQ(__float2uint_rz(5e9f), 0xffffffffU);
  EXPECT_EQ(__double2ll_rn(9.3e18), std::numeric_limits<long long>::max());
  EXPECT_EQ(__double2ull_rz(1.9e19), ~0ULL);
  EXPECT_EQ(__double2ull_rz(0x1p63), 1ULL << 63);
  EXPECT_EQ(__float_as_uint(1.0f), 0x3f800000U);
  EXPECT_EQ(__int_as_float(0x40490fdb), 3.14159274f);
  EXPECT_EQ(__longlong_as_double(0x3ff0000000000000), 1.0);
}

TEST(DeviceMath, RoundedArithmetic) {
  const float near_one = 1.0f + 0x1p-23f;
  EXPECT_EQ(__fmaf_rn(near_one, near_one, -1.0f - 0x1p-22f), 0x1p-46f);
  EXPECT_EQ(__fadd_rn(__fmul_rn(near_one, near_one), -1.0f - 0x1p-22f), 0.0f);
  EXPECT_EQ(__fsqrt_rn(2.0f), 1.41421354f);
  EXPECT_EQ(__frcp_rn(8.0f), 0.125f);
  EXPECT_EQ(rsqrtf(16.0f), 0.25f);
  EXPECT_EQ(__saturatef(-1.0f), 0.0f);
  EXPECT_EQ(__saturatef(2.0f), 1.0f);
  EXPECT_EQ(__saturatef(std::nanf("")), 0.0f);
  EXPECT_NEAR(__expf(1.0f), 2.7182818f, 1e-6f);
  EXPECT_NEAR(__exp10f(2.0f), 100.0f, 1e-4f);
  EXPECT_NEAR(__logf(10.0f), 2.3025851f, 1e-6f);
  EXPECT_NEAR(__powf(2.0f, 10.0f), 1024.0f, 1e-3f);
}

// The copy is complete, stays within the vector, and every byte of it is seen by the hooks.
template <typename V>
void expect_copied(std::size_t bytes, std::size_t alignment) {
  EXPECT_EQ(sizeof(V), bytes);
  EXPECT_EQ(alignof(V), alignment);
  std::vector<std::uint8_t> pattern(bytes);
  for (std::size_t i = 0; i < bytes; ++i) pattern[i] = static_cast<std::uint8_t>(i + 1);
  std::vector<std::uint8_t> out;
  const Result good = run_one([&] {
    auto* const from = device_array<std::uint8_t>(bytes, pattern);
    auto* const to = zeroed_array<std::uint8_t>(bytes + 16);
    launch_copy_one(reinterpret_cast<const V*>(from), reinterpret_cast<V*>(to));
    out = host_copy(to, bytes + 16);
  });
  EXPECT_EQ(texts_of(good), "");
  pattern.resize(bytes + 16, 0);
  EXPECT_EQ(out, pattern);
  const Result unwritten = run_one([&] {
    auto* const from = device_array<std::uint8_t>(bytes, std::vector<std::uint8_t>(bytes - 1, 7));
    launch_copy_one(reinterpret_cast<const V*>(from),
                    reinterpret_cast<V*>(zeroed_array<std::uint8_t>(bytes)));
    (void)hipDeviceSynchronize();
  });
  EXPECT_THAT(kinds_of(unwritten), ElementsAre(ReportKind::uninitialised_read)) << bytes;
}

TEST(DeviceMath, VectorsHaveHipsSizesAndNoAccessOfThemIsMissed) {
  expect_copied<char1>(1, 1);
  expect_copied<char2>(2, 2);
  expect_copied<char3>(3, 1);
  expect_copied<char4>(4, 4);
  expect_copied<ushort2>(4, 4);
  expect_copied<ushort4>(8, 8);
  expect_copied<int2>(8, 8);
  expect_copied<int3>(12, 4);
  expect_copied<int4>(16, 16);
  expect_copied<float1>(4, 4);
  expect_copied<float2>(8, 8);
  expect_copied<float3>(12, 4);
  expect_copied<float4>(16, 16);
  expect_copied<ulonglong1>(8, 8);
  expect_copied<ulonglong2>(16, 16);
  expect_copied<ulonglong3>(24, 8);
  expect_copied<ulonglong4>(32, 16);
  expect_copied<double2>(16, 16);
  expect_copied<double4>(32, 16);
}

TEST(DeviceMath, MakeFunctionsFillTheirLanesInOrder) {
  const short4 s = make_short4(1, -2, 3, -4);
  EXPECT_EQ(s.y, -2);
  EXPECT_EQ(s.w, -4);
  EXPECT_EQ(make_double3(1, 2, 3).z, 3.0);
  EXPECT_EQ(make_longlong4(1, 2, 3, 4).z, 3);
  EXPECT_EQ(make_uchar2(250, 251).y, 251);
}

TEST(DeviceMath, SmallFloatsWorkInKernels) {
  std::vector<float> out;
  const Result r = run_one([&] {
    auto* const a = device_array<std::uint16_t>(128, std::vector<std::uint16_t>(128, 0x3c00));
    auto* const b = device_array<std::uint16_t>(64, std::vector<std::uint16_t>(64, 0x4040));
    auto* const to = zeroed_array<float>(64);
    launch_half_sums(64, a, b, to);
    out = host_copy(to, 64);
  });
  EXPECT_EQ(texts_of(r), "");
  EXPECT_THAT(out, Each(2.0f + 9.0f));
}

TEST(DeviceGroups, TheGridBarrierOrdersAllBlocks) {
  for (const Policy policy : {Policy::run_to_block, Policy::round_robin, Policy::random}) {
    for (const int wave : {32, 64}) {
      Config config;
      config.policy = policy;
      config.wave = wave;
      std::vector<std::uint32_t> sums;
      const Result r = run_one(
          [&] {
            auto* const to = zeroed_array<std::uint32_t>(200);
            EXPECT_EQ(launch_grid_sync(4, 50, zeroed_array<std::uint32_t>(200), to), hipSuccess);
            sums = host_copy(to, 200);
          },
          config);
      EXPECT_EQ(texts_of(r), "");
      EXPECT_THAT(sums, Each(200U * 201 / 2));
    }
  }
}

TEST(DeviceGroups, ABlockThatLeavesBeforeTheGridBarrierIsADeadlock) {
  const Result r = run_one([] {
    EXPECT_EQ(launch_leave_before_grid_sync(zeroed_array<std::uint32_t>(1)), hipSuccess);
    (void)hipDeviceSynchronize();
  });
  ASSERT_THAT(kinds_of(r), ElementsAre(ReportKind::deadlock));
  EXPECT_THAT(r.reports[0].details,
              Contains(HasSubstr("1 thread of block 0 on rank 0 waits at the grid barrier")));
}

TEST(DeviceGroups, TheGridBarrierNeedsACooperativeLaunch) {
  const Result r = run_one([] {
    launch_grid_sync_plainly(zeroed_array<std::uint32_t>(1), zeroed_array<std::uint32_t>(1));
    (void)hipDeviceSynchronize();
  });
  ASSERT_THAT(kinds_of(r), Contains(ReportKind::api_error));
  EXPECT_THAT(r.reports[0].message, HasSubstr("hipLaunchCooperativeKernel"));
}

TEST(DeviceGroups, TilesOfABlockShuffleAndVoteAmongThemselves) {
  for (const int wave : {32, 64}) {
    Config config;
    config.wave = wave;
    std::vector<std::uint32_t> out;
    const Result r = run_one(
        [&] {
          auto* const to = zeroed_array<std::uint32_t>(4 * 104);
          launch_tiles(104, to);
          out = host_copy(to, 4 * 104);
        },
        config);
    ASSERT_EQ(texts_of(r), "");
    for (std::uint32_t t = 0; t < 104; ++t) {
      const std::uint32_t first = t / 8 * 8;
      EXPECT_EQ(out[t * 4], 8 * first + 28);
      EXPECT_EQ(out[t * 4 + 1], 0x55U);
      EXPECT_EQ(out[t * 4 + 2], t / 8);
      EXPECT_EQ(out[t * 4 + 3], first + 3);
    }
  }
}

TEST(DeviceGroups, ASharedVariableWithAnInitialiserIsRefused) {
  const Result r = run_one([] {
    launch_initialised_shared(zeroed_array<std::uint32_t>(4));
    (void)hipDeviceSynchronize();
  });
  ASSERT_THAT(kinds_of(r), Contains(ReportKind::api_error));
  EXPECT_THAT(r.reports[0].message, HasSubstr("16 bytes has an initialiser"));
  EXPECT_EQ(r.reports[0].sites[0].function, "initialised_shared");
}

}  // namespace
}  // namespace rankle::sim::testing
