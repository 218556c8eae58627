// What the runner asks of the platform beyond the HIP API: running the ranks, a barrier between
// them, and names for allocations in reports. One file per platform defines these
// (sim_platform.cpp); a platform without checks defines the memory hooks as empty.
#pragma once

#include <hip/hip_runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "generators/case.h"
#include "generators/contract.h"
#include "harness/executor.h"
#include "harness/target.h"
#include "harness/verdict.h"

namespace rankle::device_hooks {

// What a platform saw during a run.
struct PlatformResult {
  std::vector<Finding> findings;  // in the order of discovery
  std::vector<Finding> at_end;    // found while cleaning up, after everything else: leaks
  std::vector<Finding> warnings;
  std::vector<Switch> switches;  // with RunOptions::record_switches
  std::uint64_t trace_hash = 0;
  RunStats stats;  // without `seconds`
  // The devices are in no state for another run, and ranks may still hang in one: whatever
  // rank_main can reach must stay, and the process is to end soon.
  bool spent = false;
};

// Runs rank_main(rank) once per rank of the case, each with its device current.
PlatformResult run_ranks(const Case& c, const RunOptions& options,
                         const std::function<void(int rank)>& rank_main);

// Lowers what the contract allows to what the devices here can hold.
void limit(Contract& contract);

// Before the first run with a target that was loaded for `rank`: brings its kernels onto the
// device, which may wait for all that runs there.
void settle(const Target& target, int rank);

// Whether ranks share a device. There an allocation or a release of one rank may wait for kernels
// of the others, so no rank may go on to another call before all have made theirs.
bool ranks_share_devices(int world);

// Whether Case::perturbation is carried out.
bool perturbs();

// Kinds of finding that run_ranks can give. None can be switched off.
std::set<FindingKind> detectors();

// Inside rank_main: waits for every rank. False if the run was stopped: leave then.
bool host_barrier();

// Inside rank_main: the platform has ended the run; HIP calls fail from now on.
bool stopped();

// Names the allocation that holds `pointer` in reports.
void label(const void* pointer, std::string_view name);

// Inside rank_main: what follows is of this step of the program; -1: of none.
void note_step(int step);

// Inside rank_main: words to show when the run hangs, this rank's signals.
void watch(const void* pointer, std::size_t bytes);

// Declares the contents of the range undefined. Where a platform keeps track, a kernel's read of
// them is a finding and gives kUndefinedByte (poison.h); elsewhere they keep what was written.
void forget(void* pointer, std::size_t bytes);

// The calling rank's next allocation on its device lies at `freed`, which it has freed, if it asks
// for as much memory as was there; where the platform has a say in that.
void prefer_address(const void* freed);

// Inside rank_main: this rank's stream number `number` of a run, 0 for its calls, 1 for what it
// writes and reads beside them. A platform may keep streams for later runs.
inline constexpr int kDataStream = 1;
hipError_t open_stream(int number, hipStream_t& stream);
hipError_t close_stream(hipStream_t stream);

// Pinned host memory of `bytes`, a multiple of kPinAlignment; null if there is none. A platform may
// keep what it gets back for later runs, since pinning is slow and unpinning waits for the device.
inline constexpr std::size_t kPinAlignment = 4096;
void* pin(std::size_t bytes);
bool unpin(void* memory, std::size_t bytes);

// Targets are loaded when a case first needs them, and asked for their contracts in a process of
// their own: where code of a target that is not used costs time.
bool loads_on_demand();

// Code of `file` lies at [base, base + size), under a name that the platform cannot open.
void register_module(std::uintptr_t base, std::size_t size, const std::string& file);

}  // namespace rankle::device_hooks
