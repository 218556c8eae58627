// Names of enumerators are unique and read back; sizes are the element sizes.
#include "generators/dtype.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "generators/names.h"

namespace rankle {
namespace {

template <class Enum>
void expect_names_read_back(std::span<const Enum> all,
                            std::optional<Enum> (*from)(std::string_view), std::size_t size) {
  std::set<std::string> names;
  for (const Enum value : all) {
    names.insert(std::string(name_of(value)));
    EXPECT_EQ(from(name_of(value)), value) << name_of(value);
  }
  EXPECT_EQ(names.size(), size);
  EXPECT_EQ(from("no such name"), std::nullopt);
  EXPECT_EQ(from(""), std::nullopt);
}

TEST(Names, EveryEnumeratorReadsBack) {
  expect_names_read_back(all_dtypes(), &dtype_from, 7);
  expect_names_read_back(all_accums(), &accum_from, 2);
  expect_names_read_back(all_inputs(), &inputs_from, 3);
  expect_names_read_back(all_step_kinds(), &step_kind_from, 21);
  expect_names_read_back(all_policies(), &policy_from, 7);
  expect_names_read_back(all_granularities(), &granularity_from, 2);
  expect_names_read_back(all_barrier_models(), &barrier_model_from, 2);
}

TEST(Names, AreTheOnesInFiles) {
  EXPECT_EQ(name_of(DType::bf16), "bf16");
  EXPECT_EQ(name_of(Inputs::exact_integers), "exact-integers");
  EXPECT_EQ(name_of(StepKind::poison_scratch), "poison-scratch");
  EXPECT_EQ(name_of(StepKind::register_buffer), "register");
  EXPECT_EQ(name_of(StepKind::end_capture), "end-capture");
  EXPECT_EQ(name_of(Policy::run_to_block), "run-to-block");
  EXPECT_EQ(names_of(all_dtypes()), "fp64, fp32, fp16, bf16, int8, int32, int64");
}

TEST(DTypeSize, IsTheElementSize) {
  EXPECT_EQ(size_of(DType::fp64), 8u);
  EXPECT_EQ(size_of(DType::int64), 8u);
  EXPECT_EQ(size_of(DType::fp32), 4u);
  EXPECT_EQ(size_of(DType::int32), 4u);
  EXPECT_EQ(size_of(DType::fp16), 2u);
  EXPECT_EQ(size_of(DType::bf16), 2u);
  EXPECT_EQ(size_of(DType::int8), 1u);
}

}  // namespace
}  // namespace rankle
