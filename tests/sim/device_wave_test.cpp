// Wave operations: values against the documents of HIP and CUDA under every policy, wave size and
// blocks that are not a multiple of it; and what is reported when lanes do not meet.
#include <bit>

#include "tests/sim/device_kernels.h"
#include "tests/sim/fixture.h"

namespace rankle::sim::testing {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Setting {
  Policy policy;
  int wave;
  int threads;
};

std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const Policy policy : {Policy::run_to_block, Policy::round_robin, Policy::random}) {
    for (const int wave : {32, 64}) {
      for (const int threads : {4, 100, 128, 236}) all.push_back({policy, wave, threads});
    }
  }
  return all;
}

Config config_of(const Setting& s) {
  Config config;
  config.policy = s.policy;
  config.wave = s.wave;
  config.seed = 77;
  return config;
}

// What the kernel wrote, once it ended without any report.
template <typename T>
std::vector<T> output_of(const Setting& s, int per_thread, const std::function<void(T*)>& launch) {
  const auto count = static_cast<std::size_t>(s.threads) * static_cast<std::size_t>(per_thread);
  std::vector<T> out;
  const Result r = run_one(
      [&] {
        T* const to = zeroed_array<T>(count);
        launch(to);
        EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
        out = host_copy(to, count);
      },
      config_of(s));
  EXPECT_EQ(texts_of(r), "") << "wave " << s.wave << ", threads " << s.threads;
  return out;
}

int lanes_in_wave_of(int thread, const Setting& s) {
  return std::min(s.wave, s.threads - thread / s.wave * s.wave);
}

std::uint64_t low_bits(int n) { return n == 64 ? ~0ULL : (1ULL << n) - 1; }

// The documents' words, one group of `width` lanes at a time.
std::uint32_t shuffled(int form, int thread, int argument, int width, int wave) {
  const int lane = thread % wave;
  const int group = lane / width * width;
  int source = lane;
  if (form == 0) source = group + argument % width;
  if (form == 1 && lane - argument >= group) source = lane - argument;
  if (form == 2 && lane + argument < group + width) source = lane + argument;
  if (form == 3 && (lane ^ argument) < group + width) source = lane ^ argument;
  return static_cast<std::uint32_t>(1000 + thread - lane + source);
}

TEST(DeviceWave, ShufflesFollowTheDocumentsForEveryWidthAndDistance) {
  for (const Setting& s : settings()) {
    const bool whole = s.threads % s.wave == 0;
    for (const int width : {1, 2, 4, 16, 32, 64}) {
      if (width > s.wave || (!whole && width > 4)) continue;
      for (const int argument : {0, 1, 3, 5, 16, 31}) {
        if (argument > 3 && !whole) continue;
        for (const bool masked : {false, true}) {
          const auto out = output_of<std::uint32_t>(
              s, 4, [&](auto* to) { launch_shuffles(s.threads, argument, width, masked, to); });
          for (int i = 0; i < 4 * s.threads; ++i) {
            ASSERT_EQ(out[static_cast<std::size_t>(i)],
                      shuffled(i % 4, i / 4, argument, width, s.wave))
                << "form " << i % 4 << ", thread " << i / 4 << ", argument " << argument
                << ", width " << width << ", wave " << s.wave << ", masked " << masked;
          }
        }
      }
    }
  }
}

TEST(DeviceWave, EveryTypeOfTheDocumentsIsShuffled) {
  for (const Setting& s : settings()) {
    const auto wrong =
        output_of<std::uint32_t>(s, 1, [&](auto* to) { launch_shuffle_types(s.threads, to); });
    EXPECT_EQ(wrong[0], 0U);
  }
}

TEST(DeviceWave, VotesCountTheLanesThatTheWaveHas) {
  for (const Setting& s : settings()) {
    const auto out = output_of<std::uint64_t>(s, 4, [&](auto* to) { launch_votes(s.threads, to); });
    for (int t = 0; t < s.threads; ++t) {
      const int lanes = lanes_in_wave_of(t, s);
      const auto* const v = &out[static_cast<std::size_t>(t) * 4];
      EXPECT_EQ(v[0], 0x9249249249249249 & low_bits(lanes));
      EXPECT_EQ(v[1], lanes > 1 ? 1U : 0U);
      EXPECT_EQ(v[2], lanes <= 32 ? 1U : 0U);
      EXPECT_EQ(v[3], low_bits(lanes));
    }
  }
}

TEST(DeviceWave, AVoteInABranchCountsTheLanesOfTheBranch) {
  for (const Setting& s : settings()) {
    const auto out = output_of<std::uint64_t>(
        s, 3, [&](auto* to) { launch_ballots_in_branches(s.threads, to); });
    for (int t = 0; t < s.threads; ++t) {
      const std::uint64_t all = low_bits(lanes_in_wave_of(t, s));
      const auto* const v = &out[static_cast<std::size_t>(t) * 3];
      const bool even = t % s.wave % 2 == 0;
      EXPECT_EQ(v[0], even ? all & 0x5555555555555555 : 0);
      EXPECT_EQ(v[1], even ? 0 : all & 0xaaaaaaaaaaaaaaaa);
      EXPECT_EQ(v[2], all);
    }
  }
}

TEST(DeviceWave, AVoteInALoopCountsTheLanesThatAreStillInIt) {
  for (const Setting& s : settings()) {
    const auto out =
        output_of<std::uint64_t>(s, 6, [&](auto* to) { launch_ballots_in_loop(s.threads, to); });
    for (int t = 0; t < s.threads; ++t) {
      for (int round = 0; round < 5; ++round) {
        std::uint64_t inside = 0;
        for (int lane = 0; lane < lanes_in_wave_of(t, s); ++lane) {
          if (round < lane % 5) inside |= 1ULL << lane;
        }
        const bool took_part = round < t % s.wave % 5;
        EXPECT_EQ(out[static_cast<std::size_t>(t * 6 + round)], took_part ? inside : 0);
      }
      EXPECT_EQ(out[static_cast<std::size_t>(t * 6 + 5)], low_bits(lanes_in_wave_of(t, s)));
    }
  }
}

TEST(DeviceWave, MatchesAndReductionsSpanTheMask) {
  for (const Setting& s : settings()) {
    const auto out =
        output_of<std::uint64_t>(s, 4, [&](auto* to) { launch_matches(s.threads, to); });
    for (int t = 0; t < s.threads; ++t) {
      const int lanes = lanes_in_wave_of(t, s);
      const auto* const v = &out[static_cast<std::size_t>(t) * 4];
      EXPECT_EQ(v[0], (0x1111111111111111ULL << t % s.wave % 4) & low_bits(lanes));
      EXPECT_EQ(v[1], 1U);
      EXPECT_EQ(v[2], static_cast<std::uint64_t>(lanes * (lanes - 1) / 2));
      EXPECT_EQ(v[3], static_cast<std::uint32_t>(1 - lanes));
    }
  }
}

TEST(DeviceWave, AButterflyOfAWholeWaveGivesItsSumToEveryLane) {
  for (const Policy policy : {Policy::run_to_block, Policy::round_robin, Policy::random}) {
    for (const int wave : {32, 64}) {
      const Setting s{policy, wave, 2 * wave};
      const auto out =
          output_of<std::uint32_t>(s, 1, [&](auto* to) { launch_wave_sums(s.threads, to); });
      for (int t = 0; t < s.threads; ++t) {
        const int first = t / wave * wave + 1;
        EXPECT_EQ(out[static_cast<std::size_t>(t)],
                  static_cast<std::uint32_t>(wave * (2 * first + wave - 1) / 2));
      }
    }
  }
}

TEST(DeviceWave, AmdLaneFunctions) {
  for (const Setting& s : settings()) {
    const auto out =
        output_of<std::uint32_t>(s, 3, [&](auto* to) { launch_amd_lane_functions(s.threads, to); });
    for (int t = 0; t < s.threads; ++t) {
      const auto* const v = &out[static_cast<std::size_t>(t) * 3];
      EXPECT_EQ(v[0], static_cast<std::uint32_t>(t / s.wave * s.wave));
      EXPECT_EQ(v[1], static_cast<std::uint32_t>(t % s.wave));
      EXPECT_EQ(v[2], static_cast<std::uint32_t>(t ^ 1));
    }
  }
}

TEST(DeviceWave, LanesThatHaveEndedAreNotWaitedFor) {
  for (const Setting& s : settings()) {
    for (const int leaving : {1, 3, 31}) {
      const auto out = output_of<std::uint32_t>(
          s, 1, [&](auto* to) { launch_leave_before_sync(s.threads, leaving, to); });
      for (int t = 0; t < s.threads; ++t) {
        const bool stays = t % s.wave < leaving;
        EXPECT_EQ(out[static_cast<std::size_t>(t)],
                  stays ? static_cast<std::uint32_t>(100 + t / s.wave * s.wave) : 0U);
      }
    }
  }
}

TEST(DeviceWave, ALaneThatSpinsBeforeAShuffleIsWaitedFor) {
  for (const Setting& s : settings()) {
    const auto out = output_of<std::uint32_t>(s, 1, [&](auto* to) {
      auto* const flag = zeroed_array<std::uint32_t>(1);
      hipStream_t other = nullptr;
      EXPECT_EQ(hipStreamCreateWithFlags(&other, hipStreamNonBlocking), hipSuccess);
      launch_wait_and_shuffle(s.threads, flag, to, nullptr);
      launch_signal_after(flag, 100'000, other);
    });
    EXPECT_THAT(out, Each(1U));
  }
}

Result report_of(const std::function<void(std::uint32_t*)>& launch, const Config& config = {}) {
  return run_one(
      [&] {
        launch(zeroed_array<std::uint32_t>(1024));
        (void)hipDeviceSynchronize();
      },
      config);
}

TEST(DeviceWave, AShuffleFromALaneThatIsNotThereIsAnUninitialisedRead) {
  const Result absent = report_of([](auto* out) { launch_shuffle_from(64, 17, out); });
  ASSERT_THAT(kinds_of(absent), ElementsAre(ReportKind::uninitialised_read));
  EXPECT_THAT(absent.reports[0].message, HasSubstr("shuffles from lane 17"));
  EXPECT_EQ(absent.reports[0].sites[0].function, "shuffle_from");
  const Result missing = report_of([](auto* out) { launch_shuffle_from(10, 12, out); });
  ASSERT_THAT(kinds_of(missing), ElementsAre(ReportKind::uninitialised_read));
  EXPECT_THAT(missing.reports[0].message, HasSubstr("which its wave does not have"));
  EXPECT_EQ(texts_of(report_of([](auto* out) { launch_shuffle_from(64, 15, out); })), "");
}

TEST(DeviceWave, AWidthThatIsNoPowerOfTwoUpToTheWaveIsAnApiError) {
  Config config;
  config.wave = 32;
  for (const int width : {0, 3, 64, -4}) {
    const Result r =
        report_of([&](auto* out) { launch_shuffles(32, 1, width, false, out); }, config);
    ASSERT_THAT(kinds_of(r), Contains(ReportKind::api_error)) << width;
    EXPECT_THAT(r.reports[0].message, HasSubstr("powers of two up to 32"));
  }
}

TEST(DeviceWave, AMaskThatDoesNotNameItsCallerIsAnApiError) {
  const Result r = report_of([](auto*) { launch_syncwarp(64, 0xffffffff); });
  ASSERT_THAT(kinds_of(r), ElementsAre(ReportKind::api_error));
  EXPECT_THAT(r.reports[0].message, HasSubstr("the mask 0xffffffff, which does not name it"));
  Config config;
  config.wave = 32;
  EXPECT_EQ(texts_of(report_of([](auto*) { launch_syncwarp(64, 0xffffffff); }, config)), "");
}

TEST(DeviceWave, LanesOfAMaskAtABarrierInsteadAreDivergence) {
  for (const BarrierModel model : {BarrierModel::amd, BarrierModel::nvidia}) {
    Config config;
    config.barrier_model = model;
    const Result r = report_of([](auto* out) { launch_split_wave(64, out); }, config);
    ASSERT_THAT(kinds_of(r), Contains(ReportKind::barrier_divergence));
    const Report& divergence = r.reports[0];
    ASSERT_EQ(divergence.sites.size(), 2U);
    EXPECT_EQ(divergence.sites[0].function, "split_wave");
    EXPECT_EQ(divergence.sites[0].line, divergence.sites[1].line + 2);
    EXPECT_THAT(divergence.message, HasSubstr("wave operation"));
    if (model == BarrierModel::nvidia) {
      ASSERT_THAT(kinds_of(r), Contains(ReportKind::deadlock));
      EXPECT_THAT(r.reports[1].details, Contains(HasSubstr("32 threads of block 0 on rank 0 wait "
                                                           "at the wave operation")));
    }
  }
}

TEST(DeviceWave, OneMaskAtTwoLinesIsAllowedOnNvidiaOnly) {
  Config config;
  config.barrier_model = BarrierModel::nvidia;
  const auto launch = [](auto* out) { launch_syncwarp_at_two_lines(64, out); };
  EXPECT_EQ(texts_of(report_of(launch, config)), "");
  config.barrier_model = BarrierModel::amd;
  EXPECT_THAT(kinds_of(report_of(launch, config)), Contains(ReportKind::barrier_divergence));
}

TEST(DeviceWave, ADeadlockNamesTheLanesThatWaitInAWaveOperation) {
  const Result r = report_of(
      [](auto* out) { launch_wait_and_shuffle(40, zeroed_array<std::uint32_t>(1), out, nullptr); });
  ASSERT_THAT(kinds_of(r), ElementsAre(ReportKind::deadlock));
  EXPECT_THAT(r.reports[0].message, HasSubstr("waits for a word that nobody will write"));
  EXPECT_THAT(r.reports[0].details,
              Contains(HasSubstr("39 threads of block 0 on rank 0 wait at the wave operation")));
}

}  // namespace
}  // namespace rankle::sim::testing
