// Makes a finding of a worker's end: which signal or status, in which phase, who was running,
// where.
#pragma once

#include <string>
#include <vector>

#include "harness/case_slot.h"
#include "harness/verdict.h"
#include "harness/worker_process.h"

namespace rankle {

struct WorkerDeath {
  ReceiveState cause = ReceiveState::ended;  // anything but `message`
  ExitState exit;
  CrashReport record;         // what the worker wrote itself
  Phase phase = Phase::idle;  // in which it was
  std::uint64_t progress = 0;
  double deadline_s = 0;
  std::uint64_t memory_bytes_max = 0;
  std::string garbage;              // what is wrong with what it sent
  std::vector<std::string> output;  // its last lines
};

// `timeout` if time ran out, else `crash`. The sub-kind names the signal ("SIGSEGV"), the exit
// ("exit-3"), "garbage", "memory-limit", or the phase of a timeout.
Finding finding_of(const WorkerDeath& death);

// "SIGSEGV"
std::string signal_name(int signal);

}  // namespace rankle
