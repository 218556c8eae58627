// device_hooks.h on the simulator: the only file of the runner that knows rankle::sim.
#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "harness/runner/device_data.h"
#include "harness/runner/device_hooks.h"
#include "harness/runner/poison.h"
#include "sim/machine.h"
#include "sim/memory.h"
#include "sim/report.h"
#include "sim/where.h"

namespace rankle::device_hooks {
namespace {

static_assert(std::byte{sim::kPoisonByte} == kUndefinedByte, "forensics looks for this pattern");

FindingKind kind_of(sim::ReportKind kind) {
  switch (kind) {
    case sim::ReportKind::redzone:
      return FindingKind::redzone;
    case sim::ReportKind::out_of_bounds:
      return FindingKind::out_of_bounds;
    case sim::ReportKind::use_after_free:
      return FindingKind::use_after_free;
    case sim::ReportKind::misaligned:
      return FindingKind::misaligned;
    case sim::ReportKind::uninitialised_read:
      return FindingKind::uninitialised_read;
    case sim::ReportKind::peer_access:
      return FindingKind::peer_access;
    case sim::ReportKind::data_race:
      return FindingKind::data_race;
    case sim::ReportKind::scope_race:
      return FindingKind::scope_race;
    case sim::ReportKind::wave_synchronous:
      return FindingKind::wave_synchronous;
    case sim::ReportKind::relaxed_handoff:
      return FindingKind::relaxed_handoff;
    case sim::ReportKind::barrier_divergence:
      return FindingKind::barrier_divergence;
    case sim::ReportKind::deadlock:
      return FindingKind::deadlock;
    case sim::ReportKind::livelock:
      return FindingKind::livelock;
    case sim::ReportKind::leak:
      return FindingKind::leak;
    case sim::ReportKind::api_error:
      return FindingKind::api_error;
    case sim::ReportKind::crash:
      break;
  }
  return FindingKind::crash;
}

Finding finding_of(const sim::Report& report) {
  Finding finding;
  finding.kind = kind_of(report.kind);
  finding.message = report.message;
  finding.details = report.details;
  for (const sim::SourceLine& line : report.sites) {
    finding.sites.push_back({line.function, line.file, line.line});
  }
  for (const sim::ThreadId& thread : report.threads) {
    finding.actors.push_back({thread.rank, thread.block, thread.thread, thread.step});
  }
  finding.roles = report.roles;
  if (!report.inlined.empty()) {
    std::string chain = "call chain, innermost first: ";
    for (std::size_t i = 0; i < report.inlined.size(); ++i) {
      chain += (i == 0 ? "" : ", ") + report.inlined[i];
    }
    finding.details.push_back(std::move(chain));
  }
  return finding;
}

sim::Policy policy_of(Policy policy) {
  switch (policy) {
    case Policy::round_robin:
      return sim::Policy::round_robin;
    case Policy::random:
      return sim::Policy::random;
    case Policy::pct:
      return sim::Policy::pct;
    case Policy::starvation:
      return sim::Policy::starvation;
    case Policy::rank_late:
      return sim::Policy::rank_late;
    case Policy::rank_early:
      return sim::Policy::rank_early;
    case Policy::run_to_block:
      break;
  }
  return sim::Policy::run_to_block;
}

sim::Severity severity_of(Severity severity) {
  switch (severity) {
    case Severity::warning:
      return sim::Severity::warning;
    case Severity::off:
      return sim::Severity::off;
    case Severity::error:
      break;
  }
  return sim::Severity::error;
}

sim::Config config_of(const Case& c, const RunOptions& options) {
  sim::Config config;
  config.devices = c.world;
  config.wave = c.geometry.wave;
  config.resident_blocks = c.geometry.resident_blocks;
  config.policy = policy_of(c.schedule.policy);
  config.seed = c.schedule.seed;
  config.depth = c.schedule.depth;
  config.horizon = c.schedule.horizon;
  config.granularity = c.schedule.granularity == Granularity::access ? sim::Granularity::access
                                                                     : sim::Granularity::sync;
  config.barrier_model = c.schedule.barrier_model == BarrierModel::nvidia
                             ? sim::BarrierModel::nvidia
                             : sim::BarrierModel::amd;
  config.weak_memory = c.schedule.weak_memory;
  for (const Switch& s : c.schedule.switches) config.switches.push_back({s.step, s.entity});
  config.keep_going = options.keep_going;
  config.relaxed_handoff = severity_of(options.relaxed_handoff);
  config.wave_synchronous = severity_of(options.wave_synchronous);
  config.volatile_model = options.volatile_model == VolatileModel::plain
                              ? sim::VolatileModel::plain
                              : sim::VolatileModel::relaxed;
  config.detect_races = options.detect_races;
  if (options.random_from) config.random_from = *options.random_from;
  config.record_switches = options.record_switches;
  config.separate_address_spaces = true;  // ranks stand for processes
  return config;
}

}  // namespace

PlatformResult run_ranks(const Case& c, const RunOptions& options,
                         const std::function<void(int rank)>& rank_main) {
  const sim::Result run = sim::run(config_of(c, options), rank_main);
  PlatformResult result;
  for (const sim::Report& report : run.reports) {
    auto& list = report.is_warning                      ? result.warnings
                 : report.kind == sim::ReportKind::leak ? result.at_end
                                                        : result.findings;
    list.push_back(finding_of(report));
  }
  result.trace_hash = run.trace_hash;
  for (const sim::Switch& s : run.switches) result.switches.push_back({s.step, s.entity});
  result.stats.threads = run.stats.threads;
  result.stats.accesses = run.stats.accesses;
  result.stats.steps = run.stats.steps;
  result.stats.barriers = run.stats.barriers;
  result.stats.entities = run.stats.entities;
  result.stats.gave_way = run.stats.gave_way;
  return result;
}

std::set<FindingKind> detectors() {
  return {FindingKind::redzone,
          FindingKind::out_of_bounds,
          FindingKind::use_after_free,
          FindingKind::misaligned,
          FindingKind::uninitialised_read,
          FindingKind::peer_access,
          FindingKind::data_race,
          FindingKind::scope_race,
          FindingKind::relaxed_handoff,
          FindingKind::wave_synchronous,
          FindingKind::barrier_divergence,
          FindingKind::deadlock,
          FindingKind::livelock,
          FindingKind::leak,
          FindingKind::api_error,
          FindingKind::crash};
}

void limit(Contract& /*contract*/) {}
void settle(const Target& /*target*/, int /*rank*/) {}
bool ranks_share_devices(int /*world*/) { return false; }
bool perturbs() { return false; }
void watch(const void* /*pointer*/, std::size_t /*bytes*/) {}

bool host_barrier() { return sim::host_barrier(); }
bool stopped() { return sim::stopped(); }
void label(const void* pointer, std::string_view name) { sim::label(pointer, name); }
void note_step(int step) { sim::note_step(step); }
void forget(void* pointer, std::size_t bytes) { sim::forget(pointer, bytes); }
void prefer_address(const void* freed) { sim::prefer_address(freed); }
void register_module(std::uintptr_t base, std::size_t size, const std::string& file) {
  sim::register_module(base, size, file);
}

hipError_t open_stream(int /*number*/, hipStream_t& stream) {
  return hipStreamCreateWithFlags(&stream, hipStreamNonBlocking);
}
hipError_t close_stream(hipStream_t stream) { return hipStreamDestroy(stream); }

bool loads_on_demand() { return false; }

void* pin(std::size_t bytes) {
  void* memory = std::aligned_alloc(kPinAlignment, bytes);
  if (memory != nullptr && hipHostRegister(memory, bytes, hipHostRegisterDefault) != hipSuccess) {
    std::free(memory);
    return nullptr;
  }
  return memory;
}

bool unpin(void* memory, std::size_t /*bytes*/) {
  const bool done = hipHostUnregister(memory) == hipSuccess;
  std::free(memory);
  return done;
}

}  // namespace rankle::device_hooks

namespace rankle::device_data {

bool available() { return false; }
bool can_make(const Contents& /*contents*/) { return false; }
hipError_t fill(const Contents& /*contents*/, int /*rank*/, std::byte* /*to*/,
                std::size_t /*bytes*/, hipStream_t /*stream*/) {
  return hipErrorNotSupported;
}
hipError_t compare(const Contents& /*contents*/, int /*rank*/, const std::byte* /*data*/,
                   std::size_t /*begin*/, std::size_t /*end*/, Difference* /*found*/,
                   hipStream_t /*stream*/) {
  return hipErrorNotSupported;
}
hipError_t compare_sums(const PayloadSpec& /*spec*/, int /*round*/, const std::byte* /*data*/,
                        std::int64_t /*count*/, Difference* /*found*/, hipStream_t /*stream*/) {
  return hipErrorNotSupported;
}

}  // namespace rankle::device_data
