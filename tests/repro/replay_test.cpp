// Replay: the same thing, another thing, nothing; and whether the trace is the file's.
#include "repro/replay.h"

#include <gtest/gtest.h>

#include "tests/repro/sample_repro.h"

namespace rankle {
namespace {

using test::sample_repro;
using test::scripted_finding;
using test::ScriptedExecutor;

Replayed replay_with(std::vector<Finding> findings, std::uint64_t trace_hash, bool compare = true) {
  ScriptedExecutor executor([&](const Case&) { return findings; });
  Repro repro = sample_repro();
  repro.trace_hash = trace_hash;
  return replay(repro, executor, repro.options, compare);
}

const std::uint64_t kTrace = 0x1234 + static_cast<std::uint64_t>(sample_repro().failing.count());

TEST(Replay, SaysSameSignature) {
  const Replayed result = replay_with({scripted_finding()}, kTrace);
  EXPECT_EQ(result.outcome, ReplayOutcome::same_signature);
  EXPECT_EQ(result.signature, sample_repro().signature);
  EXPECT_FALSE(result.trace_differs);
}

TEST(Replay, SaysThatTheTraceDiffers) {
  EXPECT_TRUE(replay_with({scripted_finding()}, kTrace + 1).trace_differs);
  EXPECT_FALSE(replay_with({scripted_finding()}, kTrace + 1, false).trace_differs);
}

TEST(Replay, SaysAnotherFindingAndNamesIt) {
  const Replayed result = replay_with({scripted_finding(99)}, kTrace);
  EXPECT_EQ(result.outcome, ReplayOutcome::other_finding);
  EXPECT_EQ(result.signature, test::scripted_signature(99));
}

TEST(Replay, SaysNotReproduced) {
  EXPECT_EQ(replay_with({}, kTrace).outcome, ReplayOutcome::not_reproduced);
}

}  // namespace
}  // namespace rankle
