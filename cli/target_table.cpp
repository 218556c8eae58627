// See target_table.h.
#include "cli/target_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankle::cli {

void TargetTable::case_done(const Case& c, const Verdict& verdict) {
  Row& row = rows_[c.target];
  ++row.cases;
  row.seconds += verdict.stats.seconds;
  row.failed += verdict.findings.empty() ? 0 : 1;
}

void TargetTable::found(const Repro& repro) { ++rows_[repro.failing.target].findings; }

std::vector<std::string> TargetTable::lines(const Coverage& coverage) const {
  if (rows_.size() < 2) return {};
  std::size_t width = 6;
  for (const auto& [target, row] : rows_) width = std::max(width, target.size());
  std::vector<std::string> lines = {fmt::format("\n{:<{}} {:>9} {:>8} {:>8} {:>10} {:>10}",
                                                "target", width, "cases", "failed", "findings",
                                                "ms a case", "coverage")};
  for (const auto& [target, row] : rows_) {
    const double cases = static_cast<double>(std::max<std::uint64_t>(row.cases, 1));
    const auto space = static_cast<double>(std::max<std::size_t>(coverage.space_of(target), 1));
    lines.push_back(fmt::format("{:<{}} {:>9} {:>8} {:>8} {:>10.1f} {:>8.2f} %", target, width,
                                row.cases, row.failed, row.findings, 1e3 * row.seconds / cases,
                                100 * static_cast<double>(coverage.hit_of(target)) / space));
  }
  return lines;
}

}  // namespace rankle::cli
