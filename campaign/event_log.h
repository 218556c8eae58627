// The events of a campaign as JSON lines, for people with jq and for `rankle report`. Bounded: a
// file that is full is rotated away, and the oldest of many is deleted, because a week of progress
// lines must not fill a disk.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "campaign/layout.h"

namespace rankle {

using EventFields = nlohmann::ordered_json;

// May be used by several threads.
class EventLog {
 public:
  struct Limits {
    std::uint64_t file_bytes_max = std::uint64_t{4} << 20;
    int old_files_max = 16;
  };

  // `seconds_before`: what the campaign had run before this process.
  EventLog(CampaignLayout layout, double seconds_before, Limits limits);
  EventLog(CampaignLayout layout, double seconds_before)
      : EventLog(std::move(layout), seconds_before, Limits{}) {}
  ~EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  // Appends {"event": name, "t": seconds since the campaign began, ...} in one write. Never throws:
  // what went wrong first is in error().
  void add(std::string_view name, const EventFields& fields);

  double seconds() const;
  // "cannot write DIR/events.jsonl: No space left on device"; empty while all is well.
  std::string error() const;

 private:
  bool open();
  void rotate();
  void fail(const char* what);

  CampaignLayout layout_;
  double seconds_before_;
  Limits limits_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  mutable std::mutex mutex_;
  int descriptor_ = -1;
  std::uint64_t bytes_ = 0;
  std::string error_;
};

}  // namespace rankle
