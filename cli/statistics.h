// What a run drew (--statistics): how often each target, world, dtype, size class, ... came up, as
// RapidCheck's classify does for properties, and the medians of what cases cost.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/console.h"
#include "generators/case.h"
#include "harness/verdict.h"

namespace rankle::cli {

class Statistics {
 public:
  void add(const Case& c, const Verdict& verdict);

  // {"target": {"allreduce/...": 12, ...}, "world": {...}, ..., "median_threads": N, ...}
  Json json() const;
  // One line per class with shares, for people.
  std::vector<std::string> lines() const;

 private:
  void count(const char* property, const std::string& value) { ++counts_[property][value]; }

  std::uint64_t cases_ = 0;
  std::map<std::string, std::map<std::string, std::uint64_t>> counts_;
  std::uint64_t pct_runs_ = 0;
  std::uint64_t pct_void_ = 0;          // of them: no bound holds
  std::vector<std::uint64_t> threads_;  // simulated, per case
  std::vector<std::uint64_t> bytes_;    // per rank, per case
};

}  // namespace rankle::cli
