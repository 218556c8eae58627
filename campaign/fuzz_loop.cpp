// See fuzz_loop.h.
#include "campaign/fuzz_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>

#include "campaign/settle_finding.h"
#include "harness/interrupted.h"

namespace rankle {
namespace {

constexpr std::chrono::milliseconds kTick{50};

// With keep_going the consequence is what people want to see, so it must survive minimising.
void pin_wrong_result(const Case& c, const Verdict& verdict, std::vector<std::string>& pinned) {
  for (const Finding& finding : verdict.findings) {
    if (finding.kind != FindingKind::wrong_result) continue;
    std::string signature = signature_of(finding, c.target);
    if (std::find(pinned.begin(), pinned.end(), signature) == pinned.end()) {
      pinned.push_back(std::move(signature));
    }
    return;
  }
}

bool is_failure(const Verdict& verdict) {
  return verdict.outcome == Outcome::finding || verdict.outcome == Outcome::flaky;
}

}  // namespace

FuzzLoop::FuzzLoop(const FuzzPlan& plan, MakeExecutor make_executor, FindingStore& store,
                   FuzzListener& listener)
    : plan_(plan),
      make_executor_(std::move(make_executor)),
      store_(store),
      listener_(listener),
      started_(std::chrono::steady_clock::now()),
      progress_(plan.before),
      known_(plan.known) {
  for (const Lane& lane : plan.lanes) {
    Job job;
    job.number = static_cast<int>(jobs_.size());
    job.lane = lane;
    if (plan.only_case) job.lane = {*plan.only_case, 1};
    jobs_.push_back(job);
    if (plan.only_case) break;
  }
}

FuzzLoop::FuzzLoop(const FuzzPlan& plan, Executor& executor, FindingStore& store,
                   FuzzListener& listener)
    : FuzzLoop(plan, MakeExecutor{}, store, listener) {
  only_executor_ = &executor;
}

FuzzSummary FuzzLoop::run() {
  std::vector<std::thread> threads;
  threads.reserve(jobs_.size());
  for (Job& job : jobs_) threads.emplace_back([this, &job] { work(job); });
  try {
    tick_until_all_ended();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    error_ = std::current_exception();
    stopped_ = FuzzEnd::interrupted;
  }
  for (std::thread& thread : threads) thread.join();
  if (error_) std::rethrow_exception(error_);
  update_progress();
  return summary();
}

void FuzzLoop::tick_until_all_ended() {
  const auto all_ended = [this] {
    return std::none_of(jobs_.begin(), jobs_.end(), [](const Job& job) { return job.is_running; });
  };
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kTick, all_ended)) {
    update_progress();
    const FuzzProgress snapshot = progress_;
    lock.unlock();
    listener_.tick(snapshot);
    lock.lock();
  }
}

void FuzzLoop::learn(const std::string& signature) {
  const std::lock_guard lock(mutex_);
  known_.insert(signature);
}

bool FuzzLoop::adopt(const std::string& signature) {
  const std::lock_guard lock(mutex_);
  const bool is_new = known_.insert(signature).second;
  ++(is_new ? progress_.findings : progress_.duplicates);
  return is_new;
}

void FuzzLoop::report(const Found& found) {
  const std::lock_guard lock(mutex_);
  if (found.repro.flaky) ++progress_.flaky;
  listener_.found(found);
  store_.reported(found);
  if (found.write_error.empty() || !store_.must_hold()) return;
  stopped_ = FuzzEnd::store_failed;
  stop_error_ = found.write_error;
}

void FuzzLoop::stop(FuzzEnd end, const std::string& error) {
  const std::lock_guard lock(mutex_);
  if (!stopped_) stopped_ = end;
  if (stop_error_.empty()) stop_error_ = error;
}

FuzzProgress FuzzLoop::progress() const {
  const std::lock_guard lock(mutex_);
  return progress_;
}

void FuzzLoop::absorb(const FuzzProgress& elsewhere) {
  const std::lock_guard lock(mutex_);
  progress_.cases += elsewhere.cases;
  progress_.findings += elsewhere.findings;
  progress_.flaky += elsewhere.flaky;
  progress_.warnings += elsewhere.warnings;
  progress_.duplicates += elsewhere.duplicates;
  progress_.passed += elsewhere.passed;
  progress_.failed += elsewhere.failed;
  progress_.timeouts += elsewhere.timeouts;
  progress_.errors += elsewhere.errors;
  progress_.retries += elsewhere.retries;
}

// The thread of a job.
void FuzzLoop::work(Job& job) {
  std::exception_ptr error;
  bool was_interrupted = false;
  try {
    std::unique_ptr<Executor> own;
    if (only_executor_ == nullptr) own = make_executor_(job.number);
    Executor& executor = own ? *own : *only_executor_;
    if (!plan_.only_case) run_corpus(job, executor);
    run_stream(job, executor);
  } catch (const Interrupted&) {
    was_interrupted = true;
  } catch (...) {
    error = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  if (was_interrupted) job.end = FuzzEnd::interrupted;
  if (error && !error_) error_ = error;
  if (error) stopped_ = FuzzEnd::interrupted;  // the other jobs; what is thrown matters
  job.is_running = false;
  changed_.notify_all();
}

void FuzzLoop::run_corpus(Job& job, Executor& executor) {
  for (std::size_t i = next_of_corpus(); i < plan_.corpus.size(); i = next_of_corpus()) {
    if (reason_to_stop(job)) return;
    const std::optional<Verdict> verdict = run_case(plan_.corpus[i], executor);
    if (verdict && !is_own_end(*verdict)) {
      judge(job, executor, plan_.corpus[i], std::nullopt, *verdict);
    }
  }
}

std::size_t FuzzLoop::next_of_corpus() {
  const std::lock_guard lock(mutex_);
  return corpus_taken_++;
}

void FuzzLoop::run_stream(Job& job, Executor& executor) {
  std::uint64_t index = job.lane.first;
  while (true) {
    std::optional<FuzzEnd> reason = reason_to_stop(job);
    const bool is_limited = plan_.cases_max != 0 && !plan_.only_case;
    if (!reason && is_limited && index >= plan_.cases_max) reason = FuzzEnd::cases_done;
    if (reason) {
      const std::lock_guard lock(mutex_);
      job.end = *reason;
      return;
    }
    report_position(job, index);
    const Case c = draw_case(plan_.contracts, plan_.draw, plan_.seed, index);
    const std::optional<Verdict> verdict = run_case(c, executor);
    if (verdict && is_own_end(*verdict)) continue;
    if (verdict) judge(job, executor, c, index, *verdict);
    index += job.lane.stride;
    report_position(job, index);
    if (plan_.only_case) return;
  }
}

// A Ctrl-C that also reached the worker looks like a crash of the target; it is none.
bool FuzzLoop::is_own_end(const Verdict& verdict) const {
  return plan_.interrupted && plan_.interrupted() && verdict.outcome == Outcome::finding &&
         verdict.findings.front().kind == FindingKind::crash;
}

// nullopt: it never started, and that was counted.
std::optional<Verdict> FuzzLoop::run_case(const Case& c, Executor& executor) {
  for (int attempt = 0;; ++attempt) {
    Verdict verdict = executor.run(c, plan_.run);
    if (verdict.outcome != Outcome::environment_error) return verdict;
    if (plan_.tries_of_start == 0) throw EnvironmentError(verdict.error);
    const std::lock_guard lock(mutex_);
    if (attempt < plan_.tries_of_start) {
      ++progress_.retries;
      continue;
    }
    ++progress_.errors;
    // One case without a worker may be bad luck; a run without any is the machine's fault.
    if (progress_.errors > progress_.cases + 2) throw EnvironmentError(verdict.error);
    return std::nullopt;
  }
}

std::optional<FuzzEnd> FuzzLoop::reason_to_stop(const Job& job) const {
  if (plan_.interrupted && plan_.interrupted()) return FuzzEnd::interrupted;
  const std::lock_guard lock(mutex_);
  if (stopped_) return stopped_;
  if (plan_.findings_max != 0 && progress_.findings >= plan_.findings_max) {
    return FuzzEnd::findings_reached;
  }
  const double spent =
      plan_.before.seconds + now_s() - (plan_.minimising_takes_time ? 0 : job.minimising_s);
  if (plan_.seconds_max > 0 && spent >= plan_.seconds_max) return FuzzEnd::time_up;
  return std::nullopt;
}

void FuzzLoop::judge(Job& job, Executor& executor, const Case& c,
                     std::optional<std::uint64_t> index, const Verdict& verdict) {
  const std::string name =
      index ? fmt::format("case {} of seed {}", *index, plan_.seed) : "a case of the corpus";
  if (verdict.outcome == Outcome::invalid_case) {
    throw std::logic_error(fmt::format("{} was refused: {}", name, verdict.error));
  }
  if (is_failure(verdict) && verdict.findings.empty()) {
    throw std::logic_error(fmt::format("{} failed without a finding", name));
  }
  std::vector<std::string> pinned;
  {
    const std::lock_guard lock(mutex_);
    count(verdict);
    update_progress();
    listener_.case_done(c, verdict, progress_);
    if (!is_failure(verdict)) return warn(c, verdict);
    pinned = claim(c, verdict);
  }
  if (!pinned.empty()) handle(job, executor, c, index, verdict, pinned);
}

void FuzzLoop::count(const Verdict& verdict) {
  ++progress_.cases;
  if (!is_failure(verdict)) {
    ++progress_.passed;
  } else if (verdict.findings.front().kind == FindingKind::timeout) {
    ++progress_.timeouts;
  } else {
    ++progress_.failed;
  }
}

// Each warning once.
void FuzzLoop::warn(const Case& c, const Verdict& verdict) {
  for (const Finding& finding : verdict.warnings) {
    if (!known_.insert(signature_of(finding, c.target)).second) continue;
    ++progress_.warnings;
    listener_.warned(c, finding);
  }
}

// What must survive minimising, the finding's own signature first; empty if it is no news. Without
// keep_going the first finding is the finding: what follows it is chance.
std::vector<std::string> FuzzLoop::claim(const Case& c, const Verdict& verdict) {
  std::vector<std::string> pinned;
  for (const Finding& finding : verdict.findings) {
    std::string signature = signature_of(finding, c.target);
    if (pinned.empty() && known_.count(signature) == 0) pinned.push_back(std::move(signature));
    if (!plan_.run.keep_going) break;
  }
  const bool enough = plan_.findings_max != 0 && progress_.findings >= plan_.findings_max;
  if (pinned.empty() || enough) {
    ++progress_.duplicates;
    return {};
  }
  if (plan_.run.keep_going) pin_wrong_result(c, verdict, pinned);
  for (const Finding& finding : verdict.findings) known_.insert(signature_of(finding, c.target));
  ++progress_.findings;
  return pinned;
}

void FuzzLoop::handle(Job& job, Executor& executor, const Case& c,
                      std::optional<std::uint64_t> index, const Verdict& verdict,
                      const std::vector<std::string>& pinned) {
  const double begin = now_s();
  const FuzzProgress then = progress();
  const auto minimising = [this](const Repro& so_far) {
    const std::lock_guard lock(mutex_);
    listener_.minimising(so_far, progress_);
  };
  SettleFinding work(plan_, executor, store_, minimising);
  // Before anything else can go wrong.
  Found found = work.keep({c, verdict, index, then.seconds, then.cases}, pinned);
  // From here on a kill finds it kept, and resuming goes on with its minimising.
  if (index) report_position(job, *index + job.lane.stride);
  minimising(found.repro);
  work.settle(found, pinned);

  {
    const std::lock_guard lock(mutex_);
    job.minimising_s += now_s() - begin;
    update_progress();
  }
  report(found);
}

void FuzzLoop::report_position(const Job& job, std::uint64_t next) const {
  if (plan_.at && !plan_.only_case) plan_.at(job.number, next);
}

double FuzzLoop::now_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

void FuzzLoop::update_progress() {
  progress_.seconds = plan_.before.seconds + now_s();
  double fuzzing = 0;  // of all jobs together
  for (const Job& job : jobs_) fuzzing += now_s() - job.minimising_s;
  const double each = fuzzing / static_cast<double>(jobs_.size());
  const std::uint64_t cases = progress_.cases - plan_.before.cases;
  progress_.cases_per_s = each > 0 ? static_cast<double>(cases) / each : 0;
}

FuzzSummary FuzzLoop::summary() const {
  FuzzSummary summary;
  summary.progress = progress_;
  summary.error = stop_error_;
  if (stopped_) {
    summary.end = *stopped_;
    return summary;
  }
  // The gravest of the jobs' reasons; one that ran out of cases says less than the others.
  for (const FuzzEnd end : {FuzzEnd::interrupted, FuzzEnd::findings_reached, FuzzEnd::time_up}) {
    if (std::any_of(jobs_.begin(), jobs_.end(), [end](const Job& job) { return job.end == end; })) {
      summary.end = end;
      return summary;
    }
  }
  return summary;
}

}  // namespace rankle
