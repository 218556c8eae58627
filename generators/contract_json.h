// The JSON form of a Contract, schema 1: what a worker tells its supervisor about the targets that
// it has loaded, and what `rankle list --json` prints. Every key is written; reading is strict.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "generators/contract.h"
#include "generators/json_reader.h"

namespace rankle {

inline constexpr int kContractSchema = 1;

nlohmann::ordered_json contract_to_json(const Contract& contract);

// Reads a contract at `cursor`, whatever document it lies in. Values that would make a contract
// meaningless (a multiple of 0, an empty list of worlds, threads_max below threads_min) are
// refused.
Contract read_contract(JsonCursor cursor);

// A whole value; paths begin with "contract". nullopt and `error` if it is not a contract.
std::optional<Contract> contract_from_json(const nlohmann::json& json,
                                           std::optional<JsonError>& error);

}  // namespace rankle
