// One run of a campaign, from its start or from where a kill left it: canary, old findings, corpus,
// then the stream of cases until the plan's limits. What can go wrong with the directory while it
// runs ends the run and is told in one sentence; findings are told all the same.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "campaign/campaign_dir.h"
#include "campaign/coverage.h"
#include "campaign/fuzz_loop.h"
#include "campaign/fuzz_plan.h"
#include "campaign/recheck.h"
#include "campaign/recorder.h"

namespace rankle {

// Other processes that work for the same campaign; none for most. Calls come from the thread that
// runs the loop.
class Crew {
 public:
  virtual ~Crew() = default;
  // Once, when everything is known that they need to begin. `lanes`: of all workers. Takes their
  // share of the corpus out of the plan.
  virtual void begin(FuzzPlan& plan, const std::vector<Lane>& lanes, FindingStore& store) = 0;
  virtual void tick(FuzzLoop& loop, Positions& positions) = 0;
  // Returns when all have ended; the loop of this process has.
  virtual void end(FuzzLoop& loop, Positions& positions, FuzzEnd why) = 0;
};

struct CampaignSettings {
  bool canary = true;
  double canary_interval_s = 3600;
  RecordIntervals intervals;
  std::size_t workers = 1;  // of all processes together
};

struct CampaignSummary {
  FuzzSummary fuzz;
  Rechecked rechecked;
};

class CampaignRun {
 public:
  struct Parts {
    CampaignDir& dir;
    FuzzPlan& plan;  // with contracts; lanes, known, before, corpus and at are set here
    Coverage& coverage;
    FuzzListener& printer;
    FuzzLoop::MakeExecutor make_executor;  // number -1: for this thread
    std::function<std::string(const Repro&)> explain;
    std::function<void(const std::string&)> note;  // a line for people
    Crew* crew = nullptr;
  };

  CampaignRun(const Parts& parts, const CampaignSettings& settings);

  // `first` is an executor of this thread, and becomes the first job's. Throws EnvironmentError,
  // CampaignError, Interrupted, std::system_error; std::logic_error as FuzzLoop does.
  CampaignSummary run(std::unique_ptr<Executor> first);

 private:
  // Throws EnvironmentError if there is none. Returns false, and says so, if it is not found.
  bool ask_canary(Executor& executor, EventLog& events, FuzzSummary& summary);
  void read_corpus(EventLog& events) const;
  void read_coverage(EventLog& events) const;
  void know(const Rechecked& rechecked) const;
  FuzzSummary loop(std::unique_ptr<Executor> first, CampaignStore& store, EventLog& events,
                   const std::vector<Lane>& lanes);

  const Parts parts_;
  const CampaignSettings settings_;
};

}  // namespace rankle
