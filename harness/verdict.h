// What running a case can end in. A finding is a value, never an exception; a user's mistake is an
// `invalid_case`, and an internal bug asserts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "generators/case.h"

namespace rankle {

enum class FindingKind {
  wrong_result,
  input_modified,
  redzone,
  out_of_bounds,
  use_after_free,
  misaligned,
  uninitialised_read,
  peer_access,
  data_race,
  scope_race,
  relaxed_handoff,
  wave_synchronous,
  barrier_divergence,
  deadlock,
  livelock,
  rank_mismatch,
  nondeterminism,
  leak,
  api_error,
  crash,
  timeout
};

std::string_view name_of(FindingKind kind);  // "wrong-result"
std::optional<FindingKind> finding_kind_from(std::string_view name);
std::vector<FindingKind> all_finding_kinds();  // in the order of their declaration

// One source position. `file` is relative to the repository ("kernels/signal.h").
struct Site {
  std::string function;
  std::string file;
  int line = 0;

  bool operator==(const Site&) const = default;
};

// Who did it. -1 where a level does not apply (a host call has no block).
struct Actor {
  int rank = -1;
  int block = -1;
  int thread = -1;
  int step = -1;  // of the program: that did or queued this; -1: not known, or none

  bool operator==(const Actor&) const = default;
};

struct Finding {
  FindingKind kind = FindingKind::wrong_result;
  std::string message;               // one sentence
  std::vector<std::string> details;  // further sentences: forensics, who waits for which word
  std::vector<Site> sites;           // innermost source lines involved, most telling first
  std::vector<Actor> actors;         // parallel to sites where both are known
  std::vector<std::string> roles;    // of a race, parallel to sites: "writes 4 bytes of ..."
  // What tells findings of one kind apart when no source line does: "stale-round" of a
  // wrong-result, "SIGSEGV" of a crash. A name, never an index or a value, because it is part of
  // the signature.
  std::string subkind;

  bool operator==(const Finding&) const = default;
};

// Identity of a finding: kind, target, and the functions and lines involved, in one line such as
// "barrier-divergence|allreduce/two_stage_uniform@divergent_barrier|reduce_tiles kernels/...:71".
// Equal signatures are the same bug.
std::string signature_of(const Finding& finding, std::string_view target);

enum class Outcome { pass, finding, flaky, invalid_case, environment_error };

// What a run cost and did; deterministic on the simulator except `seconds`.
struct RunStats {
  std::uint64_t threads = 0;   // simulated GPU threads started
  std::uint64_t accesses = 0;  // checked accesses
  std::uint64_t steps = 0;     // scheduling steps
  std::uint64_t barriers = 0;  // block barriers completed
  std::uint64_t entities = 0;  // hosts, streams with work and waves, among which schedules choose
  std::uint64_t gave_way = 0;  // times that one of them gave way because it spins
  double seconds = 0;          // wall time of the run

  bool operator==(const RunStats&) const = default;
};

struct Verdict {
  Outcome outcome = Outcome::pass;
  std::vector<Finding> findings;  // in the order of discovery; the first one gives the signature
  std::vector<Finding> warnings;  // what was seen and does not count against the run
  std::string error;              // invalid_case, environment_error: one sentence
  std::uint64_t trace_hash = 0;   // equal for equal runs, in any build folder
  std::vector<std::string> variants;  // per rank, what the dispatch chose ("two_stage_tail<tail>")
  RunStats stats;
  // With RunOptions::record_switches: what run-to-block needs to repeat the run's schedule.
  std::vector<Switch> switches;

  bool operator==(const Verdict&) const = default;
};

void to_json(nlohmann::json& json, const Verdict& verdict);
void from_json(const nlohmann::json& json, Verdict& verdict);  // throws nlohmann::json::exception
void to_json(nlohmann::json& json, const Finding& finding);
void from_json(const nlohmann::json& json, Finding& finding);

}  // namespace rankle
