// The options of every command that runs cases about how a run is judged: hand-offs,
// wave-synchronous code, volatile, and the determinism check.
#pragma once

#include "cli/options.h"
#include "harness/run_options.h"

namespace rankle::cli {

class RunSettings {
 public:
  static RunSettings declare(OptionSet& options);

  // Changes what was given, and nothing else. Throws UsageError.
  void apply(RunOptions& run) const;
  bool given() const;

 private:
  const TextOption* relaxed_handoff_ = nullptr;
  const TextOption* wave_synchronous_ = nullptr;
  const TextOption* volatile_ = nullptr;
  const bool* verify_determinism_ = nullptr;
};

}  // namespace rankle::cli
