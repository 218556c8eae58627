// See report_data.h.
#include "campaign/report/report_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>

#include "campaign/report/campaign_events.h"
#include "campaign/report/coverage_table.h"
#include "campaign/report/finding_entries.h"
#include "repro/atomic_file.h"

namespace rankle {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kJsonBytesMax = std::size_t{256} << 20;

// Null, and a problem unless the file is simply absent.
Json read_json(const fs::path& file, std::vector<std::string>& problems) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return {};
  std::string error;
  const auto text = read_small_file(file, kJsonBytesMax, error);
  if (!text) {
    problems.push_back(error);
    return {};
  }
  Json json = Json::parse(*text, nullptr, false);
  if (!json.is_discarded()) return json;
  problems.push_back(fmt::format("{}: is not JSON; left out", file.filename().string()));
  return {};
}

void check_folder(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    throw ReportDirError(
        fmt::format("{}: is no folder; a campaign directory, as `rankle stress "
                    "--dir` makes it, is allowed",
                    folder.string()));
  }
  for (const char* name : {"config.json", "events.jsonl", "findings"}) {
    if (fs::exists(folder / name, ignored)) return;
  }
  throw ReportDirError(
      fmt::format("{}: is no campaign directory; one holds config.json, "
                  "events.jsonl and findings/",
                  folder.string()));
}

Json series_of(const CampaignEvents& events) {
  Json series = {{"t", Json::array()},
                 {"cases", Json::array()},
                 {"cases_per_s", Json::array()},
                 {"findings", Json::array()},
                 {"cells", Json::array()}};
  const auto known = [](double value) { return value < 0 ? Json() : Json(value); };
  for (const ProgressPoint& point : events.points) {
    series["t"].push_back(point.t);
    series["cases"].push_back(point.cases);
    series["cases_per_s"].push_back(known(point.cases_per_s));
    series["findings"].push_back(point.findings);
    series["cells"].push_back(known(point.cells));
  }
  return series;
}

std::uint64_t count_of(const std::vector<Json>& findings, const char* state) {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      findings, [&](const Json& finding) { return finding["state"] == state; }));
}

Json headline_of(const CampaignEvents& events, const CoverageTable& coverage,
                 const std::vector<Json>& findings) {
  const ProgressPoint last = events.points.empty() ? ProgressPoint{} : events.points.back();
  const double seconds = events.t_last;
  Json headline = {{"cases", last.cases},
                   {"seconds", seconds},
                   {"cases_per_s", seconds > 0 ? last.cases / seconds : 0.0},
                   {"open", count_of(findings, "open")},
                   {"flaky", count_of(findings, "flaky")},
                   {"fixed", count_of(findings, "fixed")},
                   {"cells_hit", coverage.cells_hit},
                   {"cells", coverage.space},
                   {"worker_deaths", events.worker_deaths},
                   {"resumes", events.resumes},
                   {"ended", events.ended},
                   {"end_reason", events.end_reason}};
  return headline;
}

std::string title_of(const fs::path& folder) {
  const fs::path path = fs::absolute(folder).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

}  // namespace

Json report_data(const ReportSource& source) {
  check_folder(source.folder);
  std::vector<std::string> problems;
  const Json config = read_json(source.folder / "config.json", problems);
  const CoverageTable coverage =
      coverage_table(read_json(source.folder / "coverage.json", problems));
  const Json mutants = read_json(source.folder / "mutants.json", problems);
  const CampaignEvents events = read_campaign_events(source.folder);
  FindingEntries findings = read_finding_entries(source.folder, source.source_roots);
  problems.insert(problems.end(), findings.problems.begin(), findings.problems.end());
  if (events.torn_lines > 0) {
    problems.push_back(fmt::format("events.jsonl: {} {} torn; left out", events.torn_lines,
                                   events.torn_lines == 1 ? "line is" : "lines are"));
  }
  return {{"title", title_of(source.folder)},
          {"written_by", source.rankle},
          {"written_at", source.written_at},
          {"config", config.is_object() ? config : Json::object()},
          {"headline", headline_of(events, coverage, findings.entries)},
          {"series", series_of(events)},
          {"notes", events.notes},
          {"notes_left_out", events.notes_left_out},
          {"coverage", coverage.json},
          {"findings", findings.entries},
          {"mutants", mutants.is_array() ? mutants : Json::array()},
          {"problems", problems}};
}

}  // namespace rankle
