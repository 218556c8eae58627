// The JSON form of a case: exact round trip, canonical text, and a refusal for every way in which a
// file can be wrong.
#include "generators/case_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "generators/generate.h"
#include "generators/limits.h"
#include "tests/generators/program_checks.h"
#include "tests/generators/test_contracts.h"

namespace rankle {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Case full_case() {
  Case c = test::small_case();
  c.inputs = Inputs::rounding;
  c.same_bits_as = "allreduce/two_stage_uniform";
  c.schedule.policy = Policy::run_to_block;
  c.schedule.switches = {{1, 2}, {18446744073709551615u, 3}};
  c.seed = 18446744073709551615u;
  return c;
}

std::string message_of(const json& document) {
  std::optional<JsonError> error;
  const auto read = case_from_json(document, error);
  EXPECT_NE(read.has_value(), error.has_value());
  return error ? error->message : "";
}

json document_of(const Case& c) { return json::parse(case_to_text(c)); }

TEST(CaseJson, KeepsEveryField) {
  std::optional<JsonError> error;
  Case c = full_case();
  c.program = {{StepKind::fill, 1}, {StepKind::call, 0, true}, {StepKind::check, 1}};
  EXPECT_EQ(case_from_text(case_to_text(c), error), c);
  EXPECT_EQ(error ? error->message : "", "");
}

RC_GTEST_PROP(CaseJson, RoundTripIsExactAndCanonical, ()) {
  const Case c = *cases_of(test::contracts(), {});
  test::round_trips_through_json(c);
}

RC_GTEST_PROP(CaseJson, KeepsEveryPerturbation, ()) {
  Draw draw;
  draw.perturbations = true;
  test::round_trips_through_json(*cases_of(test::contracts(), draw));
}

TEST(CaseJson, RefusesPerturbationsOutOfRange) {
  Case c = test::small_case();
  EXPECT_FALSE(case_to_json(c).contains("perturbation"));
  json document = document_of(c);
  document["perturbation"] = {{"device_delay_max", 2'000'000}};
  EXPECT_THAT(message_of(document), testing::StartsWith("case.perturbation.device_delay_max: "));
  document["perturbation"] = {{"traffic_blocks", -1}};
  EXPECT_THAT(message_of(document), testing::StartsWith("case.perturbation.traffic_blocks: "));
  document["perturbation"] = {{"skew", 1}};
  EXPECT_THAT(message_of(document), testing::StartsWith("case.perturbation.skew: "));
}

TEST(CaseJson, TextIsStable) {
  Case c = test::small_case();
  c.program = {{StepKind::fill, 1}, {StepKind::call, 0}, {StepKind::check, 1}};
  EXPECT_EQ(case_to_json(c).dump(),
            R"({"schema":1,"target":"allreduce/two_stage_tail","world":4,"dtype":"bf16",)"
            R"("accum":"fp32","shape":[33,32],"geometry":{"blocks":2,"threads":128,"wave":64},)"
            R"("input_offset":[0,8,0,16],"output_offset":[0,0,0,8],"in_place":false,)"
            R"("inputs":"exact-integers","program":[{"kind":"fill","round":1},)"
            R"({"kind":"call","round":0},{"kind":"check","round":1}],"schedule":)"
            R"({"policy":"random","seed":5,"granularity":"sync","barrier_model":"amd"},"seed":7})");
}

TEST(CaseJson, WritesALimitOfResidentBlocksOnlyIfThereIsOne) {
  Case c = test::small_case();
  EXPECT_FALSE(case_to_json(c)["geometry"].contains("resident_blocks"));
  c.geometry.resident_blocks = 3;
  EXPECT_EQ(case_to_json(c)["geometry"]["resident_blocks"], 3);
  std::optional<JsonError> error;
  EXPECT_EQ(case_from_text(case_to_text(c), error), c);
}

TEST(CaseJson, ReadsEveryEnumerator) {
  const auto reads = [](const Case& c) {
    std::optional<JsonError> error;
    return case_from_text(case_to_text(c), error) == c;
  };
  Case c = full_case();
  for (const DType value : all_dtypes()) EXPECT_TRUE((c.dtype = value, reads(c)));
  for (const Accum value : all_accums()) EXPECT_TRUE((c.accum = value, reads(c)));
  for (const Inputs value : all_inputs()) EXPECT_TRUE((c.inputs = value, reads(c)));
  for (const StepKind value : all_step_kinds()) EXPECT_TRUE((c.program[0] = Step{value}, reads(c)));
  for (const Policy value : all_policies()) EXPECT_TRUE((c.schedule.policy = value, reads(c)));
  EXPECT_TRUE((c.schedule.depth = 3, c.schedule.horizon = 4000, reads(c)));
  for (const Granularity value : all_granularities()) {
    EXPECT_TRUE((c.schedule.granularity = value, reads(c)));
  }
  for (const BarrierModel value : all_barrier_models()) {
    EXPECT_TRUE((c.schedule.barrier_model = value, reads(c)));
  }
}

TEST(CaseJson, WritesFieldsOfStepsOnlyWhereTheyDiffer) {
  Case c = test::small_case();
  c.call_shapes = {{64, DType::fp16, Accum::native, 1, 128}};
  c.program = {{.kind = StepKind::capture, .graph = 2},
               {.kind = StepKind::call, .buffer = 1, .shape = 1, .copied = true},
               {.kind = StepKind::fork},
               {.kind = StepKind::delay, .queued = true, .aside = true, .rank = 0, .amount = 9},
               {.kind = StepKind::replay, .round = 3, .graph = 2, .times = 2},
               {.kind = StepKind::seed_epochs, .amount = kEpochMax},
               {.kind = StepKind::warm_up}};
  const json document = document_of(c);
  EXPECT_EQ(document["call_shapes"].dump(),
            R"([{"accum":"native","blocks":1,"count":64,"dtype":"fp16","threads":128}])");
  EXPECT_EQ(document["program"].dump(),
            R"([{"graph":2,"kind":"capture"},)"
            R"({"buffer":1,"copied":true,"kind":"call","round":0,"shape":1},{"kind":"fork"},)"
            R"({"amount":9,"aside":true,"kind":"delay","queued":true,"rank":0},)"
            R"({"graph":2,"kind":"replay","round":3,"times":2},)"
            R"({"amount":4294967295,"kind":"seed-epochs"},{"kind":"warm-up"}])");
  std::optional<JsonError> error;
  EXPECT_EQ(case_from_json(document, error), c);
}

TEST(CaseJson, RefusesFieldsOfOtherKindsAndOutOfRange) {
  const auto with_step = [](const json& step) {
    json document = document_of(full_case());
    document["program"][0] = step;
    return message_of(document);
  };
  EXPECT_EQ(with_step({{"kind", "capture"}, {"round", 0}}),
            "case.program[0].round: unknown key; allowed: kind, graph");
  EXPECT_EQ(with_step({{"kind", "sync"}, {"round", 0}, {"amount", 3}}),
            "case.program[0].amount: unknown key; allowed: kind, round, rank");
  EXPECT_EQ(with_step({{"kind", "replay"}}),
            "case.program[0].round: missing key; needed: kind, round");
  EXPECT_EQ(with_step({{"kind", "replay"}, {"round", 0}, {"times", 0}}),
            "case.program[0].times: 0 is not allowed; an integer from 1 to 64 is");
  EXPECT_EQ(with_step({{"kind", "overwrite"}, {"buffer", 4}}),
            "case.program[0].buffer: 4 is not allowed; an integer from 0 to 3 is");
  EXPECT_EQ(with_step({{"kind", "overwrite"}, {"aside", 1}}),
            "case.program[0].aside: 1 is not allowed; true or false is");
  EXPECT_EQ(with_step(7), "case.program[0]: 7 is not an object");
  EXPECT_THAT(with_step({{"kind", "free"}}),
              HasSubstr("case.program[0].kind: \"free\" is not known; allowed: fill, "));
}

TEST(CaseJson, RefusesUnknownKeysAtEachLevel) {
  const auto with_key = [](const char* pointer) {
    json document = document_of(full_case());
    document[json::json_pointer(pointer)] = 1;
    return message_of(document);
  };
  EXPECT_EQ(with_key("/geometry/bloks"),
            "case.geometry.bloks: unknown key; allowed: blocks, threads, wave, resident_blocks");
  EXPECT_THAT(with_key("/wolrd"), HasSubstr("case.wolrd: unknown key; allowed: schema, target"));
  EXPECT_EQ(
      with_key("/program/3/rank"),
      "case.program[3].rank: unknown key; allowed: kind, round, buffer, shape, staged, copied, "
      "refused");
  EXPECT_THAT(with_key("/schedule/slack"), HasSubstr("case.schedule.slack: unknown key"));
  EXPECT_EQ(with_key("/schedule/switches/1/wave"),
            "case.schedule.switches[1].wave: unknown key; allowed: step, entity");
}

// Every object key and array entry of a document, as pointers.
void pointers_of(const json& value, const json::json_pointer& at,
                 std::vector<json::json_pointer>& out) {
  if (value.is_object()) {
    for (const auto& [key, child] : value.items()) {
      out.push_back(at / key);
      pointers_of(child, at / key, out);
    }
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      out.push_back(at / i);
      pointers_of(value[i], at / i, out);
    }
  }
}

// "case.program[3].kind" of "/program/3/kind".
std::string path_of(json::json_pointer pointer) {
  std::vector<std::string> parts;
  for (; !pointer.empty(); pointer.pop_back()) parts.insert(parts.begin(), pointer.back());
  std::string path = "case";
  for (const std::string& part : parts) {
    const bool index = part.find_first_not_of("0123456789") == std::string::npos;
    path += index ? "[" + part + "]" : "." + part;
  }
  return path;
}

TEST(CaseJson, RefusesEveryMissingKeyByItsPath) {
  const json whole = document_of(full_case());
  std::vector<json::json_pointer> pointers;
  pointers_of(whole, json::json_pointer(), pointers);
  int removed = 0;
  for (const auto& pointer : pointers) {
    json document = whole;
    json& parent = document[pointer.parent_pointer()];
    const std::string& key = pointer.back();
    if (!parent.is_object() || key == "same_bits_as" || key == "switches") continue;
    parent.erase(key);
    EXPECT_THAT(message_of(document), testing::StartsWith(path_of(pointer) + ": missing key"));
    ++removed;
  }
  EXPECT_EQ(removed, 14 + 3 + 9 * 2 + 4 + 2 * 2);
}

TEST(CaseJson, RefusesAWrongTypeAnywhereByItsPath) {
  const json whole = document_of(full_case());
  std::vector<json::json_pointer> pointers;
  pointers_of(whole, json::json_pointer(), pointers);
  for (const auto& pointer : pointers) {
    for (const json& wrong :
         {json(nullptr), json(1.5), json(-1), json::array({json::array()}), json{{"x", 1}}}) {
      json document = whole;
      document[pointer] = wrong;
      EXPECT_THAT(message_of(document), testing::StartsWith(path_of(pointer)))
          << pointer << " " << wrong;
    }
  }
}

TEST(CaseJson, SaysWhichSchemaItReadsEvenIfKeysAreNew) {
  json document = document_of(full_case());
  document["schema"] = 2;
  document["new_field"] = true;
  EXPECT_EQ(message_of(document),
            "case.schema: 2 is not a schema that this version reads; it reads 1");
}

TEST(CaseJson, CapsSizesBeforeAllocating) {
  const auto with = [](const char* pointer, const json& value) {
    json document = document_of(full_case());
    document[json::json_pointer(pointer)] = value;
    return message_of(document);
  };
  EXPECT_EQ(with("/shape", std::vector<int>(9, 1)),
            "case.shape: an array of 9 is not allowed; at most 8 entries are");
  EXPECT_THAT(with("/input_offset", std::vector<int>(65, 0)), HasSubstr("at most 64 entries"));
  EXPECT_THAT(with("/program", json::array_t(kProgramStepsMax + 1)), HasSubstr("at most 256"));
  EXPECT_THAT(with("/schedule/switches", json::array_t(kSwitchesMax + 1)),
              HasSubstr("at most 65536"));
  EXPECT_THAT(with("/target", std::string(257, 'x')), HasSubstr("at most 256 characters"));
  EXPECT_THAT(with("/world", 65), HasSubstr("an integer from 1 to 64"));
}

TEST(CaseJson, RefusesADocumentCutAnywhere) {
  const std::string text = case_to_json(full_case()).dump();
  for (std::size_t length = 0; length < text.size(); ++length) {
    std::optional<JsonError> error;
    EXPECT_EQ(case_from_text(std::string_view(text).substr(0, length), error), std::nullopt);
    ASSERT_EQ(error ? error->path : "", "case") << length;
  }
}

RC_GTEST_PROP(CaseJson, SurvivesAnyChangedByte, ()) {
  std::string text = case_to_text(full_case());
  const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
  text[at] = *rc::gen::arbitrary<char>();
  std::optional<JsonError> error;
  const auto read = case_from_text(text, error);
  RC_ASSERT(read.has_value() != error.has_value());
}

TEST(CaseJson, ErrorsNestUnderTheReadersPath) {
  json document{{"case", document_of(full_case())}};
  document["case"]["world"] = "four";
  std::optional<JsonError> error;
  read_case(JsonCursor(document, "repro", error).at("case"));
  EXPECT_EQ(error ? error->path : "", "repro.case.world");
}

}  // namespace
}  // namespace rankle
