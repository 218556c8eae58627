// The fields of --json events that more than one command prints.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/console.h"
#include "generators/contract.h"
#include "harness/executor.h"
#include "repro/repro_file.h"

namespace rankle::cli {

// What every command knows about itself: version, commit, platform, devices.
Json start_fields(const std::string& command, const std::string& platform);
// The same with what the executor can see; starts its worker.
Json start_fields(const std::string& command, const std::string& platform, Executor& executor);

// The first line for people: "rankle 0.1.0 (1a2b3c4d5e6f), platform sim (simulated devices), ...".
std::string start_line(const std::string& platform, const std::string& rest);

// "simulated devices", and the variables that hide devices where they are set.
std::string devices_of(const std::string& platform);

// Every kind of finding by name: true if the executor can see it.
Json detector_fields(const std::set<FindingKind>& detectors);

Json target_fields(const Contract& contract, const std::set<FindingKind>& detectors);

// Kind, target, signature, message and case of a finding; callers add cases, seconds and repro.
Json finding_fields(const Repro& repro);

std::string hex(std::uint64_t hash);  // "0x0123456789abcdef"

}  // namespace rankle::cli
