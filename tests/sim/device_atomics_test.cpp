// The legacy atomics: old and new values for every type of the documents, totals under contention,
// and the order and scope with which each reaches the simulator.
#include <limits>

#include "tests/sim/atomic_kernels.h"
#include "tests/sim/fixture.h"

namespace rankle::sim::testing {
namespace {

using ::testing::ElementsAre;

template <typename T>
struct OldNew {
  T old;
  T now;
  bool operator==(const OldNew&) const = default;
};

template <typename T>
OldNew<T> legacy(Legacy f, T before, T operand) {
  OldNew<T> result{};
  const Result r = run_one([&] {
    T* const word = device_array<T>(1, {before});
    T* const old = zeroed_array<T>(1);
    launch_legacy<T>(f, word, operand, old);
    result = {host_copy(old, 1)[0], host_copy(word, 1)[0]};
  });
  EXPECT_EQ(texts_of(r), "");
  return result;
}

template <typename T>
class LegacyIntegers : public ::testing::Test {};
using Integers = ::testing::Types<int, unsigned, long long, unsigned long long>;
TYPED_TEST_SUITE(LegacyIntegers, Integers);

TYPED_TEST(LegacyIntegers, ReturnTheOldValueAndStoreTheNewOne) {
  using T = TypeParam;
  constexpr T kMax = std::numeric_limits<T>::max();
  constexpr T kMin = std::numeric_limits<T>::min();
  constexpr T kMinus = static_cast<T>(-3);  // large if unsigned
  const auto is = [](T old, T now) { return OldNew<T>{old, now}; };
  EXPECT_EQ(legacy<T>(Legacy::add, 40, 2), is(40, 42));
  EXPECT_EQ(legacy<T>(Legacy::add, kMax, 1), is(kMax, kMin));
  EXPECT_EQ(legacy<T>(Legacy::sub, 40, 2), is(40, 38));
  EXPECT_EQ(legacy<T>(Legacy::sub, kMin, 1), is(kMin, kMax));
  EXPECT_EQ(legacy<T>(Legacy::exch, 7, kMinus), is(7, kMinus));
  EXPECT_EQ(legacy<T>(Legacy::min, 7, kMinus), is(7, std::is_signed_v<T> ? kMinus : 7));
  EXPECT_EQ(legacy<T>(Legacy::max, 7, kMinus), is(7, std::is_signed_v<T> ? 7 : kMinus));
  EXPECT_EQ(legacy<T>(Legacy::bit_and, 0b1100, 0b1010), is(0b1100, 0b1000));
  EXPECT_EQ(legacy<T>(Legacy::bit_or, 0b1100, 0b1010), is(0b1100, 0b1110));
  EXPECT_EQ(legacy<T>(Legacy::bit_xor, 0b1100, 0b1010), is(0b1100, 0b0110));
  EXPECT_EQ(legacy<T>(Legacy::cas, 5, 5), is(5, 6));
  EXPECT_EQ(legacy<T>(Legacy::cas, 4, 5), is(4, 4));
}

TEST(LegacyAtomics, IncrementAndDecrementWrapAtTheOperand) {
  const auto is = [](unsigned old, unsigned now) { return OldNew<unsigned>{old, now}; };
  EXPECT_EQ(legacy(Legacy::inc, 4U, 5U), is(4, 5));
  EXPECT_EQ(legacy(Legacy::inc, 5U, 5U), is(5, 0));
  EXPECT_EQ(legacy(Legacy::inc, 9U, 5U), is(9, 0));
  EXPECT_EQ(legacy(Legacy::dec, 4U, 5U), is(4, 3));
  EXPECT_EQ(legacy(Legacy::dec, 0U, 5U), is(0, 5));
  EXPECT_EQ(legacy(Legacy::dec, 9U, 5U), is(9, 5));
}

template <typename T>
class LegacyFloats : public ::testing::Test {};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LegacyFloats, Floats);

TYPED_TEST(LegacyFloats, AddExchangeCompareAndTakeTheExtremes) {
  using T = TypeParam;
  const auto is = [](T old, T now) { return OldNew<T>{old, now}; };
  for (const Legacy add : {Legacy::add, Legacy::sub, Legacy::bit_and}) {
    EXPECT_EQ(legacy<T>(add, T(1.5), T(-4)), is(T(1.5), T(-2.5)));
  }
  EXPECT_EQ(legacy<T>(Legacy::exch, T(1.5), T(-4)), is(T(1.5), T(-4)));
  EXPECT_EQ(legacy<T>(Legacy::min, T(1.5), T(-4)), is(T(1.5), T(-4)));
  EXPECT_EQ(legacy<T>(Legacy::min, T(-5), T(-4)), is(T(-5), T(-5)));
  EXPECT_EQ(legacy<T>(Legacy::max, T(1.5), T(-4)), is(T(1.5), T(1.5)));
  EXPECT_EQ(legacy<T>(Legacy::max, T(-5), T(-4)), is(T(-5), T(-4)));
  EXPECT_EQ(legacy<T>(Legacy::cas, T(2), T(2)), is(T(2), T(3)));
  EXPECT_EQ(legacy<T>(Legacy::cas, T(-2), T(2)), is(T(-2), T(-2)));
}

template <typename T>
void expect_totals() {
  for (const Policy policy : {Policy::run_to_block, Policy::round_robin, Policy::random}) {
    for (const int wave : {32, 64}) {
      Config config;
      config.policy = policy;
      config.wave = wave;
      T total{};
      T largest{};
      std::uint32_t ring = 0;
      const Result r = run_one(
          [&] {
            T* const words = zeroed_array<T>(2);
            auto* const count = zeroed_array<std::uint32_t>(1);
            launch_add_everywhere<T>(3, 50, words, count, words + 1);
            total = host_copy(words, 2)[0];
            largest = host_copy(words, 2)[1];
            ring = host_copy(count, 1)[0];
          },
          config);
      EXPECT_EQ(texts_of(r), "");
      EXPECT_EQ(total, static_cast<T>(150 * 149 / 2));
      EXPECT_EQ(largest, static_cast<T>(149));
      EXPECT_EQ(ring, 0U);  // 150 increments modulo 10
    }
  }
}

TEST(LegacyAtomics, ManyThreadsLoseNoUpdate) {
  expect_totals<int>();
  expect_totals<unsigned>();
  expect_totals<unsigned long long>();
  expect_totals<float>();
  expect_totals<double>();
}

TEST(LegacyAtomics, CarryTheirOrderAndScope) {
  constexpr int kRelaxed = __ATOMIC_RELAXED;
  constexpr int kSeqCst = __ATOMIC_SEQ_CST;
  constexpr int kBlock = __HIP_MEMORY_SCOPE_WORKGROUP;
  constexpr int kDevice = __HIP_MEMORY_SCOPE_AGENT;
  constexpr int kSystem = __HIP_MEMORY_SCOPE_SYSTEM;
  using R = RecordedAtomic;
  EXPECT_THAT(
      recorded_atomics(),
      ElementsAre(
          R{1, 4, kRelaxed, kDevice}, R{1, 4, kRelaxed, kBlock}, R{10, 8, kRelaxed, kSystem},
          R{8, 8, kRelaxed, kSystem}, R{15, 4, kRelaxed, kBlock}, R{100, 4, kRelaxed, kDevice},
          R{100, 8, kRelaxed, kBlock}, R{100, 4, kRelaxed, kSystem}, R{200, 0, kSeqCst, kBlock},
          R{200, 0, kSeqCst, kDevice}, R{200, 0, kSeqCst, kSystem},
          R{200, 0, __ATOMIC_RELEASE, kDevice}, R{200, 0, __ATOMIC_ACQUIRE, kBlock},
          R{200, 0, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_WAVEFRONT}, R{200, 0, kSeqCst, kSystem}));
}

}  // namespace
}  // namespace rankle::sim::testing
