// What the simulator reports: a kind, who, where, and one sentence. The simulator knows nothing of
// collectives; harness/ turns reports into findings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rankle::sim {

enum class ReportKind {
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
  leak,
  api_error,
  crash
};

// A source position: the innermost line that is not plumbing (atomic.h, pack.h, the simulator
// itself).
struct SourceLine {
  std::string function;
  std::string file;
  int line = 0;
};

struct ThreadId {
  int rank = -1;
  int block = -1;   // linear index in the grid
  int thread = -1;  // linear index in the block
  int step = -1;    // that its rank had noted when it did this or queued it; -1: none
};

// Of findings that common code relies on: whether they end the run, are listed, or go unsaid.
enum class Severity { error, warning, off };

struct Report {
  ReportKind kind = ReportKind::api_error;
  bool is_warning = false;           // the run went on
  std::string message;               // one sentence
  std::vector<std::string> details;  // further sentences, each on its own
  std::vector<SourceLine> sites;     // parallel to `threads`
  std::vector<ThreadId> threads;
  std::vector<std::string> roles;  // of a race, parallel to `sites`: what each did
  std::vector<std::string>
      inlined;  // call chain of sites[0], innermost first, "function file:line"
};

}  // namespace rankle::sim
