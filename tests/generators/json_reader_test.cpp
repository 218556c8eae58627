// The strict cursor: every refusal names its path, shows the value and says what is allowed.
#include "generators/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "generators/dtype.h"

namespace rankle {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// The message of the first error of `read`, empty without one.
template <class Read>
std::string message_of(const std::string& text, Read read) {
  std::optional<JsonError> error;
  const json document = parse_json(text, "doc", 10'000, error);
  if (!error) read(JsonCursor(document, "doc", error));
  return error ? error->message : "";
}

TEST(JsonCursor, RefusesUnknownMissingAndDuplicateKeys) {
  const auto read = [](JsonCursor cursor) { cursor.keys({"a", "b"}, {"c"}); };
  EXPECT_EQ(message_of(R"({"a":1,"b":2})", read), "");
  EXPECT_EQ(message_of(R"({"a":1,"b":2,"c":3})", read), "");
  EXPECT_EQ(message_of(R"({"a":1,"b":2,"d":3})", read), "doc.d: unknown key; allowed: a, b, c");
  EXPECT_EQ(message_of(R"({"a":1})", read), "doc.b: missing key; needed: a, b");
  EXPECT_EQ(message_of(R"([1])", read), "doc: an array of 1 is not an object");
  EXPECT_EQ(message_of(R"({"a":1,"b":2,"a":3})", read),
            "doc: key a appears twice in one object; once is allowed");
}

TEST(JsonCursor, SameKeyInTwoObjectsIsNotADuplicate) {
  EXPECT_EQ(message_of(R"({"a":{"a":1},"b":[{"a":1},{"a":2}]})", [](JsonCursor) {}), "");
}

TEST(JsonCursor, QuotesAndCutsOddKeysAndValues) {
  const auto read = [](JsonCursor cursor) { cursor.keys({"a"}); };
  EXPECT_EQ(message_of("{\"a\":1,\"x\\ny\":2}", read), R"(doc."x\ny": unknown key; allowed: a)");
  const std::string longer(5000, 'k');
  EXPECT_LT(message_of("{\"a\":1,\"" + longer + "\":2}", read).size(), 200u);
  EXPECT_LT(message_of("\"" + longer + "\"", [](JsonCursor c) { c.integer(0, 1); }).size(), 200u);
}

TEST(JsonCursor, IntegersAreExactAndInRange) {
  const auto read = [](JsonCursor cursor) { cursor.integer(-5, 10); };
  EXPECT_EQ(message_of("10", read), "");
  EXPECT_EQ(message_of("-5", read), "");
  EXPECT_EQ(message_of("11", read), "doc: 11 is not allowed; an integer from -5 to 10 is");
  EXPECT_EQ(message_of("-6", read), "doc: -6 is not allowed; an integer from -5 to 10 is");
  EXPECT_THAT(message_of("1.0", read), HasSubstr("1.0 is not allowed"));
  EXPECT_THAT(message_of("18446744073709551615", read), HasSubstr("is not allowed"));
  EXPECT_THAT(message_of("true", read), HasSubstr("true is not allowed"));
  EXPECT_THAT(message_of("\"1\"", read), HasSubstr("\"1\" is not allowed"));
  EXPECT_THAT(message_of("null", read), HasSubstr("null is not allowed"));
}

TEST(JsonCursor, UnsignedIntegersReachTheLargest) {
  std::optional<JsonError> error;
  const json largest = 18446744073709551615u;
  EXPECT_EQ(JsonCursor(largest, "doc", error).unsigned_integer(), 18446744073709551615u);
  const json signed_small = 5;  // nlohmann keeps an int as signed
  EXPECT_EQ(JsonCursor(signed_small, "doc", error).unsigned_integer(), 5u);
  EXPECT_FALSE(error.has_value());
  EXPECT_THAT(message_of("-1", [](JsonCursor c) { c.unsigned_integer(); }),
              HasSubstr("-1 is not allowed"));
}

TEST(JsonCursor, OtherScalars) {
  EXPECT_EQ(message_of("1", [](JsonCursor c) { c.boolean(); }),
            "doc: 1 is not allowed; true or false is");
  EXPECT_EQ(message_of("\"abcd\"", [](JsonCursor c) { c.text(3); }),
            "doc: \"abcd\" is not allowed; a text of at most 3 characters is");
  EXPECT_EQ(message_of("2.5", [](JsonCursor c) { EXPECT_EQ(c.number(), 2.5); }), "");
  EXPECT_EQ(message_of("{}", [](JsonCursor c) { c.number(); }),
            "doc: an object is not allowed; a number is");
  EXPECT_EQ(message_of("\"fp3\"", [](JsonCursor c) { c.name<Accum>(accum_from, all_accums()); }),
            "doc: \"fp3\" is not known; allowed: native, fp32");
}

TEST(JsonCursor, ArraysAreCappedBeforeTheyAreRead) {
  EXPECT_EQ(message_of("[1,2,3]", [](JsonCursor c) { EXPECT_EQ(c.array(2), 0u); }),
            "doc: an array of 3 is not allowed; at most 2 entries are");
  EXPECT_EQ(message_of("{}", [](JsonCursor c) { c.array(2); }), "doc: an object is not an array");
  EXPECT_EQ(message_of("[1,\"x\"]", [](JsonCursor c) { c.item(1).integer(0, 1); }),
            "doc[1]: \"x\" is not allowed; an integer from 0 to 1 is");
}

TEST(JsonCursor, KeepsTheFirstErrorAndThenReadsDefaults) {
  EXPECT_EQ(message_of(R"({"a":"x","b":"y"})",
                       [](JsonCursor c) {
                         EXPECT_EQ(c.at("a").integer(3, 9), 3);
                         EXPECT_EQ(c.at("b").text(9), "");
                         EXPECT_EQ(c.at("none").at("deeper").array(5), 0u);
                       }),
            "doc.a: \"x\" is not allowed; an integer from 3 to 9 is");
}

TEST(JsonCursor, SchemaSaysWhichAreRead) {
  EXPECT_EQ(message_of("2", [](JsonCursor c) { c.schema({1, 2}); }), "");
  EXPECT_EQ(message_of("3", [](JsonCursor c) { c.schema({1, 2}); }),
            "doc: 3 is not a schema that this version reads; it reads 1, 2");
  EXPECT_THAT(message_of("1.0", [](JsonCursor c) { c.schema({1}); }), HasSubstr("it reads 1"));
}

TEST(ParseJson, RefusesWhatIsNotJsonTooLongOrTooDeep) {
  const auto none = [](JsonCursor) {};
  EXPECT_EQ(message_of("", none), "doc: not a complete JSON document; byte 1 of 0 is wrong");
  EXPECT_THAT(message_of("{\"a\": tru}", none), HasSubstr("not a complete JSON document"));
  EXPECT_THAT(message_of("{} {}", none), HasSubstr("not a complete JSON document"));
  EXPECT_THAT(message_of("1e999", none), HasSubstr("not a complete JSON document"));
  EXPECT_EQ(message_of(std::string(10'001, ' '), none),
            "doc: 10001 bytes are not allowed; at most 10000 are");
  EXPECT_EQ(message_of(std::string(60, '[') + std::string(60, ']'), none), "");
  EXPECT_EQ(message_of(std::string(80, '[') + std::string(80, ']'), none),
            "doc: nested more than 64 deep; at most that is allowed");
}

TEST(ParseJson, TakesTimeInProportionToTheNumberOfObjects) {
  std::string text = "[{}";
  for (int i = 1; i < 300'000; ++i) text += ",{}";
  text += "]";
  std::optional<JsonError> error;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(parse_json(text, "doc", text.size(), error).size(), 300'000u);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

}  // namespace
}  // namespace rankle
