// See coverage_table.h.
#include "campaign/report/coverage_table.h"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace rankle {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 8> kColumns = {"target", "variant",   "dtype",   "world",
                                                 "tail",   "alignment", "pattern", "policy"};

std::string text_of(const Json& cell, const char* column) {
  const auto it = cell.find(column);
  if (it == cell.end() || it->is_null()) return "";
  return it->is_string() ? it->get<std::string>() : it->dump();
}

std::uint64_t hits_of(const Json& cell) {
  const auto it = cell.find("hits");
  return it != cell.end() && it->is_number_integer() && *it >= 0 ? it->get<std::uint64_t>() : 0;
}

// A column's values in the order of their first appearance.
class Column {
 public:
  std::size_t index_of(const std::string& value) {
    const auto [it, is_new] = indices_.emplace(value, values_.size());
    if (is_new) values_.push_back(value);
    return it->second;
  }
  const std::vector<std::string>& values() const { return values_; }

 private:
  std::map<std::string, std::size_t> indices_;
  std::vector<std::string> values_;
};

}  // namespace

CoverageTable coverage_table(const Json& coverage) {
  CoverageTable table;
  table.json = {{"columns", Json::array()}, {"values", Json::array()}, {"rows", Json::array()}};
  if (!coverage.is_object()) return table;
  const Json cells = coverage.value("cells", Json::array());
  std::vector<const char*> names;
  for (const char* name : kColumns) {
    for (const Json& cell : cells) {
      if (cell.is_object() && cell.contains(name)) {
        names.push_back(name);
        break;
      }
    }
  }
  std::vector<Column> columns(names.size());
  for (const Json& cell : cells) {
    if (!cell.is_object()) continue;
    Json row = Json::array();
    for (std::size_t i = 0; i < names.size(); ++i) {
      row.push_back(columns[i].index_of(text_of(cell, names[i])));
    }
    const std::uint64_t hits = hits_of(cell);
    row.push_back(hits);
    table.cells_hit += hits > 0 ? 1 : 0;
    table.json["rows"].push_back(std::move(row));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    table.json["columns"].push_back(names[i]);
    table.json["values"].push_back(columns[i].values());
  }
  const auto space = coverage.find("space");
  if (space != coverage.end() && space->is_number_integer() && *space >= 0) table.space = *space;
  return table;
}

}  // namespace rankle
