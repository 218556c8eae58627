// The table at the end of a run: one line a target, so that a run over thirty of them shows at a
// glance which one it was, and which was hardly tried.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "campaign/coverage.h"
#include "generators/case.h"
#include "harness/verdict.h"
#include "repro/repro_file.h"

namespace rankle::cli {

class TargetTable {
 public:
  void case_done(const Case& c, const Verdict& verdict);
  void found(const Repro& repro);

  // None if fewer than two targets ran: the last line of the run says the same.
  std::vector<std::string> lines(const Coverage& coverage) const;

 private:
  struct Row {
    std::uint64_t cases = 0;
    std::uint64_t failed = 0;
    std::uint64_t findings = 0;
    double seconds = 0;
  };
  std::map<std::string, Row> rows_;
};

}  // namespace rankle::cli
