// validate() names the field, the value and what is allowed; each rule is broken once, alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "generators/contract.h"
#include "generators/limits.h"
#include "tests/generators/test_contracts.h"

namespace rankle {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Broken {
  std::string path;
  std::string value;    // shown in the message
  std::string allowed;  // shown in the message
  std::function<void(Case&)> edit;
};

class ValidateRefuses : public testing::TestWithParam<Broken> {};

TEST_P(ValidateRefuses, NamingPathValueAndAllowed) {
  Case c = test::small_case();
  ASSERT_EQ(validate(c, test::two_stage()), std::nullopt);
  GetParam().edit(c);
  const auto violation = validate(c, test::two_stage());
  ASSERT_TRUE(violation.has_value());
  EXPECT_EQ(violation->path, GetParam().path);
  EXPECT_THAT(violation->message, StartsWith(GetParam().path + ": "));
  EXPECT_THAT(violation->message, HasSubstr(GetParam().value));
  EXPECT_THAT(violation->message, HasSubstr(GetParam().allowed));
}

constexpr CallShape small_call() { return {8, DType::bf16}; }

constexpr std::int64_t kHuge = std::int64_t{1} << 62;

const Broken kBroken[] = {
    {"case.target", "x/y", "two_stage_tail", [](Case& c) { c.target = "x/y"; }},
    {"case.world", "9", "2, 3, 4, 5, 6, 7, 8", [](Case& c) { c.world = 9; }},
    {"case.dtype", "fp64", "fp32, fp16, bf16, int32", [](Case& c) { c.dtype = DType::fp64; }},
    {"case.shape", "0 dimensions", "1 to 8", [](Case& c) { c.shape.clear(); }},
    {"case.shape", "9 dimensions", "1 to 8", [](Case& c) { c.shape.assign(9, 1); }},
    {"case.shape[1]", "-4", "0 or more", [](Case& c) { c.shape = {8, -4}; }},
    {"case.shape", "[7]", "multiples of 16", [](Case& c) { c.shape = {7}; }},
    {"case.shape", "16777232", "at most 16777216", [](Case& c) { c.shape = {8'388'616}; }},
    {"case.shape", "bytes per rank", "at most", [](Case& c) { c.shape = {kHuge, kHuge, 4}; }},
    {"case.geometry.blocks", "81", "1 to 80", [](Case& c) { c.geometry.blocks = 81; }},
    {"case.geometry.blocks", "-1", "0 (the", [](Case& c) { c.geometry.blocks = -1; }},
    {"case.geometry.threads", "63", "64 to 512", [](Case& c) { c.geometry.threads = 63; }},
    {"case.geometry.threads", "513", "64 to 512", [](Case& c) { c.geometry.threads = 513; }},
    {"case.geometry.wave", "16", "32 or 64", [](Case& c) { c.geometry.wave = 16; }},
    {"case.input_offset", "3 entries", "4", [](Case& c) { c.input_offset = {0, 0, 0}; }},
    {"case.input_offset[2]", "-8", "0 to 4096", [](Case& c) { c.input_offset[2] = -8; }},
    {"case.output_offset[1]", "4104", "0 to 4096", [](Case& c) { c.output_offset[1] = 4104; }},
    {"case.output_offset[3]", "4 elements of 2", "multiples of 16",
     [](Case& c) { c.output_offset[3] = 4; }},
    {"case.in_place", "true", "false", [](Case& c) { c.in_place = true; }},
    {"case.same_bits_as", "\"\"", "two_stage_uniform", [](Case& c) { c.inputs = Inputs::special; }},
    {"case.same_bits_as", "a/b", "leave it out", [](Case& c) { c.same_bits_as = "a/b"; }},
    {"case.same_bits_as", "a/b", "two_stage_uniform",
     [](Case& c) {
       c.inputs = Inputs::rounding;
       c.same_bits_as = "a/b";
     }},
    {"case.schedule.depth", "0", "1 to 8",
     [](Case& c) {
       c.schedule.policy = Policy::pct;
       c.schedule.horizon = 100;
     }},
    {"case.schedule.depth", "2", "the others 0", [](Case& c) { c.schedule.depth = 2; }},
    {"case.schedule.horizon", "3", "16 to",
     [](Case& c) {
       c.schedule.policy = Policy::starvation;
       c.schedule.horizon = 3;
     }},
    {"case.schedule.horizon", "99", "the others 0", [](Case& c) { c.schedule.horizon = 99; }},
    {"case.schedule.switches", "1 switches", "run-to-block",
     [](Case& c) { c.schedule.switches = {{1, 1}}; }},
    {"case.schedule.switches[1].step", "4", "more than 4",
     [](Case& c) {
       c.schedule.policy = Policy::run_to_block;
       c.schedule.switches = {{4, 1}, {4, 2}};
     }},
    {"case.program", "0 steps", "at least one", [](Case& c) { c.program.clear(); }},
    {"case.call_shapes", "5 entries", "at most 4", [](Case& c) { c.call_shapes.resize(5); }},
    {"case.call_shapes[1].count", "-8", "0 or more",
     [](Case& c) { c.call_shapes = {small_call(), {-8, DType::bf16}}; }},
    {"case.call_shapes[0].count", "[7] is 14 bytes", "multiples of 16",
     [](Case& c) { c.call_shapes = {{7, DType::bf16}}; }},
    {"case.call_shapes[0].count", "2128 bytes", "the case's own 2112",
     [](Case& c) { c.call_shapes = {{1064, DType::bf16}}; }},
    {"case.call_shapes[0].dtype", "fp64", "fp32, fp16",
     [](Case& c) { c.call_shapes = {{8, DType::fp64, Accum::native}}; }},
    {"case.call_shapes[0].accum", "fp32", "native",
     [](Case& c) { c.call_shapes = {{8, DType::int32, Accum::fp32}}; }},
    {"case.call_shapes[0].blocks", "81", "1 to 80",
     [](Case& c) { c.call_shapes = {{8, DType::bf16, Accum::fp32, 81}}; }},
    {"case.call_shapes[0].threads", "13", "64 to 512",
     [](Case& c) { c.call_shapes = {{8, DType::bf16, Accum::fp32, 1, 13}}; }},
    {"case.program[0].shape", "1", "0 to 0", [](Case& c) { c.program[0].shape = 1; }},
};

INSTANTIATE_TEST_SUITE_P(All, ValidateRefuses, testing::ValuesIn(kBroken));

TEST(Validate, RefusesSpecialInputsWithoutAReference) {
  Case c = test::small_case();
  c.inputs = Inputs::rounding;
  Contract contract = test::two_stage();
  contract.same_bits_as.clear();
  const auto violation = validate(c, contract);
  ASSERT_TRUE(violation.has_value());
  EXPECT_EQ(violation->path, "case.inputs");
}

TEST(Validate, RefusesAnAccumulatorOutsideTheContract) {
  Contract contract = test::two_stage();
  contract.accums = {Accum::native};
  const auto violation = validate(test::small_case(), contract);
  ASSERT_TRUE(violation.has_value());
  EXPECT_EQ(violation->message,
            "case.accum: fp32 is not allowed with bf16; allreduce/two_stage_tail takes native");
}

TEST(Validate, AllowsTheLargestSimulatedGridAndNoLarger) {
  Contract contract = test::two_stage();
  Case c = test::small_case();
  c.world = 8;
  c.input_offset.assign(8, 0);
  c.output_offset.assign(8, 0);
  c.geometry = {80, 512, 64};
  EXPECT_EQ(validate(c, contract), std::nullopt);
  c.geometry.blocks = 0;  // counts as blocks_max
  EXPECT_EQ(validate(c, contract), std::nullopt);
  contract.blocks_max = 81;
  const auto violation = validate(c, contract);
  ASSERT_TRUE(violation.has_value());
  EXPECT_EQ(violation->path, "case.geometry");
  EXPECT_THAT(violation->message, HasSubstr("at most 327680"));
}

TEST(Validate, TakesCallShapesWhoseElementsDivideTheOffsets) {
  Contract contract = test::elementwise();  // aligned to 4 bytes
  Case c = test::small_case();
  c.target = contract.target;
  c.dtype = DType::bf16;
  c.accum = Accum::native;
  c.shape = {64};
  c.geometry = {1, 33, 64};
  c.input_offset = {0, 2, 0, 0};
  c.output_offset.assign(4, 0);
  c.call_shapes = {{32, DType::int8, Accum::native, 1, 33}};
  EXPECT_EQ(validate(c, contract), std::nullopt);
  c.call_shapes[0] = {8, DType::fp64, Accum::native, 1, 33};
  const auto violation = validate(c, contract);
  ASSERT_TRUE(violation.has_value());
  EXPECT_EQ(violation->message,
            "case.call_shapes[0].dtype: fp64 is not allowed; an offset of 4 bytes takes elements "
            "that divide it");
}

TEST(Validate, CountsEveryBufferAsMemory) {
  Contract contract = test::two_stage();
  contract.bytes_max = std::int64_t{1} << 40;
  Case c = test::small_case();
  c.shape = {kTotalBytesMax / 3 / c.world / 16 * 8};
  ASSERT_EQ(validate(c, contract), std::nullopt);
  c.program.push_back({.kind = StepKind::poison_output, .buffer = 1});
  const auto violation = validate(c, contract);
  ASSERT_TRUE(violation.has_value());
  EXPECT_THAT(violation->message, HasSubstr("2 buffers"));
}

TEST(Validate, RefusesMoreMemoryThanTheCapWhateverTheContract) {
  Contract contract = test::two_stage();
  contract.bytes_max = std::int64_t{1} << 40;
  Case c = test::small_case();
  const std::int64_t most = kTotalBytesMax / 3 / c.world / 16 * 8;  // bf16 elements
  c.shape = {most};
  EXPECT_EQ(validate(c, contract), std::nullopt);
  c.shape = {most + 8};
  const auto violation = validate(c, contract);
  ASSERT_TRUE(violation.has_value());
  EXPECT_EQ(violation->path, "case.shape");
  EXPECT_THAT(violation->message, HasSubstr("memory cap"));
}

TEST(Validate, AllowsInPlaceWithEqualOffsetsOnly) {
  Contract contract = test::two_stage();
  contract.in_place = true;
  Case c = test::small_case();
  c.in_place = true;
  c.program = {{StepKind::fill, 0}, {StepKind::call, 0}, {StepKind::check, 0}};
  ASSERT_TRUE(validate(c, contract).has_value());
  EXPECT_EQ(validate(c, contract)->path, "case.output_offset");
  c.output_offset = c.input_offset;
  EXPECT_EQ(validate(c, contract), std::nullopt);
}

TEST(CaseSize, CountSaturatesAndZeroWins) {
  Case c = test::small_case();
  EXPECT_EQ(c.count(), 33 * 32);
  EXPECT_EQ(c.bytes(), 33 * 32 * 2);
  c.shape = {kHuge, kHuge};
  EXPECT_EQ(c.bytes(), std::numeric_limits<std::int64_t>::max());
  c.shape = {kHuge, kHuge, 0};
  EXPECT_EQ(c.bytes(), 0);
}

}  // namespace
}  // namespace rankle
