// Generated cases are valid, obey the user's restrictions, and are a function of seed and index.
#include "generators/generate.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <set>
#include <sstream>

#include "generators/case_json.h"
#include "generators/limits.h"
#include "tests/generators/test_contracts.h"

namespace rankle {
namespace {

RC_GTEST_PROP(CasesOf, AreValid, ()) {
  const auto contracts = test::contracts();
  const Case c = *cases_of(contracts, {});
  const auto violation = validate(c, test::contract_of(contracts, c));
  if (violation) RC_FAIL(violation->message);
}

TEST(DrawCase, IsValidForManySeedsAndOddContracts) {
  auto contracts = test::contracts();
  Contract wide = test::two_stage();  // its own grid is beyond the cap, only explicit ones fit
  wide.target = "allreduce/wide";
  wide.threads_max = 1024;
  wide.blocks_max = 1000;
  wide.bytes_max = std::int64_t{1} << 40;
  wide.in_place = true;
  contracts.push_back(wide);
  Contract tight = test::two_stage();  // no payload but zero and a granule
  tight.target = "allreduce/tight";
  tight.worlds = {1, 2};
  tight.bytes_max = 48;
  tight.count_multiple_bytes = 24;
  tight.alignment_bytes = 12;
  tight.thresholds_bytes = {0, 1};
  tight.blocks_max = 1;
  contracts.push_back(tight);
  for (std::uint64_t index = 0; index < 20'000; ++index) {
    const Case c = draw_case(contracts, {}, 11, index);
    const auto violation = validate(c, test::contract_of(contracts, c));
    ASSERT_FALSE(violation.has_value()) << violation->message << "\n" << case_to_text(c);
  }
}

TEST(DrawCase, IsAFunctionOfSeedAndIndex) {
  const auto contracts = test::contracts();
  std::vector<Case> forward;
  for (std::uint64_t i = 0; i < 300; ++i) forward.push_back(draw_case(contracts, {}, 5, i));
  for (std::uint64_t i = 300; i-- > 0;) {
    ASSERT_EQ(draw_case(contracts, {}, 5, i), forward[i]) << i;
  }
  std::set<std::string> texts;
  for (const Case& c : forward) texts.insert(case_to_text(c));
  EXPECT_EQ(texts.size(), forward.size()) << "cases of one stream differ";
  EXPECT_NE(draw_case(contracts, {}, 6, 0), forward[0]);
  // Streams of neighbouring seeds are not each other shifted.
  EXPECT_NE(draw_case(contracts, {}, 6, 0).seed, draw_case(contracts, {}, 5, 1).seed);
}

TEST(DrawCase, StaysTheSameBetweenBuilds) {
  // A changed draw breaks the `--seed S --only-case N` lines that people have kept: if this text
  // has to change, the changelog says so.
  const auto drawn = [](Programs programs) {
    Draw draw;
    draw.programs = programs;
    return case_to_json(draw_case({test::two_stage()}, draw, 7, 42)).dump();
  };
  EXPECT_EQ(drawn(Programs::mixed),
            R"({"schema":1,"target":"allreduce/two_stage_tail","world":2,"dtype":"fp16","accu)"
            R"(m":"native","shape":[944],"geometry":{"blocks":0,"threads":512,"wave":32},"inp)"
            R"(ut_offset":[0,0],"output_offset":[0,0],"in_place":false,"inputs":"exact-intege)"
            R"(rs","program":[{"kind":"fill","round":0},{"kind":"poison-output","round":0},{")"
            R"(kind":"poison-scratch","round":0},{"kind":"call","round":0},{"kind":"check","r)"
            R"(ound":0},{"kind":"fill","round":1},{"kind":"poison-output","round":0},{"kind":)"
            R"("poison-scratch","round":0},{"kind":"call","round":0},{"kind":"sync","round":0)"
            R"(},{"kind":"fill","round":2},{"kind":"check","round":1},{"kind":"poison-output")"
            R"(,"round":0},{"kind":"poison-scratch","round":0},{"kind":"call","round":0},{"ki)"
            R"(nd":"sync","round":0},{"kind":"check","round":2}],"schedule":{"policy":"rank-e)"
            R"(arly","seed":1565748816695941,"granularity":"sync","barrier_model":"amd"},"see)"
            R"(d":6852988653627404})");
  EXPECT_EQ(drawn(Programs::only),
            R"({"schema":1,"target":"allreduce/two_stage_tail","world":6,"dtype":"fp32","acc)"
            R"(um":"native","shape":[552],"geometry":{"blocks":1,"threads":128,"wave":64},"i)"
            R"(nput_offset":[0,0,0,0,0,0],"output_offset":[0,12,120,0,96,60],"in_place":fals)"
            R"(e,"inputs":"exact-integers","call_shapes":[{"count":276,"dtype":"fp32","accum)"
            R"(":"native","blocks":1,"threads":64}],"program":[{"kind":"delay","rank":4,"amo)"
            R"(unt":365},{"kind":"capture"},{"kind":"call","round":0,"buffer":2},{"kind":"ca)"
            R"(ll","round":0,"shape":1,"copied":true},{"kind":"end-capture"},{"kind":"replay)"
            R"(","round":0,"times":3},{"kind":"warm-up"},{"kind":"fill","round":3,"buffer":2)"
            R"(,"shape":1,"queued":true},{"kind":"call","round":0,"buffer":2,"shape":1},{"ki)"
            R"(nd":"capture","graph":1},{"kind":"call","round":0,"buffer":1,"shape":1,"copie)"
            R"(d":true},{"kind":"call","round":0},{"kind":"call","round":0,"buffer":2},{"kin)"
            R"(d":"end-capture","graph":1},{"kind":"replay","round":4,"graph":1},{"kind":"fi)"
            R"(ll","round":5,"shape":1,"queued":true},{"kind":"delay","queued":true,"rank":4)"
            R"(,"amount":75},{"kind":"check","round":4,"buffer":2}],"schedule":{"policy":"st)"
            R"(arvation","seed":7323952420013850,"horizon":754,"granularity":"sync","barrier)"
            R"(_model":"amd"},"seed":5429580724669654})");
  EXPECT_EQ(drawn(Programs::none),
            R"({"schema":1,"target":"allreduce/two_stage_tail","world":6,"dtype":"fp32",)"
            R"("accum":"native","shape":[552],"geometry":{"blocks":1,"threads":128,)"
            R"("wave":64},"input_offset":[0,0,0,0,0,0],"output_offset":[0,12,120,0,96,60],)"
            R"("in_place":false,"inputs":"exact-integers","program":[{"kind":"fill",)"
            R"("round":0},{"kind":"poison-output","round":0},{"kind":"call","round":0},)"
            R"({"kind":"sync","round":0},{"kind":"check","round":0},{"kind":"fill",)"
            R"("round":1},{"kind":"poison-output","round":0},{"kind":"call","round":0},)"
            R"({"kind":"call","round":0},{"kind":"call","round":0},{"kind":"check",)"
            R"("round":1}],"schedule":{"policy":"random","seed":3490247398735456,)"
            R"("granularity":"sync","barrier_model":"amd"},"seed":2877325129085662})");
}

TEST(DrawCase, ObeysTheUsersRestrictions) {
  Draw draw;
  draw.worlds = {4, 16};
  draw.dtypes = {DType::bf16};
  draw.waves = {32};
  draw.policies = {Policy::round_robin};
  draw.granularity = Granularity::access;
  draw.barrier_model = BarrierModel::amd;
  draw.size_max = SizeClass::small;
  draw.rounding = false;
  for (std::uint64_t index = 0; index < 2000; ++index) {
    const Case c = draw_case(test::contracts(), draw, 3, index);
    ASSERT_EQ(c.world, 4);
    ASSERT_EQ(c.dtype, DType::bf16);
    ASSERT_EQ(c.geometry.wave, 32);
    ASSERT_EQ(c.schedule.policy, Policy::round_robin);
    ASSERT_EQ(c.schedule.granularity, Granularity::access);
    ASSERT_EQ(c.schedule.barrier_model, BarrierModel::amd);
    ASSERT_EQ(c.inputs, Inputs::exact_integers);
    ASSERT_LE(c.bytes() * c.world, limit_of(SizeClass::small).bytes);
    ASSERT_LE(c.world * c.geometry.blocks * c.geometry.threads, limit_of(SizeClass::small).threads);
  }
}

TEST(DrawCase, KeepsToTheThreadsThatCanBeResident) {
  std::vector<Contract> contracts = test::contracts();
  constexpr std::int64_t kThreads = 10'000;
  for (Contract& contract : contracts) contract.resident_threads_max = kThreads;
  for (std::uint64_t index = 0; index < 2000; ++index) {
    const Case c = draw_case(contracts, {}, 3, index);
    const auto contract = std::find_if(contracts.begin(), contracts.end(),
                                       [&](const Contract& one) { return one.target == c.target; });
    ASSERT_EQ(validate(c, *contract), std::nullopt) << case_to_text(c);
    const int blocks = c.geometry.blocks == 0 ? contract->blocks_max : c.geometry.blocks;
    ASSERT_LE(std::int64_t{c.world} * blocks * c.geometry.threads, kThreads);
  }
}

TEST(DrawCase, PerturbsOnlyWhereTimingIsNotTheSchedules) {
  Draw draw;
  for (std::uint64_t index = 0; index < 200; ++index) {
    ASSERT_EQ(draw_case(test::contracts(), draw, 3, index).perturbation, Perturbation{});
  }
  draw.perturbations = true;
  int delayed = 0;
  int beside = 0;
  for (std::uint64_t index = 0; index < 200; ++index) {
    const Perturbation p = draw_case(test::contracts(), draw, 3, index).perturbation;
    ASSERT_EQ(p.seed != 0, p.host_delay_max + p.device_delay_max > 0);
    delayed += p.seed != 0 ? 1 : 0;
    beside += p.traffic_blocks + p.occupier_blocks > 0 ? 1 : 0;
  }
  EXPECT_GT(delayed, 80);
  EXPECT_GT(beside, 20);
}

TEST(DrawCase, LeavesOutContractsThatDoNotFit) {
  Draw draw;
  draw.worlds = {8};
  EXPECT_TRUE(admits(test::two_stage(), draw));
  EXPECT_FALSE(admits(test::elementwise(), draw));
  for (std::uint64_t index = 0; index < 100; ++index) {
    EXPECT_EQ(draw_case(test::contracts(), draw, 1, index).target, test::two_stage().target);
  }
  draw.worlds = {9};
  EXPECT_THROW(draw_case(test::contracts(), draw, 1, 0), std::invalid_argument);
  EXPECT_THROW(cases_of(test::contracts(), draw), std::invalid_argument);
}

TEST(DrawCase, TakesLessThanAHundredMicroseconds) {
  const auto contracts = test::contracts();
  constexpr int kCases = 20'000;
  const auto start = std::chrono::steady_clock::now();
  std::size_t steps = 0;
  for (std::uint64_t i = 0; i < kCases; ++i) steps += draw_case(contracts, {}, 1, i).program.size();
  const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
  RecordProperty("draw_us", std::to_string(spent.count() / kCases));
  EXPECT_GT(steps, 0u);
  EXPECT_LT(spent.count() / kCases, 100) << "microseconds per case";
}

TEST(ShowValue, PrintsTheJsonForm) {
  std::ostringstream os;
  showValue(test::small_case(), os);
  EXPECT_EQ(os.str(), case_to_text(test::small_case()));
}

}  // namespace
}  // namespace rankle
