// The sentences of crash and timeout findings.
#include "harness/worker_death.h"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>

#include <string_view>

namespace rankle {
namespace {

bool is_timeout(const WorkerDeath& death) {
  return death.cause == ReceiveState::timed_out ||
         (death.cause == ReceiveState::ended && (death.record.cause == CrashCause::cpu_limit ||
                                                 death.record.cause == CrashCause::deadline));
}

std::string who(const CrashReport& record) {
  if (record.rank < 0) {
    return {};
  }
  if (record.block < 0) {
    return fmt::format("host code of rank {}", record.rank);
  }
  return fmt::format("rank {}, block {}, thread {}", record.rank, record.block, record.thread);
}

// ": rank 1, block 0, thread 5 in `f` kernels/x.h:12", as much of it as is known.
std::string place_of(const CrashReport& record) {
  std::string place = who(record);
  if (!record.function.empty() || !record.file.empty()) {
    place += fmt::format("{}in `{}` {}:{}", place.empty() ? "" : " ", record.function, record.file,
                         record.line);
  }
  return place.empty() ? place : ": " + place;
}

struct Words {
  std::string subkind;
  std::string sentence;
};

Words words_of_crash(const WorkerDeath& death) {
  const CrashReport& record = death.record;
  const std::string_view phase = name_of(death.phase);
  if (death.cause == ReceiveState::garbage) {
    return {"garbage", fmt::format("the worker sent {} while {}", death.garbage, phase)};
  }
  if (death.cause == ReceiveState::memory_limit) {
    return {"memory-limit", fmt::format("the worker used more than {} MiB of memory while {}",
                                        death.memory_bytes_max >> 20, phase)};
  }
  const bool fault = record.cause == CrashCause::fault;
  if (fault || death.exit.signal != 0) {
    const std::string name = signal_name(fault ? record.signal : death.exit.signal);
    const bool has_address = fault && (record.signal == SIGSEGV || record.signal == SIGBUS);
    return {name, fmt::format("the worker died of {}{} while {}", name,
                              has_address ? fmt::format(" at address {:#x}", record.fault_address)
                                          : std::string(),
                              phase)};
  }
  return {fmt::format("exit-{}", death.exit.status),
          fmt::format("the worker exited with status {} while {}", death.exit.status, phase)};
}

Words words_of_timeout(const WorkerDeath& death) {
  return {std::string(name_of(death.phase)),
          fmt::format("no answer within {:g} s while {}", death.deadline_s, name_of(death.phase))};
}

}  // namespace

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

Finding finding_of(const WorkerDeath& death) {
  Finding finding;
  finding.kind = is_timeout(death) ? FindingKind::timeout : FindingKind::crash;
  Words words = is_timeout(death) ? words_of_timeout(death) : words_of_crash(death);
  finding.subkind = std::move(words.subkind);
  finding.message = words.sentence + place_of(death.record);
  const CrashReport& record = death.record;
  if (!record.function.empty() || !record.file.empty()) {
    finding.sites.push_back({record.function, record.file, record.line});
  }
  if (record.rank >= 0) {
    finding.actors.push_back({record.rank, record.block, record.thread});
  }
  if (death.progress != 0) {
    finding.details.push_back(fmt::format("progress counter: {}", death.progress));
  }
  for (const std::string& line : death.output) {
    finding.details.push_back("worker printed: " + line);
  }
  return finding;
}

}  // namespace rankle
