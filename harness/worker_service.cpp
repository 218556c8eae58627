// The request loop of a worker process, and how it finds its descriptors.
#include "harness/worker_service.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>

#include "generators/case_json.h"
#include "generators/contract_json.h"
#include "harness/worker_protocol.h"

namespace rankle {
namespace {

using nlohmann::json;

json error_message(const std::string& text) { return {{"op", "error"}, {"message", text}}; }

Verdict invalid_case(std::string error) {
  Verdict verdict;
  verdict.outcome = Outcome::invalid_case;
  verdict.error = std::move(error);
  return verdict;
}

class Server {
 public:
  Server(const WorkerService& service, CaseSlot& slot) : service_(service), slot_(slot) {}

  json hello() {
    json contracts = json::array();
    for (const Contract& contract : executor().contracts()) {
      contracts.push_back(json(contract_to_json(contract)));
    }
    json detectors = json::array();
    for (const FindingKind kind : executor().detectors()) detectors.push_back(name_of(kind));
    return {{"op", "hello"},
            {"protocol", kProtocolVersion},
            {"name", service_.name},
            {"devices", service_.devices ? service_.devices() : std::vector<std::string>{}},
            {"contracts", std::move(contracts)},
            {"detectors", std::move(detectors)}};
  }

  json run(const RunRequest& request) {
    const std::string text = slot_.case_text();
    if (slot_.case_number() != request.number) {
      throw ProtocolError("the case slot does not hold the case of this request");
    }
    slot_.set_phase(Phase::loading);
    constexpr double kUnlimited_s = 1e6;
    arm_case_guard(service_.limits_cpu ? cpu_limit_of(request.options.deadline_s) : kUnlimited_s);
    const Verdict verdict = judge(text, request.options);
    disarm_case_guard();
    slot_.set_phase(Phase::idle);
    json answer = {{"op", "verdict"}, {"number", request.number}, {"verdict", verdict}};
    if (is_spent()) answer["last"] = true;
    return answer;
  }

  // Nothing can be run here any more.
  bool is_spent() const { return executor_ && executor_->is_spent(); }

 private:
  Executor& executor() {
    if (!executor_) {
      slot_.set_phase(Phase::loading);
      executor_ = service_.make_executor();
      slot_.set_phase(Phase::idle);
    }
    return *executor_;
  }

  Verdict judge(const std::string& text, const RunOptions& options) {
    std::optional<JsonError> error;
    const std::optional<Case> c = case_from_text(text, error);
    if (!c) {
      return invalid_case(error ? error->message : "case: cannot be read");
    }
    Executor& runner = executor();
    slot_.set_phase(Phase::running);
    return runner.run(*c, options);
  }

  const WorkerService& service_;
  CaseSlot& slot_;
  std::unique_ptr<Executor> executor_;
};

// One request, one answer. What the executor throws is the environment's fault, told in one
// sentence.
json answer_to(Server& server, const json& request) {
  try {
    const std::string op = request["op"].get<std::string>();
    if (op == "hello") {
      return server.hello();
    }
    if (op == "run") {
      return server.run(run_request_of(request));
    }
    return error_message("unknown request '" + op + "'; hello, run and quit are known");
  } catch (const std::exception& error) {
    disarm_case_guard();
    return error_message(error.what());
  }
}

struct Descriptors {
  int channel = -1;
  int slot = -1;
};

std::optional<Descriptors> inherited_descriptors() {
  const char* text = std::getenv(kWorkerVariable);
  Descriptors fds;
  if (text == nullptr || std::sscanf(text, "%d,%d", &fds.channel, &fds.slot) != 2) {
    return std::nullopt;
  }
  return fds;
}

}  // namespace

bool started_by_supervisor() { return inherited_descriptors().has_value(); }

int serve(const WorkerService& service) {
  const std::optional<Descriptors> fds = inherited_descriptors();
  if (!fds) {
    std::fprintf(stderr, "%s is not set: a worker is started by rankle\n", kWorkerVariable);
    return 2;
  }
  // Also set by the supervisor in its child; a launcher such as mpirun may lie between the two.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A process that a target starts must not hold the channel open.
  fcntl(fds->channel, F_SETFD, FD_CLOEXEC);
  fcntl(fds->slot, F_SETFD, FD_CLOEXEC);
  unsetenv(kWorkerVariable);
  try {
    CaseSlot slot = CaseSlot::attach(fds->slot);
    set_active_slot(&slot);
    install_crash_guard(slot, service.probe);
    Server server(service, slot);
    FrameDecoder decoder;
    while (const std::optional<json> request = receive_message(fds->channel, decoder)) {
      if ((*request)["op"] == "quit" || !send_message(fds->channel, answer_to(server, *request))) {
        break;
      }
      if (server.is_spent()) break;
    }
    // Whatever statics a target left behind must not turn the end of a good worker into a crash.
    std::fflush(nullptr);
    _exit(0);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rankle worker '%s': %s\n", service.name.c_str(), error.what());
    std::fflush(nullptr);
    _exit(3);
  }
}

}  // namespace rankle
