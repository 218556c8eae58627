// The loop of `fuzz`, `smoke` and `stress`: draw, run, deduplicate by signature, settle. One thread
// and one executor for each lane of the plan. Prints nothing; a listener does.
//
// A worker process dies with the thread that started it, so each job makes its executor on its own
// thread, and keeps it for minimising too: while one job shrinks a finding the others go on.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "campaign/finding_store.h"
#include "campaign/fuzz_plan.h"
#include "harness/executor.h"

namespace rankle {

class FuzzLoop {
 public:
  // Called once by each job, from its thread.
  using MakeExecutor = std::function<std::unique_ptr<Executor>(int job)>;

  FuzzLoop(const FuzzPlan& plan, MakeExecutor make_executor, FindingStore& store,
           FuzzListener& listener);

  // One job on an executor that is there already.
  FuzzLoop(const FuzzPlan& plan, Executor& executor, FindingStore& store, FuzzListener& listener);

  // Returns when every job has ended. Throws EnvironmentError if an executor cannot run cases any
  // more, std::logic_error if it refuses a drawn case (the generator and the contract disagree: an
  // internal error).
  FuzzSummary run();

  // For other threads, while the loop runs: a signature that is known elsewhere, a reason to end,
  // and how things stand.
  void learn(const std::string& signature);
  void stop(FuzzEnd end, const std::string& error = "");
  FuzzProgress progress() const;
  // Adds what other processes have run: counts, no times.
  void absorb(const FuzzProgress& elsewhere);
  // A finding of another process: counts it, unless its signature is known here (then false); and
  // tells the listener once it is settled.
  bool adopt(const std::string& signature);
  void report(const Found& found);

 private:
  struct Job {
    int number = 0;
    Lane lane;
    double minimising_s = 0;
    bool is_running = true;
    FuzzEnd end = FuzzEnd::cases_done;
  };

  void tick_until_all_ended();
  void work(Job& job);
  void run_corpus(Job& job, Executor& executor);
  void run_stream(Job& job, Executor& executor);
  std::size_t next_of_corpus();
  std::optional<Verdict> run_case(const Case& c, Executor& executor);
  std::optional<FuzzEnd> reason_to_stop(const Job& job) const;
  bool is_own_end(const Verdict& verdict) const;
  void judge(Job& job, Executor& executor, const Case& c, std::optional<std::uint64_t> index,
             const Verdict& verdict);
  std::vector<std::string> claim(const Case& c, const Verdict& verdict);
  void handle(Job& job, Executor& executor, const Case& c, std::optional<std::uint64_t> index,
              const Verdict& verdict, const std::vector<std::string>& pinned);
  void warn(const Case& c, const Verdict& verdict);
  void count(const Verdict& verdict);
  void report_position(const Job& job, std::uint64_t next) const;
  double now_s() const;  // since this loop began
  void update_progress();
  FuzzSummary summary() const;

  const FuzzPlan& plan_;
  MakeExecutor make_executor_;
  Executor* only_executor_ = nullptr;
  FindingStore& store_;
  FuzzListener& listener_;
  const std::chrono::steady_clock::time_point started_;

  mutable std::mutex mutex_;  // all below, and every call of the listener but tick
  std::condition_variable changed_;
  std::vector<Job> jobs_;
  std::optional<FuzzEnd> stopped_;
  std::string stop_error_;
  std::exception_ptr error_;
  std::size_t corpus_taken_ = 0;
  FuzzProgress progress_;
  std::set<std::string> known_;  // signatures
};

}  // namespace rankle
