// A campaign directory as the data of its report. What cannot be read is left out and said in
// `problems`: a campaign that lost a file still deserves a report on the rest.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "campaign/report/finding_entries.h"

namespace rankle {

// The folder is no campaign: one sentence.
struct ReportDirError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ReportSource {
  std::filesystem::path folder;
  SourceRoots source_roots;  // for explanations that the campaign did not keep
  std::string rankle;        // version and commit that write the report
  std::string written_at;    // UTC, for people
};

// {"title", "written_by", "written_at", "config", "headline", "series", "notes", "coverage",
//  "findings", "mutants", "problems"}; page/*.js reads it. Throws ReportDirError.
nlohmann::ordered_json report_data(const ReportSource& source);

}  // namespace rankle
