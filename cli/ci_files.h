// The options with which a run leaves files and lines for CI systems: --junit, --sarif, --github.
#pragma once

#include "campaign/ci/run_record.h"
#include "cli/console.h"
#include "cli/options.h"

namespace rankle::cli {

class CiFiles {
 public:
  static CiFiles declare(OptionSet& options);

  // A run of minutes must not end with a file that cannot be written because of a typo. Throws
  // UsageError.
  void check() const;
  // Throws EnvironmentError.
  void write(const RunRecord& record, Console& console) const;

 private:
  const TextOption* junit_ = nullptr;
  const TextOption* sarif_ = nullptr;
  const bool* github_ = nullptr;
};

}  // namespace rankle::cli
