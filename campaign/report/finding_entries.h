// The findings of a campaign as a report shows them: what is wrong, the explanation, the smallest
// case, how to run it again. Whole repro files are carried along up to a limit, so that the report
// alone is enough to replay them.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rankle {

// The folders in which source files that findings of a target name may lie.
using SourceRoots = std::function<std::vector<std::filesystem::path>(const std::string& target)>;

struct FindingEntries {
  std::vector<nlohmann::ordered_json> entries;  // open ones first, then by when they were found
  std::vector<std::string> problems;            // one sentence for each folder that cannot be read
};

// `folder` is the campaign's. Source lines in explanations that the campaign did not keep are
// looked for in `source_roots`.
FindingEntries read_finding_entries(const std::filesystem::path& folder,
                                    const SourceRoots& source_roots);

}  // namespace rankle
