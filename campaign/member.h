// A rank other than 0 of a campaign: runs the lanes that rank 0 hands it, and has no directory.
// What it finds goes to rank 0, which keeps and reports it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "campaign/exchange.h"
#include "campaign/fuzz_loop.h"
#include "campaign/fuzz_plan.h"
#include "campaign/letters.h"

namespace rankle {

class CampaignMember {
 public:
  CampaignMember(Exchange& exchange, std::function<bool()> interrupted);

  // Waits for rank 0's letter; nullopt if there is nothing to do (rank 0 stopped, or a signal).
  std::optional<Setup> wait_for_setup();

  // Runs until the plan's limits or rank 0 ends it. Sets the plan's lanes, known, before and at.
  // What goes wrong is told to rank 0 and ends the campaign there.
  void run(const Setup& setup, FuzzPlan& plan, const FuzzLoop::MakeExecutor& make_executor);

  // Instead of run: this rank cannot.
  void give_up(const std::string& error);

 private:
  Exchange& exchange_;
  std::function<bool()> interrupted_;
};

}  // namespace rankle
