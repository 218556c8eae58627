// The JSON form of a Case, schema 1: what repro files, the corpus and the worker protocol hold.
// Written with every key, in a fixed order, so that equal cases are equal text and files diff well
// (`same_bits_as`, `call_shapes` and `schedule.switches` are left out when empty, and so are the
// fields of a step that have their defaults: step_fields.h). Read strictly: see
// json_reader.h.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "generators/case.h"
#include "generators/json_reader.h"

namespace rankle {

inline constexpr int kCaseSchema = 1;

nlohmann::ordered_json case_to_json(const Case& c);

// Indented, with a final newline.
std::string case_to_text(const Case& c);

// Reads a case at `cursor`, whatever document it lies in. Only its form is checked: validate() asks
// the contract. After an error (held by the cursor's document) the returned case means nothing.
Case read_case(JsonCursor cursor);

// A whole document; paths begin with "case". nullopt and `error` if it is not a case.
std::optional<Case> case_from_text(std::string_view text, std::optional<JsonError>& error);
std::optional<Case> case_from_json(const nlohmann::json& json, std::optional<JsonError>& error);

}  // namespace rankle
