// The simulated machine: devices, host ranks and a scheduler in one OS thread. There is one machine
// per process, because device memory lies at fixed addresses; `run` starts it afresh each time.
//
// Deterministic: the same configuration, the same rank function and the same build give the same
// reports and the same trace hash. Nothing in here reads a clock or a pointer's order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "sim/report.h"

namespace rankle::sim {

enum class Policy { run_to_block, round_robin, random, pct, starvation, rank_late, rank_early };
enum class Granularity { sync, access };
enum class BarrierModel { amd, nvidia };
enum class VolatileModel { relaxed, plain };

// At scheduling step `step`, `entity` (entity.h) runs next.
struct Switch {
  std::uint64_t step = 0;
  std::uint64_t entity = 0;
};

struct Config {
  int devices = 1;
  int wave = 64;            // lanes per wave: 32 or 64
  int resident_blocks = 0;  // blocks of one device that may run at once; 0: no limit
  Policy policy = Policy::run_to_block;
  std::uint64_t seed = 0;     // of every policy but run_to_block and round_robin
  int depth = 1;              // pct: 1 more than its change points
  std::uint64_t horizon = 0;  // pct, starvation: steps that the run is expected to take
  Granularity granularity = Granularity::sync;
  BarrierModel barrier_model = BarrierModel::amd;
  std::vector<Switch> switches;  // run_to_block: in the order of their steps
  // Gives back in Result::switches what run_to_block needs to repeat this run: the decisions in
  // which it would have chosen otherwise, or, under another policy, all of them.
  bool record_switches = false;
  // run_to_block: from this step on, random turns of `seed`.
  std::uint64_t random_from = ~std::uint64_t{0};
  bool detect_races = true;
  Severity relaxed_handoff = Severity::warning;
  Severity wave_synchronous = Severity::warning;
  // Volatile accesses are relaxed atomic ones at system scope, as in PTX, or plain ones.
  VolatileModel volatile_model = VolatileModel::relaxed;
  // Loads may return older values (weak_memory.h): the seed of which ones do; 0: none. Needs
  // detect_races.
  std::uint64_t weak_memory = 0;
  bool keep_going = false;                       // go on after the first report
  std::uint64_t steps_max = 400'000'000;         // scheduling steps and accesses, then `livelock`
  std::size_t bytes_max = std::size_t{3} << 30;  // device memory over all devices
  // Whatever is still allocated or open when a rank's function has returned is a `leak`.
  bool check_leaks = true;
  // Ranks stand for processes: another rank's memory is reached through IPC handles only.
  bool separate_address_spaces = false;
};

struct Stats {
  std::uint64_t threads = 0;
  std::uint64_t accesses = 0;
  std::uint64_t steps = 0;
  std::uint64_t barriers = 0;
  std::uint64_t entities = 0;  // hosts, streams with work, waves: what schedules choose among
  std::uint64_t gave_way = 0;  // times that a wave gave way because it spins or runs on and on
};

struct Result {
  std::vector<Report> reports;  // in the order of discovery, at most one per kind and source line
  std::uint64_t trace_hash = 0;
  Stats stats;
  std::vector<Switch> switches;  // with record_switches
  // True if the run ended early: after the first report without keep_going, or when nothing could
  // go on. Blocking HIP calls then returned hipErrorLaunchFailure.
  bool stopped = false;
};

// Runs rank_main(rank) for each of config.devices ranks on a host fiber of its own (device `rank`
// is current at its start) until all have returned. Not reentrant.
Result run(const Config& config, const std::function<void(int rank)>& rank_main);

// The following are for code inside rank_main.

// Waits until every rank is here. Returns false if the run has been stopped: leave then.
bool host_barrier();

// True if the run has been stopped: rank_main should return soon.
bool stopped();

// Names the allocation that holds `pointer` in reports ("signals of rank 2"). The text is copied.
void label(const void* pointer, std::string_view name);

// What the calling rank does and queues from here on is of this step of its program; -1: of none.
// Reports say so.
void note_step(int step);

// Makes `bytes` from `pointer` uninitialised again: a later read by a kernel is an
// uninitialised-read.
void forget(void* pointer, std::size_t bytes);

// The next allocation in the region of `freed`, the start of memory that was freed, gets that
// address again if it is of the same size. Otherwise no address comes back within a run.
void prefer_address(const void* freed);

// Number of bytes of the range that nobody has written.
std::size_t uninitialised_bytes(const void* pointer, std::size_t bytes);

}  // namespace rankle::sim
