// See campaign_events.h.
#include "campaign/report/campaign_events.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace rankle {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kLineBytesMax = 1 << 20;

// The number in "events.12.jsonl"; nullopt for other names.
std::optional<int> rotation_of(const std::string& name) {
  constexpr std::string_view kHead = "events.";
  constexpr std::string_view kTail = ".jsonl";
  if (!name.starts_with(kHead) || !name.ends_with(kTail) ||
      name.size() <= kHead.size() + kTail.size()) {
    return std::nullopt;
  }
  const char* end = name.data() + name.size() - kTail.size();
  int number = 0;
  const auto [stop, error] = std::from_chars(name.data() + kHead.size(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::vector<fs::path> event_files(const fs::path& folder) {
  std::vector<std::pair<int, fs::path>> rotated;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (const auto number = rotation_of(it->path().filename().string())) {
      rotated.emplace_back(*number, it->path());
    }
  }
  // The higher the number, the older.
  std::sort(rotated.rbegin(), rotated.rend());
  std::vector<fs::path> files;
  for (auto& [number, path] : rotated) files.push_back(std::move(path));
  files.push_back(folder / "events.jsonl");
  return files;
}

double number_of(const Json& event, const char* key, double otherwise) {
  const auto it = event.find(key);
  return it != event.end() && it->is_number() ? it->get<double>() : otherwise;
}

std::string text_of(const Json& event, const char* key) {
  const auto it = event.find(key);
  return it != event.end() && it->is_string() ? it->get<std::string>() : std::string();
}

void add_progress(const Json& event, double t, CampaignEvents& events) {
  events.points.push_back({t, number_of(event, "cases", 0), number_of(event, "cases_per_s", -1),
                           number_of(event, "findings", 0), number_of(event, "cells", -1)});
}

void add_event(const Json& event, CampaignEvents& events) {
  const std::string name = text_of(event, "event");
  const double t = number_of(event, "t", -1);
  if (name.empty() || t < 0) {
    ++events.torn_lines;
    return;
  }
  events.t_last = std::max(events.t_last, t);
  if (name == "progress") return add_progress(event, t, events);
  if (name == "finding") return;  // findings/ has them
  if (name == "worker" && text_of(event, "what") == "died") {
    // Many deaths in one second are one event.
    events.worker_deaths += static_cast<std::uint64_t>(number_of(event, "deaths", 1));
  }
  if (name == "resumed") ++events.resumes;
  events.ended = name == "end";
  if (events.ended && event.contains("cases")) add_progress(event, t, events);
  events.end_reason = events.ended ? text_of(event, "reason") : std::string();
  events.notes.push_back(event);
}

void read_events(const fs::path& file, CampaignEvents& events) {
  std::ifstream in(file, std::ios::binary);
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    const Json event = line.size() > kLineBytesMax ? Json() : Json::parse(line, nullptr, false);
    if (event.is_object()) {
      add_event(event, events);
    } else {
      ++events.torn_lines;
    }
  }
}

}  // namespace

CampaignEvents read_campaign_events(const fs::path& folder) {
  CampaignEvents events;
  for (const fs::path& file : event_files(folder)) read_events(file, events);
  std::ranges::sort(events.points, {},
                    [](const ProgressPoint& point) { return std::pair(point.t, point.cases); });
  events.points = thinned(events.points, kPointsMax);
  if (events.notes.size() > kNotesMax) {
    events.notes_left_out = events.notes.size() - kNotesMax;
    events.notes.erase(events.notes.begin(),
                       events.notes.begin() + static_cast<std::ptrdiff_t>(events.notes_left_out));
  }
  return events;
}

std::vector<ProgressPoint> thinned(const std::vector<ProgressPoint>& points,
                                   std::size_t points_max) {
  if (points.size() <= points_max) return points;
  std::vector<ProgressPoint> kept;
  kept.reserve(points_max);
  for (std::size_t group = 1; group <= points_max; ++group) {
    kept.push_back(points[group * points.size() / points_max - 1]);
  }
  return kept;
}

}  // namespace rankle
