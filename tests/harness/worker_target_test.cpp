// Real targets in a real worker on the simulator: a target that breaks its process becomes a
// finding within the deadline, with rank, block, thread and source line, and the next case runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/worker_executor.h"
#include "tests/harness/worker_fixture.h"

namespace rankle {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

constexpr double kDeadline = 4;

WorkerOptions sim_options() {
  WorkerOptions options;
  options.command.arguments = {RANKLE_WORKER_SIM, "--targets", RANKLE_TEST_TARGETS};
  return options;
}

Case case_of(const std::string& algorithm) {
  Case c;
  c.target = "allreduce/" + algorithm;
  c.world = 2;
  c.shape = {0};
  c.geometry.threads = 64;
  c.input_offset = {0, 0};
  c.output_offset = {0, 0};
  c.program = {{StepKind::fill, 0}, {StepKind::call, 0}, {StepKind::sync, 0}, {StepKind::check, 0}};
  return c;
}

// The only finding of `algorithm`, in time, with a good case before and after it.
Finding finding_of_target(const std::string& algorithm) {
  WorkerExecutor executor(sim_options());
  EXPECT_EQ(executor.run(case_of("test_empty"), within(20)).error, "");
  const Stopwatch watch;
  const Verdict bad = executor.run(case_of(algorithm), within(kDeadline));
  // On a busy machine the last words of a worker may come after the deadline, by 2 s at most.
  EXPECT_LT(watch.seconds(), kDeadline + 2);
  EXPECT_EQ(bad.outcome, Outcome::finding) << bad.error;
  EXPECT_THAT(bad.findings, SizeIs(1));
  const Verdict good = executor.run(case_of("test_empty"), within(20));
  EXPECT_EQ(good.outcome, Outcome::pass) << good.error;
  EXPECT_EQ(executor.starts(), 2u);
  return bad.findings.empty() ? Finding{} : bad.findings.front();
}

Site only_site(const Finding& finding) {
  EXPECT_THAT(finding.sites, SizeIs(1)) << finding.message;
  return finding.sites.empty() ? Site{} : finding.sites.front();
}

TEST(WorkerTarget, ListsTheTestTargets) {
  WorkerExecutor executor(sim_options());
  std::vector<std::string> names;
  for (const Contract& contract : executor.contracts()) {
    names.push_back(contract.target);
  }
  EXPECT_THAT(names, testing::ElementsAre("allreduce/test_abort", "allreduce/test_empty",
                                          "allreduce/test_exit", "allreduce/test_host_null_write",
                                          "allreduce/test_null_write", "allreduce/test_spin",
                                          "allreduce/test_trap"));
}

TEST(WorkerTarget, EveryDetectorIsOnButThoseOfRaces) {
  WorkerExecutor executor(sim_options());
  std::vector<FindingKind> off;
  for (const FindingKind kind : all_finding_kinds()) {
    if (!executor.detectors().contains(kind)) {
      off.push_back(kind);
    }
  }
  EXPECT_THAT(off, testing::IsEmpty());
}

TEST(WorkerTarget, TrapInAKernelIsACrashWithItsThread) {
  const Finding finding = finding_of_target("test_trap");
  EXPECT_EQ(finding.kind, FindingKind::crash);
  EXPECT_EQ(finding.subkind, "SIGILL");
  EXPECT_EQ(only_site(finding).function, "trap_kernel");
  EXPECT_EQ(only_site(finding).file, "tests/harness/targets/trap_in_kernel.cpp");
  EXPECT_EQ(only_site(finding).line, 9);
  EXPECT_EQ(finding.actors, (std::vector<Actor>{{1, 1, 5}}));
}

TEST(WorkerTarget, SpinInRegistersIsATimeoutWithItsThread) {
  const Finding finding = finding_of_target("test_spin");
  EXPECT_EQ(finding.kind, FindingKind::timeout);
  EXPECT_THAT(finding.message, HasSubstr("no answer within 4 s while running: rank 1, block 1, "
                                         "thread 5 in `spin_kernel` "
                                         "tests/harness/targets/spin_in_registers.cpp:"));
  EXPECT_EQ(only_site(finding).function, "spin_kernel");
  EXPECT_EQ(finding.actors, (std::vector<Actor>{{1, 1, 5}}));
}

TEST(WorkerTarget, NullWriteInAKernelIsACrashWithItsThread) {
  const Finding finding = finding_of_target("test_null_write");
  EXPECT_EQ(finding.kind, FindingKind::crash);
  EXPECT_EQ(finding.subkind, "SIGSEGV");
  EXPECT_THAT(finding.message,
              HasSubstr("at address 0x0 while running: rank 1, block 1, thread 5"));
  EXPECT_EQ(only_site(finding).function, "null_write_kernel");
  EXPECT_EQ(only_site(finding).file, "tests/harness/targets/null_write_in_kernel.cpp");
  EXPECT_EQ(only_site(finding).line, 9);
}

TEST(WorkerTarget, NullWriteInHostCodeIsACrashOfItsRank) {
  const Finding finding = finding_of_target("test_host_null_write");
  EXPECT_EQ(finding.kind, FindingKind::crash);
  EXPECT_EQ(finding.subkind, "SIGSEGV");
  EXPECT_THAT(finding.message, HasSubstr("at address 0x0 while running: host code of rank 1"));
  EXPECT_EQ(only_site(finding).function, "write_null");
  EXPECT_EQ(only_site(finding).line, 9);
}

TEST(WorkerTarget, AbortInHostCodeIsACrashAtItsCall) {
  const Finding finding = finding_of_target("test_abort");
  EXPECT_EQ(finding.kind, FindingKind::crash);
  EXPECT_EQ(finding.subkind, "SIGABRT");
  EXPECT_EQ(only_site(finding).function, "launch");
  EXPECT_EQ(only_site(finding).file, "tests/harness/targets/abort_in_host.cpp");
}

TEST(WorkerTarget, ExitWithStatusZeroIsACrashAtItsCall) {
  const Finding finding = finding_of_target("test_exit");
  EXPECT_EQ(finding.kind, FindingKind::crash);
  EXPECT_EQ(finding.subkind, "exit-0");
  EXPECT_EQ(only_site(finding).function, "launch");
  EXPECT_EQ(only_site(finding).file, "tests/harness/targets/exit_in_host.cpp");
}

}  // namespace
}  // namespace rankle
