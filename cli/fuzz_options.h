// The options that `fuzz`, `smoke` and `stress` have in common, because they are presets of one
// loop: what to draw from, how long, how strictly, on how many workers.
#pragma once

#include <string>
#include <vector>

#include "campaign/fuzz_plan.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/run_settings.h"
#include "cli/selection.h"

namespace rankle::cli {

// What a command has as its defaults.
struct FuzzPreset {
  std::string time;  // if neither --time nor --cases is given
  std::string findings_max = "1";
  std::string recycle = "0";
};

class FuzzOptions {
 public:
  static FuzzOptions declare(OptionSet& options, const FuzzPreset& preset);

  // Everything but the contracts, which need a worker. Draws a seed if none was given. Throws
  // UsageError.
  FuzzPlan plan(const Surroundings& surroundings) const;
  // Sets plan.contracts. Throws UsageError if nothing is selected.
  void select_from(const std::vector<Contract>& all, FuzzPlan& plan) const;
  // For each of the plan's workers.
  ExecutorRequest request(const FuzzPlan& plan) const;

  std::string platform() const;
  int jobs() const;
  bool statistics() const { return *statistics_; }

  // The first lines for people, and the `start` event. `where`: "findings in rankle-findings".
  void announce(Console& console, const std::string& command, const FuzzPlan& plan,
                Executor& executor, const std::string& where, const Json& more) const;

  const TextOption& time() const { return *time_; }
  const TextOption& only_case() const { return *only_case_; }

 private:
  static std::string limits_of(const FuzzPlan& plan);
  Json fields_of(const FuzzPlan& plan) const;

  FuzzPreset preset_;
  SelectionOptions selection_;
  const TextOption* programs_ = nullptr;
  const bool* weak_memory_ = nullptr;
  const TextOption* time_ = nullptr;
  const TextOption* cases_ = nullptr;
  const TextOption* seed_ = nullptr;
  const TextOption* only_case_ = nullptr;
  const TextOption* platform_ = nullptr;
  const TextOption* jobs_ = nullptr;
  const TextOption* recycle_ = nullptr;
  const TextOption* memory_ = nullptr;
  const TextOption* max_findings_ = nullptr;
  const TextOption* minimise_time_ = nullptr;
  const TextOption* deadline_ = nullptr;
  const bool* statistics_ = nullptr;
  const bool* keep_going_ = nullptr;
  RunSettings settings_;
};

// The exit code that findings give.
int exit_of(const FuzzSummary& summary);

}  // namespace rankle::cli
