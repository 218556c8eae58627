// Prints what the fuzz loop does: the live line, the finding, the summary; as text or as events.
#pragma once

#include <chrono>
#include <string>

#include "campaign/coverage.h"
#include "campaign/fuzz_plan.h"
#include "cli/console.h"
#include "cli/statistics.h"
#include "cli/target_table.h"

namespace rankle::cli {

class FuzzReport : public FuzzListener {
 public:
  // Adds to `coverage` what each case hit.
  FuzzReport(Console& console, bool statistics, Coverage& coverage)
      : console_(console), statistics_wanted_(statistics), coverage_(coverage) {}

  void case_done(const Case& c, const Verdict& verdict, const FuzzProgress& progress) override;
  void minimising(const Repro& so_far, const FuzzProgress& progress) override;
  void found(const Found& found) override;
  void warned(const Case& c, const Finding& warning) override;

  // The cells that were never hit, for people.
  void say_never_hit();
  // The last lines and the `end` event, with `more` fields.
  void end(const FuzzSummary& summary, int exit_code, const Json& more = Json::object());

 private:
  bool due(std::chrono::steady_clock::time_point& last, double interval_s);
  void live(const std::string& target, const FuzzProgress& progress, const std::string& doing);

  Console& console_;
  bool statistics_wanted_;
  Coverage& coverage_;
  Statistics statistics_;
  TargetTable table_;
  std::uint64_t findings_ = 0;
  std::chrono::steady_clock::time_point line_drawn_;
  std::chrono::steady_clock::time_point event_sent_ = std::chrono::steady_clock::now();
};

}  // namespace rankle::cli
