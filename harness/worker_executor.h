// Runs cases in a supervised worker process. Whatever a target does to its process, a crash, an
// exit, a hang, garbage on the channel, becomes a finding, and the next case gets a fresh worker.
// This process never touches a device and never loads a target.
//
// Not thread-safe: one executor, one worker, one thread (a worker dies with the thread that
// started it). Many jobs are many executors.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/case_slot.h"
#include "harness/executor.h"
#include "harness/worker_death.h"
#include "harness/worker_process.h"

namespace rankle {

struct WorkerOptions {
  WorkerCommand command;
  // Time in which a fresh worker must have loaded its targets and said hello, in seconds.
  double start_deadline_s = 30;
  // Where the case slot lies; empty: in memory shared with the worker only. A file survives kill -9
  // of both; look into an old one with CaseSlot::open before this executor overwrites it.
  std::filesystem::path slot_file;
  // Worker replaced after this many cases; 0: never.
  std::uint64_t cases_per_worker = 0;
  // Polled while a case runs, from this executor's thread: true ends the worker, and `run` or the
  // start of a worker throws Interrupted.
  std::function<bool()> interrupted;
};

class WorkerExecutor : public Executor {
 public:
  explicit WorkerExecutor(WorkerOptions options);
  ~WorkerExecutor() override;

  // Starts the worker if none runs.
  std::vector<Contract> contracts() override;
  // The worker's, and what its supervisor sees: crashes and timeouts.
  std::set<FindingKind> detectors() override;
  std::vector<std::string> devices() override;
  // Throws Interrupted, see WorkerOptions.
  Verdict run(const Case& c, const RunOptions& options) override;

  // Of the running worker, or -1.
  pid_t worker_pid() const;
  // How many workers have been started so far.
  std::uint64_t starts() const { return starts_; }

 private:
  void ensure_worker();                 // throws EnvironmentError
  void greet();                         // throws EnvironmentError
  void retire_worker();                 // a good one: asked to quit
  Received receive(double deadline_s);  // throws Interrupted; the worker is gone then
  WorkerDeath bury_worker(const Received& received, double deadline_s);
  // nullopt if the worker died before it took the case.
  std::optional<Verdict> attempt(const std::string& text, const RunOptions& options);
  std::optional<Verdict> verdict_of(const Received& received, const RunOptions& options);

  WorkerOptions options_;
  std::unique_ptr<CaseSlot> slot_;  // there whenever a worker is
  std::unique_ptr<WorkerProcess> worker_;
  std::vector<Contract> contracts_;
  std::set<FindingKind> detectors_;
  std::vector<std::string> devices_;
  std::uint64_t starts_ = 0;
  std::uint64_t case_number_ = 0;
  std::uint64_t cases_of_worker_ = 0;
};

}  // namespace rankle
