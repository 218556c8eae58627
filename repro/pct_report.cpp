// See pct_report.h.
#include "repro/pct_report.h"

#include <fmt/format.h>

#include <cmath>

namespace rankle {

PctReport pct_report(const Schedule& schedule, const RunStats& stats) {
  PctReport report;
  report.depth = schedule.depth;
  report.entities = stats.entities;
  report.steps = schedule.horizon;
  report.runs = static_cast<double>(stats.entities) *
                std::pow(static_cast<double>(schedule.horizon), schedule.depth - 1);
  report.gave_way = stats.gave_way;
  return report;
}

std::string sentence_of(const PctReport& report) {
  const std::string what = fmt::format("PCT: d = {}, n = {} entities, k = {} steps", report.depth,
                                       report.entities, report.steps);
  if (report.is_void()) {
    return fmt::format(
        "{}: no bound holds, because entities that spin gave way {} time{} against their priority",
        what, report.gave_way, report.gave_way == 1 ? "" : "s");
  }
  return fmt::format(
      "{}: a bug that needs {} ordering constraint{} within k steps is hit by one run in {:.3g} "
      "at least",
      what, report.depth, report.depth == 1 ? "" : "s", report.runs);
}

}  // namespace rankle
