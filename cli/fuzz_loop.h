// The loop of `fuzz` (and, as presets of it, `smoke` and `stress`): draw, run, deduplicate by
// signature, minimise, write the repro file. Prints nothing; a listener does.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "generators/contract.h"
#include "generators/generate.h"
#include "harness/executor.h"
#include "repro/minimiser.h"
#include "repro/repro_file.h"

namespace rankle::cli {

struct FuzzPlan {
  std::vector<Contract> contracts;  // of the targets selected, sorted by name
  Draw draw;            // worlds and dtypes selected; minimising may leave these for smaller ones
  Selection selection;  // the same as texts, for the repro file
  std::uint64_t seed = 0;
  std::optional<std::uint64_t> only_case;
  std::uint64_t cases_max = 0;     // 0: no limit
  double seconds_max = 0;          // of fuzzing, minimising not counted; 0: no limit
  std::uint64_t findings_max = 1;  // distinct ones; 0: no limit
  double minimise_seconds_max = 8;
  RunOptions run;
  std::filesystem::path out;  // folder of repro files, made at the first finding
  std::string version, commit, platform;
  std::function<bool()> interrupted;
};

struct FuzzProgress {
  std::uint64_t cases = 0;
  std::uint64_t findings = 0;    // distinct signatures, flaky ones included
  std::uint64_t flaky = 0;       // of these
  std::uint64_t warnings = 0;    // distinct signatures of what does not count as a finding
  std::uint64_t duplicates = 0;  // findings with a signature that was known
  double seconds = 0;            // since the loop began
  double cases_per_s = 0;        // minimising not counted
};

struct Found {
  Repro repro;
  std::filesystem::path file;  // empty if it could not be written: `write_error`
  std::string write_error;
  double seconds = 0;  // since the loop began, when it was found
  std::uint64_t cases = 0;
  Minimised minimised;
};

class FuzzListener {
 public:
  virtual ~FuzzListener() = default;
  virtual void case_done(const Case& c, const Verdict& verdict, const FuzzProgress& progress) = 0;
  virtual void minimising(const Repro& so_far, const FuzzProgress& progress) = 0;
  virtual void found(const Found& found) = 0;
  virtual void warned(const Case& c, const Finding& warning) = 0;
};

enum class FuzzEnd { cases_done, time_up, findings_reached, interrupted };

struct FuzzSummary {
  FuzzProgress progress;
  FuzzEnd end = FuzzEnd::cases_done;
};

class FuzzLoop {
 public:
  FuzzLoop(const FuzzPlan& plan, Executor& executor, FuzzListener& listener);

  // Throws EnvironmentError if the executor cannot run cases any more, std::logic_error if it
  // refuses a drawn case (the generator and the contract disagree: an internal error).
  FuzzSummary run();

 private:
  std::optional<FuzzEnd> reason_to_stop() const;
  void judge(const Case& c, std::uint64_t index, const Verdict& verdict);
  std::vector<std::string> new_signatures(const Case& c, const Verdict& verdict) const;
  void handle(const Case& c, std::uint64_t index, const Verdict& verdict,
              const std::vector<std::string>& pinned);
  Repro repro_of(const Case& c, const Verdict& verdict, const std::string& signature) const;
  void settle(Found& found, const Case& original, const std::vector<std::string>& pinned);
  FlakyNote measure_flakiness(const Case& c, const std::vector<std::string>& pinned);
  std::optional<Certainty> measure_certainty(const Case& c, const Verdict& verdict,
                                             const std::vector<std::string>& pinned);
  void warn(const Case& c, const Verdict& verdict);
  void save(Found& found) const;
  const Contract& contract_of(const std::string& target) const;
  double now_s() const;
  void update_progress();

  const FuzzPlan& plan_;
  Executor& executor_;
  FuzzListener& listener_;
  std::chrono::steady_clock::time_point started_;
  double minimise_seconds_ = 0;
  FuzzProgress progress_;
  std::set<std::string> known_;  // signatures
};

}  // namespace rankle::cli
