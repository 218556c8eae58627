// Starting and leaving workers: what cannot start is an environment error that names it, and
// nothing is left behind: no zombie, no descriptor, no process of the worker's group.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "harness/worker_executor.h"
#include "tests/harness/worker_fixture.h"

namespace rankle {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// The environment error of a run, which contracts() must throw as well.
std::string start_error(const WorkerOptions& options) {
  WorkerExecutor executor(options);
  std::string thrown;
  try {
    executor.contracts();
  } catch (const EnvironmentError& error) {
    thrown = error.what();
  }
  const Verdict verdict = executor.run(stub_case("pass"), within(5));
  EXPECT_EQ(verdict.outcome, Outcome::environment_error);
  EXPECT_EQ(verdict.error, thrown);
  return verdict.error;
}

TEST(WorkerStart, MissingProgramIsNamed) {
  WorkerOptions options;
  options.command.arguments = {"/no/such/rankle-worker-sim"};
  EXPECT_EQ(start_error(options),
            "cannot start the worker /no/such/rankle-worker-sim: No such file or directory");
}

TEST(WorkerStart, FileThatIsNoProgramIsNamed) {
  WorkerOptions options;
  options.command.arguments = {"/etc/passwd"};
  EXPECT_EQ(start_error(options), "cannot start the worker /etc/passwd: Permission denied");
}

TEST(WorkerStart, EmptyCommandIsRefused) {
  EXPECT_EQ(start_error(WorkerOptions{}), "the worker command line is empty");
}

TEST(WorkerStart, EarlyExitIsToldWithWhatItPrinted) {
  EXPECT_THAT(start_error(stub_options({"--exit-at-start"})),
              AllOf(HasSubstr("stub_worker --exit-at-start does not start"),
                    HasSubstr("exited with status 4"),
                    HasSubstr("it printed: no licence for this computer")));
}

TEST(WorkerStart, ProgramThatSaysNoHelloIsStopped) {
  WorkerOptions options = stub_options({"--silent"});
  options.start_deadline_s = 0.2;
  EXPECT_THAT(start_error(options), HasSubstr("it did not say hello within 0.2 s"));
}

TEST(WorkerStart, FailureToLoadIsToldInItsOwnWords) {
  EXPECT_THAT(start_error(stub_options({"--no-device"})), HasSubstr("no device of this kind"));
}

TEST(WorkerStart, CrashWhileLoadingIsTold) {
  EXPECT_THAT(start_error(stub_options({"--crash-loading"})),
              HasSubstr("died of SIGSEGV at address 0x0 while loading"));
}

TEST(WorkerStart, CommandMayBeALauncherFoundInPath) {
  WorkerOptions options;
  options.command.arguments = {"env", "-u", "HOME", RANKLE_STUB_WORKER};
  WorkerExecutor executor(options);
  EXPECT_EQ(executor.run(stub_case("pass", 4), within(10)).trace_hash, 4u);
}

TEST(WorkerStart, TwoHundredRestartsLeaveNothingBehind) {
  const int before = open_descriptors();
  {
    WorkerExecutor executor(stub_options());
    ASSERT_EQ(executor.run(stub_case("kill_9"), within(10)).outcome, Outcome::finding);
    const int busy = open_descriptors();
    for (int i = 0; i < 200; ++i) {
      const char* name = i % 2 == 0 ? "kill_9" : "garbage";
      ASSERT_EQ(executor.run(stub_case(name), within(10)).outcome, Outcome::finding);
    }
    EXPECT_EQ(executor.starts(), 201u);
    EXPECT_EQ(open_descriptors(), busy);
    EXPECT_TRUE(has_no_children());
  }
  EXPECT_EQ(open_descriptors(), before);
}

TEST(WorkerStart, GoodWorkerIsGoneWithItsExecutor) {
  {
    WorkerExecutor executor(stub_options());
    ASSERT_EQ(executor.run(stub_case("pass"), within(10)).outcome, Outcome::pass);
    EXPECT_FALSE(has_no_children());
  }
  EXPECT_TRUE(has_no_children());
}

TEST(WorkerStart, ChildrenOfAWorkerDieWithIt) {
  // The worker's orphan becomes our child, so that its end can be seen.
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  WorkerExecutor executor(stub_options());
  const Stopwatch watch;
  const Verdict verdict = executor.run(stub_case("leave_child"), within(20));
  EXPECT_LT(watch.seconds(), 5) << "the child holds the channel: its end must not be waited for";
  ASSERT_EQ(verdict.findings.size(), 1u);
  EXPECT_EQ(verdict.findings[0].subkind, "exit-9");
  int status = 0;
  ASSERT_GT(waitpid(-1, &status, 0), 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST(WorkerStart, WorkerDiesWithItsSupervisor) {
  int report[2];
  ASSERT_EQ(pipe(report), 0);
  const pid_t supervisor = fork();
  if (supervisor == 0) {
    WorkerExecutor executor(stub_options());
    executor.contracts();
    const pid_t worker = executor.worker_pid();
    const ssize_t written = write(report[1], &worker, sizeof worker);
    _exit(written == sizeof worker ? executor.run(stub_case("sleep"), within(60)).findings.size()
                                   : 1);
  }
  pid_t worker = 0;
  ASSERT_EQ(read(report[0], &worker, sizeof worker), static_cast<ssize_t>(sizeof worker));
  close(report[0]);
  close(report[1]);
  ASSERT_EQ(kill(worker, 0), 0);
  kill(supervisor, SIGKILL);
  waitpid(supervisor, nullptr, 0);
  const auto is_running = [worker] {
    std::ifstream stat("/proc/" + std::to_string(worker) + "/stat");
    std::string text;
    std::getline(stat, text);
    return !text.empty() && text.find(") Z") == std::string::npos;
  };
  for (int i = 0; i < 200 && is_running(); ++i) {
    usleep(10000);
  }
  EXPECT_FALSE(is_running());
}

TEST(WorkerStart, SlotFileHoldsTheCaseAfterKillNineOfBoth) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("rankle-slot-" + std::to_string(getpid()));
  const pid_t supervisor = fork();
  if (supervisor == 0) {
    WorkerOptions options = stub_options();
    options.slot_file = file;
    WorkerExecutor executor(options);
    executor.run(stub_case("sleep", 77), within(60));
    _exit(0);
  }
  for (int i = 0; i < 500; ++i) {
    try {
      if (CaseSlot::open(file).phase() == Phase::checking) {
        break;
      }
    } catch (const std::exception&) {
    }
    usleep(10000);
  }
  kill(supervisor, SIGKILL);
  waitpid(supervisor, nullptr, 0);
  CaseSlot slot = CaseSlot::open(file);
  std::filesystem::remove(file);
  EXPECT_EQ(slot.phase(), Phase::checking);
  EXPECT_EQ(slot.progress(), 42u);
  EXPECT_THAT(slot.case_text(), AllOf(StartsWith("{"), HasSubstr("stub/sleep"), HasSubstr("77")));
}

}  // namespace
}  // namespace rankle
