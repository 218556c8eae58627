// The supervisor's loop for one worker: write the case into the slot, ask, wait, judge how it
// ended.
#include "harness/worker_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "generators/case_json.h"
#include "generators/contract_json.h"
#include "harness/interrupted.h"

namespace rankle {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

// A guarded worker needs about a second at most to find its source line.
constexpr milliseconds kLastWords{2000};
// Between the end of the channel and the end of the process.
constexpr milliseconds kExitTime{1500};

Clock::time_point after(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(std::clamp(seconds, 0.0, 1e6)));
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Verdict refusal(Outcome outcome, std::string error) {
  Verdict verdict;
  verdict.outcome = outcome;
  verdict.error = std::move(error);
  return verdict;
}

Verdict with(Finding finding) {
  Verdict verdict;
  verdict.outcome = Outcome::finding;
  verdict.findings.push_back(std::move(finding));
  return verdict;
}

std::vector<Contract> contracts_of(const json& list) {
  std::vector<Contract> contracts;
  for (const json& entry : list) {
    std::optional<JsonError> error;
    std::optional<Contract> contract = contract_from_json(entry, error);
    if (!contract) {
      throw ProtocolError(error ? error->message : "a contract that cannot be read");
    }
    contracts.push_back(std::move(*contract));
  }
  return contracts;
}

std::set<FindingKind> detectors_of(const json& names) {
  std::set<FindingKind> detectors = {FindingKind::crash, FindingKind::timeout};
  for (const json& name : names) {
    const std::optional<FindingKind> kind = finding_kind_from(name.get<std::string>());
    if (!kind) {
      throw ProtocolError(fmt::format("unknown detector {}", name.dump()));
    }
    detectors.insert(*kind);
  }
  return detectors;
}

std::string why(const WorkerDeath& death, double deadline_s) {
  if (death.cause == ReceiveState::timed_out) {
    return fmt::format("it did not say hello within {:g} s", deadline_s);
  }
  return finding_of(death).message;
}

}  // namespace

WorkerExecutor::WorkerExecutor(WorkerOptions options) : options_(std::move(options)) {}

WorkerExecutor::~WorkerExecutor() { retire_worker(); }

pid_t WorkerExecutor::worker_pid() const { return worker_ ? worker_->pid() : -1; }

std::vector<Contract> WorkerExecutor::contracts() {
  ensure_worker();
  return contracts_;
}

std::set<FindingKind> WorkerExecutor::detectors() {
  ensure_worker();
  return detectors_;
}

std::vector<std::string> WorkerExecutor::devices() {
  ensure_worker();
  return devices_;
}

Verdict WorkerExecutor::run(const Case& c, const RunOptions& options) {
  const std::string text = case_to_text(c);
  if (text.size() > CaseSlot::kCaseBytesMax) {
    return refusal(Outcome::invalid_case,
                   fmt::format("case: its JSON text has {} bytes; at most {} are allowed",
                               text.size(), CaseSlot::kCaseBytesMax));
  }
  const auto start = Clock::now();
  // A worker that somebody killed between two cases is nobody's fault: the case gets a second one.
  for (int tries = 0; tries < 2; ++tries) {
    try {
      ensure_worker();
    } catch (const EnvironmentError& error) {
      return refusal(Outcome::environment_error, error.what());
    }
    if (std::optional<Verdict> verdict = attempt(text, options)) {
      if (verdict->stats.seconds == 0) {
        verdict->stats.seconds = seconds_since(start);
      }
      return std::move(*verdict);
    }
  }
  return refusal(Outcome::environment_error,
                 fmt::format("the worker {} ended twice before it took a case",
                             options_.command.arguments.front()));
}

std::optional<Verdict> WorkerExecutor::attempt(const std::string& text, const RunOptions& options) {
  slot_->put_case(++case_number_, text);
  ++cases_of_worker_;
  if (!worker_->send(to_message(RunRequest{case_number_, options}))) {
    worker_.reset();
    return std::nullopt;
  }
  const Received received = receive(options.deadline_s);
  if (received.state == ReceiveState::message) {
    return verdict_of(received, options);
  }
  const WorkerDeath death = bury_worker(received, options.deadline_s);
  if (received.state == ReceiveState::ended && death.phase == Phase::idle) {
    return std::nullopt;
  }
  return with(finding_of(death));
}

std::optional<Verdict> WorkerExecutor::verdict_of(const Received& received,
                                                  const RunOptions& options) {
  std::string fault;
  try {
    const json message = message_of(received.payload);
    if (message["op"] == "error") {
      return refusal(Outcome::environment_error, message.at("message").get<std::string>());
    }
    if (message["op"] == "verdict" && message.at("number") == case_number_) {
      auto verdict = message.at("verdict").get<Verdict>();
      if (message.value("last", false)) {
        worker_->terminate(milliseconds{0});
        worker_.reset();
      }
      return verdict;
    }
    fault = "an answer to another question";
  } catch (const ProtocolError& error) {
    fault = error.what();
  } catch (const json::exception& error) {
    fault = fmt::format("a verdict that cannot be read ({})", error.what());
  }
  return with(finding_of(bury_worker({ReceiveState::garbage, fault}, options.deadline_s)));
}

WorkerDeath WorkerExecutor::bury_worker(const Received& received, double deadline_s) {
  WorkerDeath death;
  death.cause = received.state;
  death.garbage = received.payload;
  death.deadline_s = deadline_s;
  death.memory_bytes_max = options_.command.memory_bytes_max;
  death.phase = slot_->phase();
  switch (received.state) {
    case ReceiveState::ended:
      death.exit = worker_->finish(kExitTime);
      break;
    case ReceiveState::timed_out:
      death.exit = worker_->terminate(kLastWords);
      break;
    default:
      death.exit = worker_->terminate(milliseconds{0});
      break;
  }
  death.record = slot_->crash_report();
  death.progress = slot_->progress();
  death.output = worker_->output_tail();
  worker_.reset();
  return death;
}

void WorkerExecutor::ensure_worker() {
  if (worker_ && options_.cases_per_worker != 0 && cases_of_worker_ >= options_.cases_per_worker) {
    retire_worker();
  }
  if (worker_) {
    return;
  }
  try {
    // A slot of its own for every worker: a dead one's children may still write into theirs.
    slot_ = std::make_unique<CaseSlot>(CaseSlot::create(options_.slot_file));
    worker_ = std::make_unique<WorkerProcess>(options_.command, slot_->fd());
  } catch (const std::system_error& error) {
    throw EnvironmentError(error.what());
  }
  ++starts_;
  cases_of_worker_ = 0;
  greet();
}

void WorkerExecutor::greet() {
  const std::string program = fmt::format("{}", fmt::join(options_.command.arguments, " "));
  worker_->send({{"op", "hello"}});  // a worker that is gone already shows in what follows
  Received received = receive(options_.start_deadline_s);
  if (received.state != ReceiveState::message) {
    const WorkerDeath death = bury_worker(received, options_.start_deadline_s);
    const std::string printed =
        death.output.empty() ? "" : fmt::format("; it printed: {}", death.output.back());
    throw EnvironmentError(fmt::format("the worker {} does not start: {}{}", program,
                                       why(death, options_.start_deadline_s), printed));
  }
  std::string fault;
  try {
    const json hello = message_of(received.payload);
    if (hello["op"] == "error") {
      fault = hello.at("message").get<std::string>();
    } else if (hello["op"] != "hello" || hello.at("protocol") != kProtocolVersion) {
      fault = fmt::format("it speaks another protocol than version {}", kProtocolVersion);
    } else {
      contracts_ = contracts_of(hello.at("contracts"));
      detectors_ = detectors_of(hello.at("detectors"));
      devices_ = hello.value("devices", std::vector<std::string>{});
      return;
    }
  } catch (const std::exception& error) {
    fault = fmt::format("its hello cannot be read ({})", error.what());
  }
  worker_.reset();
  throw EnvironmentError(fmt::format("the worker {} does not start: {}", program, fault));
}

Received WorkerExecutor::receive(double deadline_s) {
  Received received = worker_->receive(after(deadline_s), options_.interrupted);
  if (received.state == ReceiveState::interrupted) {
    worker_.reset();
    throw Interrupted();
  }
  return received;
}

void WorkerExecutor::retire_worker() {
  if (worker_) {
    if (worker_->send({{"op", "quit"}})) {
      worker_->finish(milliseconds{1000});
    }
    worker_.reset();
  }
}

}  // namespace rankle
