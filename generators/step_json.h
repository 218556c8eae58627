// The JSON form of programs and call shapes: part of case_json.h. Private to this folder.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "generators/case.h"
#include "generators/json_reader.h"

namespace rankle::detail {

nlohmann::ordered_json program_to_json(const std::vector<Step>& program);
std::vector<Step> read_program(JsonCursor cursor);

nlohmann::ordered_json call_shapes_to_json(const std::vector<CallShape>& shapes);
std::vector<CallShape> read_call_shapes(JsonCursor cursor);

}  // namespace rankle::detail
