// Supervision: what a worker does to itself becomes a finding within the deadline, and the next
// case on the same executor runs in a fresh worker.
#include "harness/worker_executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "tests/harness/worker_fixture.h"

namespace rankle {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// Runs `name` and then a good case on the same executor; the bad one's only finding.
Finding finding_then_recovery(WorkerExecutor& executor, const std::string& name,
                              double deadline_s) {
  const Verdict bad = executor.run(stub_case(name), within(deadline_s));
  EXPECT_EQ(bad.outcome, Outcome::finding) << bad.error;
  EXPECT_THAT(bad.findings, SizeIs(1));
  const Verdict good = executor.run(stub_case("pass", 7), within(10));
  EXPECT_EQ(good.outcome, Outcome::pass) << good.error;
  EXPECT_EQ(good.trace_hash, 7u);
  EXPECT_EQ(executor.starts(), 2u);
  return bad.findings.empty() ? Finding{} : bad.findings.front();
}

Finding finding_of_stub(const std::string& name, double deadline_s = 10) {
  WorkerExecutor executor(stub_options());
  return finding_then_recovery(executor, name, deadline_s);
}

TEST(WorkerExecutor, PassesVerdictAndOptionsThrough) {
  WorkerExecutor executor(stub_options());
  RunOptions options = within(10);
  options.keep_going = true;
  const Verdict verdict = executor.run(stub_case("pass", 0xfedcba9876543210), options);
  EXPECT_EQ(verdict.outcome, Outcome::pass);
  EXPECT_EQ(verdict.trace_hash, 0xfedcba9876543210);
  EXPECT_THAT(verdict.variants, testing::ElementsAre("keep_going"));
  EXPECT_EQ(verdict.stats.seconds, 0.25);
}

TEST(WorkerExecutor, KeepsOneWorkerForManyGoodCases) {
  WorkerExecutor executor(stub_options());
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    EXPECT_EQ(executor.run(stub_case("pass", seed), within(10)).trace_hash, seed);
  }
  EXPECT_EQ(executor.starts(), 1u);
}

TEST(WorkerExecutor, ReplacesTheWorkerAfterItsCases) {
  WorkerOptions options = stub_options();
  options.cases_per_worker = 10;
  WorkerExecutor executor(options);
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    EXPECT_EQ(executor.run(stub_case("pass", seed), within(10)).trace_hash, seed);
  }
  EXPECT_EQ(executor.starts(), 3u);
}

TEST(WorkerExecutor, ListsTheContractsOfTheWorker) {
  WorkerExecutor executor(stub_options());
  const std::vector<Contract> contracts = executor.contracts();
  ASSERT_THAT(contracts, Not(IsEmpty()));
  EXPECT_EQ(contracts.front().target, "stub/abort");
  EXPECT_EQ(contracts.front().worlds, std::vector<int>{2});
}

TEST(WorkerExecutor, SegmentationFaultIsACrashWithItsPlace) {
  const Finding finding = finding_of_stub("crash");
  EXPECT_EQ(finding.kind, FindingKind::crash);
  EXPECT_EQ(finding.subkind, "SIGSEGV");
  EXPECT_EQ(finding.message,
            "the worker died of SIGSEGV at address 0x0 while running: rank 1, block 2, thread 3 in "
            "`stub_crash` tests/harness/stub_worker.cpp:7");
  EXPECT_EQ(finding.sites, (std::vector<Site>{{"stub_crash", "tests/harness/stub_worker.cpp", 7}}));
  EXPECT_EQ(finding.actors, (std::vector<Actor>{{1, 2, 3}}));
}

TEST(WorkerExecutor, AbortIsACrashAtItsCaller) {
  const Finding finding = finding_of_stub("abort");
  EXPECT_EQ(finding.kind, FindingKind::crash);
  EXPECT_EQ(finding.subkind, "SIGABRT");
  ASSERT_THAT(finding.sites, SizeIs(1));
  EXPECT_EQ(finding.sites[0].function, "stub_abort");
}

TEST(WorkerExecutor, CallOfANullPointerIsACrashAtItsCaller) {
  const Finding finding = finding_of_stub("call_null");
  EXPECT_EQ(finding.subkind, "SIGSEGV");
  ASSERT_THAT(finding.sites, SizeIs(1));
  EXPECT_EQ(finding.sites[0].function, "stub_call_null");
}

TEST(WorkerExecutor, StackOverflowIsACrash) {
  const Finding finding = finding_of_stub("overflow_stack");
  EXPECT_EQ(finding.subkind, "SIGSEGV");
  ASSERT_THAT(finding.sites, SizeIs(1));
  EXPECT_EQ(finding.sites[0].function, "stub_overflow_stack");
}

TEST(WorkerExecutor, ExitStatusIsACrashAtItsCaller) {
  const Finding finding = finding_of_stub("exit_3");
  EXPECT_EQ(finding.kind, FindingKind::crash);
  EXPECT_EQ(finding.subkind, "exit-3");
  EXPECT_THAT(finding.message, HasSubstr("exited with status 3 while running"));
  ASSERT_THAT(finding.sites, SizeIs(1));
  EXPECT_EQ(finding.sites[0].function, "stub_exit_3");
}

TEST(WorkerExecutor, ExitStatusZeroIsACrashToo) {
  const Finding finding = finding_of_stub("exit_0");
  EXPECT_EQ(finding.kind, FindingKind::crash);
  EXPECT_EQ(finding.subkind, "exit-0");
}

TEST(WorkerExecutor, KillNineIsACrashWithoutAPlace) {
  const Finding finding = finding_of_stub("kill_9");
  EXPECT_EQ(finding.subkind, "SIGKILL");
  EXPECT_EQ(finding.message, "the worker died of SIGKILL while running");
  EXPECT_THAT(finding.sites, IsEmpty());
}

TEST(WorkerExecutor, SpinInRegistersIsATimeoutWithItsPlaceWithinTheDeadline) {
  WorkerExecutor executor(stub_options());
  ASSERT_EQ(executor.run(stub_case("pass"), within(10)).outcome, Outcome::pass);
  const Stopwatch watch;
  const Verdict verdict = executor.run(stub_case("spin"), within(2));
  // The limit is CPU time: on a busy machine the supervisor's SIGTERM may come first.
  EXPECT_LT(watch.seconds(), 2 + 2);
  ASSERT_THAT(verdict.findings, SizeIs(1));
  EXPECT_EQ(verdict.findings[0].kind, FindingKind::timeout);
  EXPECT_EQ(verdict.findings[0].message,
            "no answer within 2 s while running: rank 1, block 2, thread 3 in `stub_spin` "
            "tests/harness/stub_worker.cpp:7");
  EXPECT_EQ(signature_of(verdict.findings[0], "stub/spin"),
            "timeout|stub/spin|stub_spin tests/harness/stub_worker.cpp");
}

TEST(WorkerExecutor, SleepIsATimeoutWithPhaseAndProgress) {
  const Stopwatch watch;
  const Finding finding = finding_of_stub("sleep", 0.3);
  EXPECT_LT(watch.seconds(), 5);
  EXPECT_EQ(finding.kind, FindingKind::timeout);
  EXPECT_EQ(finding.subkind, "checking");
  EXPECT_THAT(finding.message, HasSubstr("no answer within 0.3 s while checking: rank 1"));
  EXPECT_THAT(finding.details, Contains("progress counter: 42"));
}

TEST(WorkerExecutor, WorkerThatIgnoresSigtermIsKilled) {
  const Stopwatch watch;
  const Finding finding = finding_of_stub("ignore_sigterm", 0.2);
  EXPECT_LT(watch.seconds(), 6);
  EXPECT_EQ(finding.kind, FindingKind::timeout);
}

TEST(WorkerExecutor, SlowAnswerWithinTheDeadlinePasses) {
  WorkerExecutor executor(stub_options());
  EXPECT_EQ(executor.run(stub_case("slow", 3), within(5)).outcome, Outcome::pass);
  EXPECT_EQ(executor.starts(), 1u);
}

TEST(WorkerExecutor, GarbageOnTheChannelIsACrash) {
  const Finding finding = finding_of_stub("garbage");
  EXPECT_EQ(finding.kind, FindingKind::crash);
  EXPECT_EQ(finding.subkind, "garbage");
  EXPECT_THAT(finding.message, HasSubstr("bytes that are no frame"));
}

TEST(WorkerExecutor, HugeFrameIsRefusedByItsHeader) {
  const Finding finding = finding_of_stub("huge_frame");
  EXPECT_EQ(finding.subkind, "garbage");
  EXPECT_THAT(finding.message, HasSubstr("claims 4294967280 bytes; at most 16777216"));
}

TEST(WorkerExecutor, AnswersThatMakeNoSenseAreACrash) {
  EXPECT_EQ(finding_of_stub("no_json").subkind, "garbage");
  EXPECT_THAT(finding_of_stub("bad_verdict").message, HasSubstr("a verdict that cannot be read"));
  EXPECT_THAT(finding_of_stub("wrong_number").message, HasSubstr("an answer to another question"));
}

TEST(WorkerExecutor, PrintingDisturbsNothing) {
  WorkerExecutor executor(stub_options());
  EXPECT_EQ(executor.run(stub_case("print", 5), within(10)).trace_hash, 5u);
  EXPECT_EQ(executor.starts(), 1u);
  const Verdict crash = executor.run(stub_case("crash"), within(10));
  ASSERT_THAT(crash.findings, SizeIs(1));
  EXPECT_THAT(crash.findings[0].details, Contains("worker printed: the last line"));
}

TEST(WorkerExecutor, ScribbledSlotCannotHurtTheSupervisor) {
  const Finding finding = finding_of_stub("scribble");
  EXPECT_EQ(finding.kind, FindingKind::crash);
  ASSERT_THAT(finding.sites, SizeIs(1));
  EXPECT_EQ(finding.sites[0].function, std::string(256, '?'));
}

TEST(WorkerExecutor, ExceptionOfTheExecutorIsAnEnvironmentError) {
  WorkerExecutor executor(stub_options());
  const Verdict verdict = executor.run(stub_case("throw"), within(10));
  EXPECT_EQ(verdict.outcome, Outcome::environment_error);
  EXPECT_EQ(verdict.error, "the device is gone");
}

TEST(WorkerExecutor, WorkerKilledBetweenCasesCostsNothing) {
  WorkerExecutor executor(stub_options());
  ASSERT_EQ(executor.run(stub_case("pass"), within(10)).outcome, Outcome::pass);
  ASSERT_EQ(kill(executor.worker_pid(), SIGKILL), 0);
  EXPECT_EQ(executor.run(stub_case("pass", 9), within(10)).trace_hash, 9u);
  EXPECT_EQ(executor.starts(), 2u);
  ASSERT_EQ(executor.run(stub_case("die_when_idle"), within(10)).outcome, Outcome::pass);
  usleep(200000);
  EXPECT_EQ(executor.run(stub_case("pass", 11), within(10)).trace_hash, 11u);
}

TEST(WorkerExecutor, MemoryLimitIsACrash) {
  WorkerOptions options = stub_options();
  options.command.memory_bytes_max = std::uint64_t{256} << 20;
  WorkerExecutor executor(options);
  const Finding finding = finding_then_recovery(executor, "eat_memory", 20);
  EXPECT_EQ(finding.kind, FindingKind::crash);
  EXPECT_EQ(finding.subkind, "memory-limit");
  EXPECT_EQ(finding.message, "the worker used more than 256 MiB of memory while running");
}

TEST(WorkerExecutor, FaultWhileSymbolisingKeepsTheRecord) {
  WorkerExecutor executor(stub_options({"--probe-faults"}));
  const Finding finding = finding_then_recovery(executor, "crash", 10);
  EXPECT_EQ(finding.message,
            "the worker died of SIGSEGV at address 0x0 while running: rank 1, block 2, thread 3");
}

TEST(WorkerExecutor, HangWhileSymbolisingIsCutOff) {
  WorkerExecutor executor(stub_options({"--probe-hangs"}));
  const Stopwatch watch;
  const Finding finding = finding_then_recovery(executor, "crash", 20);
  EXPECT_LT(watch.seconds(), 5);
  EXPECT_EQ(finding.subkind, "SIGSEGV");
}

}  // namespace
}  // namespace rankle
