// Coverage of a campaign in the compact form that the report's page reads: each column's distinct
// values once, and a row of indices and a count for each cell. Days of fuzzing have some ten
// thousand cells.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

namespace rankle {

struct CoverageTable {
  // {"columns": ["target", ...], "values": [["a2a", ...], ...], "rows": [[0, 3, ..., hits], ...]};
  // only columns that some cell has.
  nlohmann::ordered_json json;
  std::uint64_t cells_hit = 0;
  std::uint64_t space = 0;  // cells that can be hit; 0: not known
};

// `coverage` is coverage.json as parsed. Cells that are no objects are left out.
CoverageTable coverage_table(const nlohmann::ordered_json& coverage);

}  // namespace rankle
