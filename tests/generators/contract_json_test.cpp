// The JSON form of a contract: exact round trip, and refusal of contracts that nothing could obey.
#include "generators/contract_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/generators/test_contracts.h"

namespace rankle {
namespace {

using nlohmann::json;
using testing::StartsWith;

std::string message_with(const char* pointer, const json& value) {
  json document = contract_to_json(test::two_stage());
  document[json::json_pointer(pointer)] = value;
  std::optional<JsonError> error;
  const auto read = contract_from_json(document, error);
  EXPECT_NE(read.has_value(), error.has_value());
  return error ? error->message : "";
}

TEST(ContractJson, KeepsEveryField) {
  for (const Contract& contract : test::contracts()) {
    std::optional<JsonError> error;
    EXPECT_EQ(contract_from_json(contract_to_json(contract), error), contract);
    EXPECT_FALSE(error.has_value()) << error->message;
  }
}

TEST(ContractJson, RefusesUnknownMissingAndFuture) {
  EXPECT_THAT(message_with("/wrld", 1), StartsWith("contract.wrld: unknown key; allowed: schema"));
  EXPECT_THAT(message_with("/schema", 2), StartsWith("contract.schema: 2 is not a schema"));
  const json whole = contract_to_json(test::two_stage());
  for (const auto& [key, value] : whole.items()) {
    json document = whole;
    document.erase(key);
    std::optional<JsonError> error;
    contract_from_json(document, error);
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->path, "contract." + key);
  }
}

TEST(ContractJson, RefusesWhatNoCaseCouldObey) {
  EXPECT_THAT(message_with("/count_multiple_bytes", 0),
              StartsWith("contract.count_multiple_bytes: 0 is not allowed"));
  EXPECT_THAT(message_with("/alignment_bytes", 0), StartsWith("contract.alignment_bytes: 0"));
  EXPECT_THAT(message_with("/worlds", json::array()), StartsWith("contract.worlds: an array of 0"));
  EXPECT_THAT(message_with("/dtypes", json::array()), StartsWith("contract.dtypes: an array of 0"));
  EXPECT_THAT(message_with("/dtypes/1", "fp33"), StartsWith("contract.dtypes[1]: \"fp33\" is not"));
  EXPECT_THAT(message_with("/threads_max", 32), StartsWith("contract.threads_max: 32"));
  EXPECT_THAT(message_with("/threads_multiple", 600), StartsWith("contract.threads_multiple: 600"));
  EXPECT_THAT(message_with("/worlds/0", 0), StartsWith("contract.worlds[0]: 0 is not allowed"));
}

}  // namespace
}  // namespace rankle
