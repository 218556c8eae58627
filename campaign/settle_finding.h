// What is done with a case that failed in a new way: kept at once, shrunk, and then either found to
// be certain from some step on, or flaky. One job does this on its own executor while the others go
// on.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "campaign/finding_store.h"
#include "campaign/fuzz_plan.h"
#include "harness/executor.h"

namespace rankle {

// A case that failed, and when.
struct Sighting {
  const Case& c;
  const Verdict& verdict;
  std::optional<std::uint64_t> index;  // in the stream of cases; none: of the corpus
  double seconds = 0;                  // FuzzProgress at that time
  std::uint64_t cases = 0;
};

class SettleFinding {
 public:
  // `minimising` is told each smaller case once it is kept.
  SettleFinding(const FuzzPlan& plan, Executor& executor, FindingStore& store,
                std::function<void(const Repro&)> minimising);

  // The finding as it was first seen, kept. `pinned`: its signature, and those that must survive
  // minimising with it.
  Found keep(const Sighting& sighting, const std::vector<std::string>& pinned);

  // Shrinks and classifies. Interrupted, it keeps what it has: `minimised` then says "stopped".
  void settle(Found& found, const std::vector<std::string>& pinned);

 private:
  Repro repro_of(const Case& c, const Verdict& verdict, const std::string& signature) const;
  FlakyNote measure_flakiness(const Case& c, const std::vector<std::string>& pinned);
  std::optional<Certainty> measure_certainty(const Case& c, const Verdict& verdict,
                                             const std::vector<std::string>& pinned);
  const Contract& contract_of(const std::string& target) const;

  const FuzzPlan& plan_;
  Executor& executor_;
  FindingStore& store_;
  std::function<void(const Repro&)> minimising_;
};

}  // namespace rankle
