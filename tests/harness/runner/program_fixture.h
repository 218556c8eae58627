// Hand-written programs, run on the targets that ship with Rankle and their mutants.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "harness/runner/device_hooks.h"
#include "harness/runner/program.h"
#include "harness/runner/target_loader.h"

namespace rankle::testing_programs {

inline Step fill(int round, int buffer = 0) {
  return {.kind = StepKind::fill, .round = round, .buffer = buffer};
}
inline Step poison(int buffer = 0) { return {.kind = StepKind::poison_output, .buffer = buffer}; }
inline Step call(int buffer = 0) { return {.kind = StepKind::call, .buffer = buffer}; }
inline Step staged_call(int buffer = 0) {
  return {.kind = StepKind::call, .staged = true, .buffer = buffer};
}
inline Step check(int round, int buffer = 0) {
  return {.kind = StepKind::check, .round = round, .buffer = buffer};
}
inline Step overwrite(int buffer = 0) { return {.kind = StepKind::overwrite, .buffer = buffer}; }
inline Step capture(int graph = 0) { return {.kind = StepKind::capture, .graph = graph}; }
inline Step end_capture(int graph = 0) { return {.kind = StepKind::end_capture, .graph = graph}; }
inline Step replay(int round, int times, int graph = 0) {
  return {.kind = StepKind::replay, .round = round, .graph = graph, .times = times};
}
inline Step destroy_graph(int graph = 0) {
  return {.kind = StepKind::destroy_graph, .graph = graph};
}
inline Step of(StepKind kind, int buffer = 0) { return {.kind = kind, .buffer = buffer}; }
inline Step delay(int rank, std::int64_t nanoseconds) {
  return {.kind = StepKind::delay, .rank = rank, .amount = nanoseconds};
}
inline Step queued(Step step) {
  step.queued = true;
  return step;
}
inline Step aside(Step step) {
  step.aside = true;
  return step;
}
inline Step shaped(Step step, int shape) {
  step.shape = shape;
  return step;
}
inline Step copied(Step step) {
  step.copied = true;
  return step;
}

// A case of `elements` fp32 per rank, at unlike offsets.
inline Case case_of(const std::string& target, int world, std::vector<Step> program,
                    std::int64_t elements = 200) {
  Case c;
  c.target = "allreduce/" + target;
  c.world = world;
  c.shape = {elements};
  c.geometry = {2, 64, 64};
  for (int rank = 0; rank < world; ++rank) {
    c.input_offset.push_back(4 * rank);
    c.output_offset.push_back(4 * (world - rank));
  }
  c.seed = 12;
  c.program = std::move(program);
  return c;
}

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

// Without a look at the rules for programs: a test may break them to see what happens.
inline Ran run(const Case& c, const RunOptions& options = {}) {
  static TargetLoader loader({SHIPPED_TARGETS});
  std::vector<RankTargets> targets(std::size_t(c.world));
  for (int rank = 0; rank < c.world; ++rank) {
    std::string error;
    targets[std::size_t(rank)].target = loader.fresh(c.target, rank, error);
    if (!c.same_bits_as.empty()) {
      targets[std::size_t(rank)].reference = loader.fresh(c.same_bits_as, rank, error);
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

// The one finding of a run that must have one.
inline Finding first_finding(const Ran& ran) {
  EXPECT_FALSE(ran.findings.empty());
  return ran.findings.empty() ? Finding{} : ran.findings.front();
}

}  // namespace rankle::testing_programs
