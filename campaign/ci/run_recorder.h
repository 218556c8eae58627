// Listens to the fuzz loop and keeps what the files for CI tell: which case of the corpus ran and
// how it ended, how many cases each target had, what was found. Hands every call on to the listener
// that prints.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "campaign/ci/run_record.h"
#include "campaign/fuzz_plan.h"

namespace rankle {

// A case that runs first, under the name that people know it by.
struct CorpusCase {
  std::string name;
  Case c;
};

class RunRecorder : public FuzzListener {
 public:
  RunRecorder(FuzzListener& next, RunRecord& record, const std::vector<CorpusCase>& corpus,
              const std::vector<Contract>& contracts);

  void case_done(const Case& c, const Verdict& verdict, const FuzzProgress& progress) override;
  void minimising(const Repro& so_far, const FuzzProgress& progress) override;
  void found(const Found& found) override;
  void warned(const Case& c, const Finding& warning) override;
  void tick(const FuzzProgress& progress) override;

  // Adds the tests to the record: the corpus in its order, then the targets by name. What never ran
  // is skipped, and says so.
  void finish();

 private:
  FuzzListener& next_;
  RunRecord& record_;
  std::vector<RunTest> corpus_;                 // in the order of the corpus
  std::map<std::string, std::size_t> waiting_;  // by the case as a text: its place in corpus_
  std::map<std::string, RunTest> targets_;
};

}  // namespace rankle
