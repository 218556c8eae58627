// Hand-written programs, run on the targets that ship with Rankle and their mutants.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/runner/device_hooks.h"
#include "harness/runner/program.h"
#include "harness/runner/target_loader.h"
#include "tests/harness/runner/program_steps.h"

namespace rankle::testing_programs {

struct Ran {
  std::vector<Finding> findings;  // in the order in which a verdict lists them
  std::vector<std::string> variants;

  std::string words() const {
    std::string text;
    for (const Finding& finding : findings) {
      text += std::string(name_of(finding.kind)) + ": " + finding.message + "\n";
      for (const std::string& detail : finding.details) text += "  " + detail + "\n";
    }
    return text;
  }
};

inline TargetLoader& loader() {
  static TargetLoader made({SHIPPED_TARGETS});
  return made;
}

// Without a look at the rules for programs: a test may break them to see what happens.
inline Ran run(const Case& c, const RunOptions& options = {}) {
  std::vector<RankTargets> targets(std::size_t(c.world));
  for (int rank = 0; rank < c.world; ++rank) {
    std::string error;
    targets[std::size_t(rank)].target = loader().fresh(c.target, rank, error);
    if (!c.same_bits_as.empty()) {
      targets[std::size_t(rank)].reference = loader().fresh(c.same_bits_as, rank, error);
    }
    EXPECT_EQ(error, "");
    if (!error.empty()) return {};
  }
  ProgramRun program(c, options, *oracle_for("allreduce"), std::move(targets));
  const device_hooks::PlatformResult platform =
      device_hooks::run_ranks(c, options, [&](int rank) { program.rank_main(rank); });
  Ran ran{program.launch_findings(), program.variants()};
  for (const auto* more : {&platform.findings, &program.findings(), &platform.at_end}) {
    ran.findings.insert(ran.findings.end(), more->begin(), more->end());
  }
  return ran;
}

// A case that the rules allow, and in which nothing is found.
inline void expect_clean(const Case& c) {
  const std::optional<Violation> wrong = validate(c, *loader().contract(c.target));
  EXPECT_EQ(wrong ? wrong->message : "", "");
  const Ran ran = run(c);
  EXPECT_THAT(ran.findings, testing::IsEmpty()) << c.target << " on " << c.world << " ranks\n"
                                                << ran.words();
}

// The first finding of a run that must have one.
inline Finding first_finding(const Ran& ran) {
  EXPECT_FALSE(ran.findings.empty());
  return ran.findings.empty() ? Finding{} : ran.findings.front();
}

}  // namespace rankle::testing_programs
