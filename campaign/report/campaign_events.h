// What events.jsonl of a campaign tells a report: the curves over time and what happened to
// workers. A campaign may have been killed while it wrote a line, and may still be running, so
// lines that are no JSON are counted and left out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rankle {

// One `progress` event. -1: the event did not say.
struct ProgressPoint {
  double t = 0;  // seconds since the campaign began, summed over resumes
  double cases = 0;
  double cases_per_s = -1;
  double findings = 0;
  double cells = -1;  // coverage cells hit
};

struct CampaignEvents {
  std::vector<ProgressPoint> points;          // in order of time, at most kPointsMax
  std::vector<nlohmann::ordered_json> notes;  // starts, resumes, warnings, worker deaths, end
  std::uint64_t notes_left_out = 0;           // the oldest, beyond kNotesMax
  std::uint64_t worker_deaths = 0;
  std::uint64_t resumes = 0;
  std::uint64_t torn_lines = 0;  // no JSON object with `event` and `t`
  std::string end_reason;        // of the last `end`; empty: it never ended, or was resumed since
  bool ended = false;
  double t_last = 0;
};

inline constexpr std::size_t kPointsMax = 1500;
inline constexpr std::size_t kNotesMax = 300;

// Reads events.jsonl and its rotated parts. No such file is an empty campaign.
CampaignEvents read_campaign_events(const std::filesystem::path& folder);

// Keeps the last of each group of neighbours, so that at most `points_max` remain.
std::vector<ProgressPoint> thinned(const std::vector<ProgressPoint>& points,
                                   std::size_t points_max);

}  // namespace rankle
