// Prints what the fuzz loop does: the live line, the finding, the summary; as text or as events.
#pragma once

#include <chrono>
#include <string>

#include "cli/console.h"
#include "cli/fuzz_loop.h"
#include "cli/statistics.h"

namespace rankle::cli {

class FuzzReport : public FuzzListener {
 public:
  FuzzReport(Console& console, bool statistics)
      : console_(console), statistics_wanted_(statistics) {}

  void case_done(const Case& c, const Verdict& verdict, const FuzzProgress& progress) override;
  void minimising(const Repro& so_far, const FuzzProgress& progress) override;
  void found(const Found& found) override;
  void warned(const Case& c, const Finding& warning) override;

  // The last lines and the `end` event.
  void end(const FuzzSummary& summary, int exit_code);

 private:
  bool due(std::chrono::steady_clock::time_point& last, double interval_s);
  void live(const std::string& target, const FuzzProgress& progress, const std::string& doing);

  Console& console_;
  bool statistics_wanted_;
  Statistics statistics_;
  std::uint64_t findings_ = 0;
  std::chrono::steady_clock::time_point line_drawn_;
  std::chrono::steady_clock::time_point event_sent_ = std::chrono::steady_clock::now();
};

}  // namespace rankle::cli
