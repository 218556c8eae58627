// See statistics.h.
#include "cli/statistics.h"

#include <fmt/format.h>

#include <algorithm>

#include "campaign/coverage.h"
#include "generators/names.h"
#include "repro/describe_case.h"
#include "repro/pct_report.h"

namespace rankle::cli {
namespace {

// Classes of sizes that matter to the kernels: boundaries first, then orders of magnitude.
std::string size_class(const Case& c) {
  const PackSplit split = split_of(c);
  if (split.packs == 0) return "zero";
  if (split.packs < c.world) return "fewer packs than ranks";
  if (split.packs == c.world) return "one pack per rank";
  if (split.tiles <= 1) return "up to one tile";
  if (split.tiles <= 8) return "2 to 8 tiles";
  return "more than 8 tiles";
}

std::uint64_t median(std::vector<std::uint64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

void Statistics::add(const Case& c, const Verdict& verdict) {
  ++cases_;
  count("target", c.target);
  count("world", fmt::format("{}", c.world));
  count("dtype", std::string(name_of(c.dtype)));
  count("accum", std::string(name_of(c.accum)));
  count("size", size_class(c));
  count("tail", tail_class(c));
  count("alignment", alignment_class(c));
  count("pattern", step_pattern(c));
  count("inputs", std::string(name_of(c.inputs)));
  count("schedule", std::string(name_of(c.schedule.policy)));
  count("wave", fmt::format("{}", c.geometry.wave));
  count("place", c.in_place ? "in place" : "out of place");
  for (const std::string& variant : verdict.variants) count("variant", variant);
  if (c.schedule.policy == Policy::pct) {
    ++pct_runs_;
    if (pct_report(c.schedule, verdict.stats).is_void()) ++pct_void_;
  }
  threads_.push_back(verdict.stats.threads);
  bytes_.push_back(static_cast<std::uint64_t>(c.bytes()));
}

Json Statistics::json() const {
  Json result = Json::object();
  for (const auto& [property, values] : counts_) {
    Json& entry = result[property] = Json::object();
    for (const auto& [value, number] : values) entry[value] = number;
  }
  result["pct"] = {{"runs", pct_runs_}, {"void", pct_void_}};
  result["median_threads"] = median(threads_);
  result["median_bytes"] = median(bytes_);
  return result;
}

std::vector<std::string> Statistics::lines() const {
  std::vector<std::string> result;
  for (const auto& [property, values] : counts_) {
    std::uint64_t total = 0;
    for (const auto& [value, number] : values) total += number;
    for (const auto& [value, number] : values) {
      result.push_back(fmt::format("  {:<9} {:5.1f} %  {}", property,
                                   100.0 * static_cast<double>(number) / static_cast<double>(total),
                                   value));
    }
  }
  result.push_back(fmt::format(
      "  pct: {} runs, in {} of them no bound holds, because entities that spin gave way",
      pct_runs_, pct_void_));
  result.push_back(fmt::format("  median case: {} simulated threads, {} bytes per rank",
                               median(threads_), median(bytes_)));
  return result;
}

}  // namespace rankle::cli
