// What a campaign writes while it runs: events, counts, coverage, the state to resume from, and a
// corpus. A listener around the one that prints.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "campaign/campaign_dir.h"
#include "campaign/campaign_store.h"
#include "campaign/coverage.h"
#include "campaign/event_log.h"
#include "campaign/fuzz_plan.h"
#include "campaign/positions.h"

namespace rankle {

// How often, in seconds; tests want less.
struct RecordIntervals {
  double progress_s = 10;  // progress events, state.json
  double coverage_s = 60;  // coverage.json, found.json; the former may have megabytes
};

// The `finding` event of events.jsonl.
EventFields finding_event(const Found& found);

class CampaignRecorder : public FuzzListener {
 public:
  struct Parts {
    const CampaignDir& dir;
    EventLog& events;
    CampaignStore& store;
    const Coverage& coverage;
    Positions& positions;
    FuzzListener& next;
  };

  CampaignRecorder(const FuzzPlan& plan, std::vector<Lane> lanes, const Parts& parts,
                   RecordIntervals intervals = {});

  void case_done(const Case& c, const Verdict& verdict, const FuzzProgress& progress) override;
  void minimising(const Repro& so_far, const FuzzProgress& progress) override;
  void found(const Found& found) override;
  void warned(const Case& c, const Finding& warning) override;
  void tick(const FuzzProgress& progress) override;

  // A worker died in a run of `c`; at most one event a second, with how many it stands for.
  void worker_died(const std::string& target, const Finding& finding);
  // Everything as it is now. Returns what could not be written, in one sentence; empty: all is.
  std::string write_all(const FuzzProgress& progress);
  // The first thing that could not be written in a tick.
  const std::string& error() const { return error_; }

 private:
  using Clock = std::chrono::steady_clock;

  static bool is_due(Clock::time_point& last, double interval_s);
  void keep_in_corpus(const Case& c, const Verdict& verdict);
  void write_state(const FuzzProgress& progress) const;
  template <class Write>
  void attempt(const Write& write);

  const FuzzPlan& plan_;
  const std::vector<Lane> lanes_;  // of all workers, those of other processes too
  const Parts parts_;
  const RecordIntervals intervals_;
  Clock::time_point progress_written_ = Clock::now();
  Clock::time_point coverage_written_ = Clock::now();
  Clock::time_point death_written_;
  std::uint64_t deaths_ = 0;  // since the last event
  std::uint64_t deaths_total_ = 0;
  std::set<std::pair<std::string, std::string>> variants_;  // with target: in the corpus
  std::string error_;
};

}  // namespace rankle
