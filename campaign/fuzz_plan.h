// What a run of many cases is told, what it says while it runs, and how it ended. `fuzz`, `smoke`
// and `stress` are presets of one plan (fuzz_loop.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "campaign/finding_store.h"
#include "generators/contract.h"
#include "generators/generate.h"
#include "harness/run_options.h"
#include "harness/verdict.h"
#include "repro/repro_file.h"

namespace rankle {

// The cases of one job: numbers first, first + stride, ... of the one stream `seed`, so that jobs
// share nothing and `--only-case` names a case whoever ran it.
struct Lane {
  std::uint64_t first = 0;
  std::uint64_t stride = 1;

  bool operator==(const Lane&) const = default;
};

struct FuzzProgress {
  std::uint64_t cases = 0;
  std::uint64_t findings = 0;    // distinct signatures, flaky ones included
  std::uint64_t flaky = 0;       // of these
  std::uint64_t warnings = 0;    // distinct signatures of what does not count as a finding
  std::uint64_t duplicates = 0;  // findings with a signature that was known
  std::uint64_t passed = 0;      // cases by how they ended
  std::uint64_t failed = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t errors = 0;   // never started
  std::uint64_t retries = 0;  // starts that were tried again
  double seconds = 0;         // since the loop began, and before
  double cases_per_s = 0;     // minimising not counted
};

struct FuzzPlan {
  std::vector<Contract> contracts;  // of the targets selected, sorted by name
  Draw draw;            // worlds and dtypes selected; minimising may leave these for smaller ones
  Selection selection;  // the same as texts, for the repro file
  std::uint64_t seed = 0;
  std::vector<Lane> lanes = {Lane{}};  // one job each
  std::optional<std::uint64_t> only_case;
  std::uint64_t cases_max = 0;         // numbers of the stream below this one; 0: no limit
  double seconds_max = 0;              // 0: no limit
  bool minimising_takes_time = false;  // counts towards seconds_max
  std::uint64_t findings_max = 1;      // distinct ones; 0: no limit
  double minimise_seconds_max = 8;
  RunOptions run;
  std::string version, commit, platform;
  std::vector<Case> corpus;     // run first, shared out among the jobs
  std::set<std::string> known;  // signatures that are no news
  FuzzProgress before;          // of the campaign that this run goes on with
  // A case whose worker cannot start is tried again so often, and then counted as an error; 0: the
  // run ends with EnvironmentError.
  int tries_of_start = 0;
  std::function<bool()> interrupted;
  // Before a job runs case `next`, and again, with the number after it, when all that the case has
  // shown is in the store. From the job's own thread.
  std::function<void(int job, std::uint64_t next)> at;
};

enum class FuzzEnd {
  cases_done,
  time_up,
  findings_reached,
  interrupted,
  store_failed,  // FuzzSummary::error
  blind,         // the canary was not found: FuzzSummary::error
  rank_failed    // another process could not go on: FuzzSummary::error
};

struct FuzzSummary {
  FuzzProgress progress;
  FuzzEnd end = FuzzEnd::cases_done;
  std::string error;  // store_failed, blind: one sentence
};

// Calls come from the jobs' threads, one at a time; `tick` from the thread that runs the loop, at
// any time.
class FuzzListener {
 public:
  virtual ~FuzzListener() = default;
  virtual void case_done(const Case& c, const Verdict& verdict, const FuzzProgress& progress) = 0;
  virtual void minimising(const Repro& so_far, const FuzzProgress& progress) = 0;
  virtual void found(const Found& found) = 0;
  virtual void warned(const Case& c, const Finding& warning) = 0;
  virtual void tick(const FuzzProgress& progress) { (void)progress; }
};

}  // namespace rankle
