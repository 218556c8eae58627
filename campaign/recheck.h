// Old findings first: at every start of a campaign each finding is run again. One that shows no
// more has been fixed, or was never certain; it is moved to fixed/ or flaky/ with all its files.
// One that was fixed and is back returns to findings/. One that a kill kept from being shrunk, or
// from being told, is shrunk and told now.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "campaign/campaign_store.h"
#include "campaign/event_log.h"
#include "campaign/fuzz_plan.h"
#include "harness/executor.h"

namespace rankle {

struct Rechecked {
  std::vector<Repro> standing;     // in findings/ afterwards
  std::vector<Repro> flaky;        // in flaky/ afterwards
  std::uint64_t fixed = 0;         // moved to fixed/ now
  std::uint64_t gone_flaky = 0;    // moved to flaky/ now
  std::uint64_t returned = 0;      // from fixed/
  std::vector<std::string> notes;  // one sentence each, for people
};

class Recheck {
 public:
  Recheck(const FuzzPlan& plan, Executor& executor, const CampaignLayout& layout,
          CampaignStore& store, EventLog& events, std::function<void(const Found&)> report);

  // Throws EnvironmentError, Interrupted, std::system_error.
  Rechecked run();

 private:
  enum class Outcome { always, sometimes, never, cannot_run };

  Outcome try_again(const Repro& repro);
  void check_finding(const KeptFinding& kept);
  void check_fixed(const KeptFinding& kept);
  void finish(const KeptFinding& kept);
  void note(const KeptFinding& kept, const std::string& what);

  const FuzzPlan& plan_;
  Executor& executor_;
  const CampaignLayout& layout_;
  CampaignStore& store_;
  EventLog& events_;
  std::function<void(const Found&)> report_;
  Rechecked result_;
};

}  // namespace rankle
